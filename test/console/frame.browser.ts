import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { admin, startWorld } from './world.ts'

suite('the frame of the console', async () => {
  const world = await startWorld()

  test('an address of it leads to the login, and then to its view', async () => {
    const hand = await world.window(null)
    const { page } = hand
    await page.goto(`${world.url}/admin/posts?x=1`)
    assert.equal(new URL(page.url()).pathname, '/signin')
    await page.getByLabel('Username or e-mail address').fill(admin.username)
    await page.getByLabel('Password', { exact: true }).fill(admin.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${world.url}/admin/posts?x=1`)
    await hand.settled()
    assert.equal(await hand.heading(), 'Posts')
    await hand.assertSound('posts')
    await hand.close()
  })
})
