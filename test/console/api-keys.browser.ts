import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { bearerOf } from '../api-keys.ts'
import { until } from '../until.ts'
import { startWorld } from './world.ts'

suite('keys of a service account in the console', async () => {
  const world = await startWorld()
  const status = async (key: string) =>
    (await fetch(`${world.url}/users`, { headers: bearerOf(key) })).status

  test('an administrator makes an account of a program, its key, a successor, and ends both', async () => {
    const hand = await world.window()
    const { page } = hand
    const dialog = page.getByRole('dialog')
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await hand.open('/admin/accounts?create=yes')
    await page.getByLabel('Username').fill('report')
    await page.getByLabel('Service account').check()
    await page.getByLabel('Name', { exact: true }).fill('Nightly report')
    await hand.assertSound('a new service account')
    await press('Create the account')
    await page.getByRole('heading', { level: 1, name: 'report' }).waitFor()

    await press('New key')
    await dialog.getByLabel('Name', { exact: true }).fill('nightly')
    await dialog.getByLabel('Scopes').fill('users:raed')
    await dialog.getByRole('button', { name: 'New key' }).click()
    await dialog.locator('.field.wrong').getByLabel('Scopes').fill('users:read  posts:*')
    await hand.assertSound('a new key')
    await dialog.getByRole('button', { name: 'New key' }).click()
    const shown = dialog.locator('pre')
    const first = await shown.innerText()
    assert.equal(await status(first), 200)
    await hand.assertSound('a key, shown once')
    await press('Done')

    await press('Rotate')
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    await dialog.getByText('shown this once').waitFor()
    const second = await shown.innerText()
    assert.notEqual(second, first)
    assert.deepEqual([await status(first), await status(second)], [200, 200])
    await press('Done')

    const revoke = page.locator('main').getByRole('button', { name: 'Revoke', exact: true })
    for (const left of [1, 0]) {
      await revoke.first().click()
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await dialog.waitFor({ state: 'detached' })
      await until(async () => (await revoke.count()) === left)
    }
    assert.deepEqual([await status(first), await status(second)], [401, 401])
    await hand.assertSound('a service account without keys')
    await hand.close()
  })
})
