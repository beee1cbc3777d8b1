import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startWorld } from './world.ts'

const passphrase = 'lantern quilt harbour pepper cloud stone river'

suite('a backup without a setting, in the console', async () => {
  const world = await startWorld()

  test('one with a passphrase that is asked for, and one without encryption', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/backups')
    const make = page.getByRole('button', { name: 'Back up now', exact: true })
    await page.getByLabel('Passphrase of this backup').fill('short')
    await make.click()
    await page.getByText('must have at least 12 characters').first().waitFor()
    await hand.assertSound('a passphrase that is too short')
    const rows = page.locator('table.data tbody tr')
    assert.equal(await rows.count(), 0)

    await page.getByLabel('Passphrase of this backup').fill(passphrase)
    await make.click()
    await rows.first().getByText('good', { exact: true }).waitFor()
    assert.equal(await page.getByLabel('Passphrase of this backup').inputValue(), '')

    await page.getByLabel('Unencrypted').check()
    await make.click()
    await rows.nth(1).waitFor()
    await rows.first().getByText('good', { exact: true }).waitFor()
    await hand.assertSound('two backups')
    await hand.close()
  })
})
