import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startWorld } from './world.ts'

suite('after a sign-out', async () => {
  const world = await startWorld()

  test('nothing of the person is left in the browser', async () => {
    const address = 'zoe.unusual@example.org'
    const who = await world.account('zoe', ['ADMIN'])
    const { user_id } = await accountOf('zoe')
    await world.api('PUT', `/users/${user_id}`, { email: address })
    const hand = await world.window(who)
    const { context, page } = hand
    const sessionCookies = async () =>
      (await context.cookies()).filter(({ name }) => name === 'JSESSIONID')
    const shown = async () => `${await page.title()} ${await page.innerText('body')}`
    await hand.open('/admin/accounts/zoe')
    await page.getByText(address).first().waitFor()
    await page.goto(`${world.url}/account`)
    assert.ok((await shown()).includes(address))
    assert.ok((await sessionCookies()).length > 0)
    await page.locator('header a[href="/signout"]').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/signout?done=1')

    for (const path of ['/signout', '/account', '/admin/accounts/zoe']) {
      await page.goBack()
      await page.waitForURL(path === '/signout' ? '**/signout' : '**/signin?*')
      assert.ok(!(await shown()).includes(address), `back at ${path}`)
    }
    const kept = (await page.evaluate(`(async () => ({
      local: JSON.stringify(localStorage),
      session: sessionStorage.length,
      caches: (await caches.keys()).length,
      databases: (await indexedDB.databases()).length,
      workers: (await navigator.serviceWorker.getRegistrations()).length,
    }))()`)) as { readonly local: string }
    const { local, ...others } = kept
    assert.deepEqual(others, { session: 0, caches: 0, databases: 0, workers: 0 })
    for (const text of [address, who.username, who.password]) assert.ok(!local.includes(text))
    assert.deepEqual(await sessionCookies(), [])
    await hand.close()
  })

  async function accountOf(name: string) {
    return (await world.api('GET', `/api/admin/accounts/${name}`)) as { user_id: number }
  }
})
