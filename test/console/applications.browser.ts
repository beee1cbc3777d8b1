import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { admin, startWorld } from './world.ts'

const application = 'https://grafana.example.org'

suite('who has access to an application, in the console', async () => {
  const world = await startWorld({ env: () => ({ PROVIDER: 'on' }) })

  test('a sign-in is tried, is shown at the client and at the account, and is withdrawn', async () => {
    const hand = await world.window()
    const { page } = hand
    const json = { id: 'grafana', type: 'web', name: 'Grafana', home_uri: application }
    const redirect_uris = [`${application}/cb`]
    await world.api('POST', '/api/admin/clients', { ...json, redirect_uris })
    await hand.open('/admin/clients/client/grafana')
    await page.getByRole('heading', { name: 'Who has access' }).waitFor()
    await page.getByText('0 accounts').waitFor()
    const open = page.getByRole('link', { name: 'Open the application' })
    assert.equal(await open.getAttribute('href'), application)
    await hand.assertSound('an application without accounts')
    const address = await page.locator('pre', { hasText: '/oauth/authorize?' }).innerText()

    // The application is not on this machine: a tab of its own ends there.
    const tab = await page.context().newPage()
    await tab.goto(address)
    const arrived = tab.waitForRequest((request) => request.url().startsWith(`${application}/cb`))
    await tab.getByRole('button', { name: 'Allow' }).click()
    const code = new URL((await arrived).url()).searchParams.get('code')
    assert.ok(code, 'a code without its verifier')
    await tab.close()

    await hand.open('/admin/clients/client/grafana')
    await page.getByText('1 account', { exact: true }).waitFor()
    await hand.assertSound('an application that someone uses')
    await page
      .getByRole('row', { name: /admin openid/ })
      .getByRole('link')
      .click()
    await page.getByRole('heading', { name: 'Applications' }).waitFor()
    await hand.settled()
    await hand.assertSound('an account with an application')
    const path = `/api/admin/accounts/${admin.username}/applications`
    const stored = async () => (await world.api('GET', path)) as { client: string }[]
    assert.deepEqual(
      (await stored()).map(({ client }) => client),
      ['grafana'],
    )
    await page.getByRole('button', { name: 'Withdraw' }).click()
    await hand.assertSound('the question')
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText('The access of Grafana is withdrawn.').waitFor()
    await page.getByRole('heading', { name: 'Applications' }).waitFor({ state: 'detached' })
    assert.deepEqual(await stored(), [])
    await hand.close()
  })
})
