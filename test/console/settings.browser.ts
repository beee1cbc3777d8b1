import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../until.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { admin, startWorld } from './world.ts'

const passphrase = 'lantern quilt harbour pepper cloud stone river'
const markup = '<b>down</b> & "out" \u202egpj'

/** What an operator sets up, backs up and looks after: the areas from keys to doctor. */
suite('keys, webhooks, clients, settings, backups and doctor', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-console-'))
  const clientsFile = join(folder, 'clients.json')
  writeFileSync(
    clientsFile,
    JSON.stringify({ clients: [clientOf('shop', 1), clientOf('till', 2)] }),
  )
  const receiver = await startReceiver()
  const world = await startWorld({
    env: () => ({
      BACKUP_DIR: folder,
      BACKUP_PASSPHRASE: passphrase,
      CLIENTS_FILE: clientsFile,
      TOKEN_ALGORITHM: 'RS256',
    }),
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const dialog = (page: Page) => page.getByRole('dialog')
  const state = (page: Page) => page.locator('h1 .mark')

  test('a webhook: set up after a login in place, tested, refused, repeated, changed by two, removed', async () => {
    const hand = await world.window()
    await world.later(1000) // so that the login is not recent any more
    const { page } = hand
    await hand.open('/admin/webhooks')
    assert.match(await page.locator('.empty').innerText(), /No webhook is set up/)
    await page.getByRole('link', { name: 'New webhook' }).first().click()
    await page.getByLabel('Address of the receiver').fill('http://10.0.0.1/in')
    await page.getByLabel('Description').fill(markup)
    await page.getByLabel('A user is deleted').check()
    await page.getByLabel('Others, by name').fill('mail_*')
    await button(page, 'Set up the webhook').click()
    // What was typed stands while the login is asked for, and is sent after it.
    await dialog(page).getByLabel('Password', { exact: true }).fill(admin.password)
    await dialog(page).getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByLabel('Description').inputValue(), markup)
    await page.getByLabel('Address of the receiver').fill(`${receiver.url}/in`)
    await hand.assertSound('a new webhook')
    await button(page, 'Set up the webhook').click()

    await page.getByRole('heading', { name: /shown this once/ }).waitFor()
    assert.match(await page.locator('main pre').innerText(), /^whsec_\S{40,}$/)
    await button(page, 'I have stored it').click()
    await hand.settled()
    assert.match(await page.locator('main').innerText(), /user_deleted, mail_\*/)
    assert.equal(await page.locator('main b').count(), 0, 'a description is no markup')

    await button(page, 'Send a test').click()
    await page
      .getByRole('row', { name: /Test message/ })
      .getByText('delivered')
      .waitFor()
    receiver.answer = (_message, response) => void response.writeHead(410).end(markup)
    await button(page, 'Send a test').click()
    await page
      .getByRole('row', { name: /waiting|failed/ })
      .first()
      .waitFor()
    await page.reload()
    await hand.settled()
    await until(async () => {
      await page.reload()
      await hand.settled()
      return (await state(page).innerText()) === 'disabled by the service'
    })
    assert.match(await page.locator('main').innerText(), /The service has disabled this webhook/)
    await hand.assertSound('a webhook that was disabled')

    const refused = page.getByRole('row', { name: /Answer 410|answered 410/ }).first()
    await refused.getByRole('link').first().click()
    await page.getByRole('heading', { name: 'What the receiver said' }).waitFor()
    assert.equal(await page.locator('main pre').innerText(), markup)
    assert.equal(await page.locator('main pre b').count(), 0)
    await hand.assertSound('a delivery')
    const delivery = page.url()
    await page.goBack()

    receiver.answer = (_message, response) => void response.writeHead(204).end()
    await button(page, 'Enable').click()
    await page.getByText('What waited is sent now.').waitFor()
    assert.equal(await state(page).innerText(), 'enabled')
    await page.goto(delivery)
    await page.locator('main .mark', { hasText: 'delivered' }).waitFor()
    const message = await page.locator('dd code').nth(1).innerText()
    const arrivals = () => receiver.received.filter(({ id }) => id === message).length
    const before = arrivals()
    await button(page, 'Send again').click()
    await until(() => arrivals() === before + 1)
    await page.locator('main .mark', { hasText: 'delivered' }).waitFor()

    await page.getByRole('link', { name: /^01/ }).click()
    await hand.settled()
    await page.getByLabel('State').selectOption('delivered')
    await page.waitForURL(/state=delivered/)
    await page.getByLabel('Type of event').fill('user_deleted')
    await page.getByLabel('Type of event').press('Enter')
    await page.getByText('No delivery matches these filters.').waitFor()
    assert.match(page.url(), /type=user_deleted/)
    await page.reload()
    assert.equal(await page.getByLabel('Type of event').inputValue(), 'user_deleted')
    await button(page, 'Show all deliveries').click()
    await page
      .getByRole('row', { name: /Test message/ })
      .first()
      .waitFor()

    await page.getByRole('link', { name: 'Change' }).click()
    await hand.settled()
    const id = new URL(page.url()).pathname.split('/').at(-2)
    await world.api('PUT', `/api/admin/webhooks/${id}`, {
      description: 'of another',
      content: 'full',
    })
    await page.getByLabel('Description').fill('of this one')
    await button(page, 'Save').click()
    await dialog(page)
      .getByRole('row', { name: /of another[\s\S]*of this one/ })
      .waitFor()
    await button(page, 'Save yours').click()
    await page.waitForURL(`${world.url}/admin/webhooks/${id}`)
    await page.getByText('of this one').waitFor()
    assert.match(await page.locator('dl').innerText(), /Ids alone/)

    // Nothing has failed for good here: the answers of the API are made up, in two parts.
    const sent: unknown[] = []
    const [failed] = (await world.api('GET', '/api/admin/webhooks/deliveries')).data
    await page.route('**/deliveries?state=failed*', (route) =>
      route.fulfill({ json: { limit: 1000, data: [failed], next: 'more' } }),
    )
    await page.route(`**/webhooks/${id}/repeat`, (route) => {
      sent.push(route.request().postDataJSON())
      const json = sent.length === 1 ? { repeated: 10000, next: 77 } : { repeated: 5, next: null }
      return route.fulfill({ json })
    })
    await button(page, 'Send again what failed').click()
    await dialog(page).getByText('More than 1,000 deliveries').waitFor()
    await dialog(page).getByRole('button', { name: 'Send again' }).click()
    await page.getByText('10,005 deliveries are sent again.').waitFor()
    assert.deepEqual(sent, [
      { state: 'failed', after: 0 },
      { state: 'failed', after: 77 },
    ])

    await button(page, 'Disable').click()
    await dialog(page).getByText('Events that happen meanwhile are not kept').waitFor()
    await dialog(page).getByRole('button', { name: 'Disable' }).click()
    await page.locator('.toast', { hasText: 'is disabled' }).getByText('Undo').click()
    await until(async () => (await state(page).innerText()) === 'enabled')

    await button(page, 'Remove').click()
    const remove = dialog(page).getByRole('button', { name: 'Remove' })
    assert.ok(await remove.isDisabled())
    await dialog(page).getByRole('textbox').fill(new URL(receiver.url).host)
    await remove.click()
    await page.waitForURL(`${world.url}/admin/webhooks`)
    await page.locator('.empty').waitFor()
    await hand.close()
  })

  test('keys: rotated by plan and at once, retired after its name was typed, read by others', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/keys')
    await hand.assertSound('keys')
    const table = page.getByRole('table', { name: 'Keys of access tokens' })
    const first = await table.locator('tbody code').innerText()
    await button(page, 'Rotate').first().click()
    await dialog(page).getByText('no session or token ends').waitFor()
    await dialog(page).getByRole('button', { name: 'Rotate' }).click()
    await table.getByText('signs soon').waitFor()
    assert.equal(await table.getByRole('button', { name: 'Retire' }).count(), 0)

    await button(page, 'It leaked: rotate at once').first().click()
    await dialog(page).getByRole('button', { name: 'It leaked' }).click()
    await page.locator('.toast', { hasText: 'The new key is' }).nth(1).waitFor()
    const retire = table.getByRole('row', { name: first }).getByRole('button', { name: 'Retire' })
    await retire.click()
    await dialog(page).getByRole('textbox').fill(first)
    await dialog(page).getByRole('button', { name: 'Retire' }).click()
    await page.getByText(`The key ${first} is retired`).waitFor()
    await page.getByText('As services read it').click()
    const jwks = page.locator('details pre')
    await until(async () => !(await jwks.innerText()).includes(first))
    assert.match(await jwks.innerText(), /"RSA"/)
    await hand.close()
  })

  test('backups: one more now, the steps of its restore, and an answer that does not come', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/backups')
    await page.getByRole('row', { name: /good/ }).waitFor()
    await button(page, 'Back up now').click()
    await dialog(page).getByRole('button', { name: 'Back up now' }).click()
    await page.locator('tbody .mark', { hasText: 'good' }).nth(1).waitFor()
    await page.getByRole('row', { name: /good/ }).nth(1).getByText('Restore').click()
    await page.waitForURL(/restore=\d+/)
    const file = await page.getByRole('row', { name: /good/ }).nth(1).locator('code').innerText()
    assert.match(await page.locator('ol').innerText(), new RegExp(`backup verify ${file}`))
    assert.equal(
      await page.evaluate('document.activeElement.textContent'),
      'Restore a backup',
      'the steps have the focus',
    )
    await hand.assertSound('backups')

    await page.route('**/api/admin/backups?*', (route) => route.fulfill({ status: 503 }))
    await page.reload()
    await page.getByText('The service is not available now').first().waitFor()
    await page.unroute('**/api/admin/backups?*')
    await button(page, 'Try again').first().click()
    await page.getByRole('row', { name: /good/ }).first().waitFor()
    await hand.close()
  })

  test('settings, clients and doctor: what is in force, no secret, and what to do first', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/settings')
    const all = await page.locator('main').innerText()
    for (const secret of [passphrase, admin.password]) assert.ok(!all.includes(secret))
    await page.getByLabel('Search', { exact: true }).fill('backup pass')
    await page.waitForURL(/search=backup/)
    const row = page.getByRole('row', { name: /BACKUP_PASSPHRASE/ })
    assert.match(await row.innerText(), /set, hidden[\s\S]*environment/)
    await page.reload()
    assert.equal(await page.getByLabel('Search', { exact: true }).inputValue(), 'backup pass')
    await hand.assertSound('settings')

    await hand.open('/admin/clients')
    const till = page.getByRole('row', { name: /till/ })
    assert.match(await till.innerText(), /ask about tokens[\s\S]*2 secrets/)
    await till.getByText('Change').click()
    assert.match(await till.innerText(), /npm run -s gatehouse -- client retire till/)
    await hand.assertSound('clients')
    writeFileSync(clientsFile, '{"clients": [{}]}')
    await until(async () => {
      await page.reload()
      await hand.settled()
      return (await page.locator('main .notice').count()) > 0
    })
    assert.match(await page.locator('main').innerText(), /not used[\s\S]*shop/)

    await hand.open('/admin/doctor')
    await page.locator('.finding').first().waitFor()
    assert.match(await page.locator('main').innerText(), /What mends it/)
    await hand.assertSound('doctor')
    const checkedAt = await page.locator('main time').getAttribute('datetime')
    await button(page, 'Check again').click()
    await until(async () => {
      const at = await page.locator('main time').getAttribute('datetime')
      return at !== checkedAt
    })
    await hand.close()

    const german = await world.window(admin, { locale: 'de-DE', colorScheme: 'dark' })
    const headings = {
      keys: 'Schlüssel',
      webhooks: 'Webhooks',
      clients: 'Anwendungen',
      settings: 'Einstellungen',
      backups: 'Sicherungen',
      doctor: 'Untersuchung',
    }
    for (const [area, heading] of Object.entries(headings)) {
      await german.open(`/admin/${area}`)
      assert.equal(await german.heading(), heading)
    }
    await german.close()
  })
})

function clientOf(id: string, secrets: number) {
  const hashes = Array.from({ length: secrets }, (_, index) => {
    const hash = createHash('sha256').update(`lantern quilt ${id} ${index}`).digest('hex')
    return `sha256:${hash}`
  })
  return { id, secret_hashes: hashes, audiences: ['api'], may: ['introspect'] }
}
