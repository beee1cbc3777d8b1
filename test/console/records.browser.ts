// A database makes a difference: the lists of records are searched, sorted and cut by it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { startRelay } from '../relay.ts'
import { admin, startWorld } from './world.ts'

suite('audit, posts and mail in the console', async () => {
  const answers: Record<string, string> = {
    'nobody@example.org': '550 5.1.1 No such user',
    'full@example.org': '450 4.2.2 Mailbox full',
  }
  const relay = await startRelay({ onRecipient: (address) => answers[address] })
  const world = await startWorld({ env: () => relay.env })

  test('the audit log: filters, place and record in the address, the live tail, the export', async () => {
    await world.account('ann')
    const refused = await fetch(`${world.url}/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'ann', password: 'wrong', mode: 'token' }),
    })
    const requestId = refused.headers.get('x-request-id') ?? assert.fail()
    for (let count = 0; count < 60; count += 1) await world.api('GET', '/api/admin/audit?limit=1')
    const hand = await world.window()
    const { page } = hand
    const rows = page.locator('table.data tbody tr')

    await hand.open('/admin/audit')
    await page
      .getByRole('link', { name: /^Protected data read: \d+ times by you$/ })
      .first()
      .click()
    await page.waitForURL(/reads=all/)
    await hand.settled()
    assert.equal(await rows.count(), 50)
    const visible = await rows.evaluateAll(
      (all) => all.filter((row) => row.getBoundingClientRect().bottom <= 900).length,
    )
    assert.ok(visible >= 14, `${visible} records on the first screen`)
    await page.getByText('Proof of the log: never verified').click()
    await page.getByRole('button', { name: 'Verify now' }).click()
    await page.getByRole('link', { name: 'Older records' }).click()
    await page.getByRole('link', { name: 'Newest records' }).waitFor()
    await hand.settled()
    assert.match(page.url(), /[?&]cursor=/)
    await page.getByRole('link', { name: 'Service started' }).waitFor()

    // A choice counts at once, a text with Enter, and both stand in the address.
    await page.getByLabel('What', { exact: true }).selectOption({ label: 'Refused logins' })
    const concerned = page.getByLabel('Whom it concerns')
    await page.waitForURL(/type=/)
    await concerned.fill('half a na')
    await page.goBack()
    await page.waitForURL((url) => !url.searchParams.has('type'))
    await hand.settled()
    assert.equal(await concerned.inputValue(), 'half a na', 'what is being typed stays')
    await page.goForward()
    await page.waitForURL(/type=/)
    await concerned.fill('ann')
    await concerned.press('Enter')
    await page.waitForURL(/target=ann/)
    await hand.settled()
    const filtered = new URL(page.url()).searchParams
    assert.ok(filtered.get('type')?.includes('authn_login_fail'))
    assert.equal(filtered.get('cursor'), null)
    assert.equal(await rows.count(), 1)

    // The record, by its address alone, and what belongs to it.
    await page.getByRole('link', { name: 'Login refused' }).click()
    const dialog = page.getByRole('dialog', { name: 'Login refused' })
    await dialog.getByText(requestId).waitFor()
    await page.reload()
    await dialog.getByText('wrong_password').first().waitFor()
    await hand.assertSound('a record')
    await dialog.getByRole('link', { name: 'All of this request' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await hand.settled()
    assert.equal(new URL(page.url()).search, `?request_id=${requestId}`)
    assert.equal(await page.getByLabel('Request id').inputValue(), requestId)
    assert.equal(await page.getByLabel('What', { exact: true }).inputValue(), '')
    await page.goBack()
    await dialog.waitFor()
    const alone = new URL(page.url()).searchParams.get('record')
    await hand.open(`/admin/audit?type=user_created&record=${alone}`)
    await dialog.getByText(requestId).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.waitForURL(`${world.url}/admin/audit`)

    // The proof of the log that was asked for at the beginning.
    await page.getByText(/Proof of the log: whole/).click()
    assert.match(
      await page.locator('.proof dl').innerText(),
      /Verified\s+\d+ records, \d+ checkpoint/,
    )

    // A log that is not whole opens by itself, says what to do, and leads to the record.
    await page.route('**/api/admin/audit/verification', async (route) => {
      const response = await route.fetch()
      const state = await response.json()
      const problem = {
        what: 'changed',
        chain: 'x',
        place: 3,
        number: 4,
        id: alone,
        detail: 'Bad.',
      }
      const found = { ok: false, first: problem, problems: [problem], problem_count: 21 }
      Object.assign(state.last.result, found)
      await route.fulfill({ response, json: state })
    })
    await hand.open('/admin/audit?outcome=failure')
    await page.getByText('Stop no service and delete nothing.').waitFor()
    await page.getByText('The first of 21 problems').waitFor()
    await page.getByRole('link', { name: 'Record', exact: true }).click()
    await dialog.getByText(requestId).waitFor()
    await page.unroute('**/api/admin/audit/verification')

    // What the API does not understand is said, and the filters stay.
    await hand.open('/admin/audit?address=nowhere')
    await page.getByText('must be an IP address').waitFor()
    assert.equal(await page.getByLabel('IP address').inputValue(), 'nowhere')

    // The live tail shows what happens, of what the filters choose.
    await hand.open('/admin/audit?target=ann')
    await page.getByText(/Proof of the log/).click()
    await page.getByText('More filters').click()
    await hand.assertSound('audit')
    const firstLook = Promise.withResolvers<void>()
    await page.route('**/api/admin/audit?*', async (route) => {
      await firstLook.promise
      await route.continue()
    })
    await page.getByRole('link', { name: 'Follow live' }).click()
    await page.getByText('New records appear by themselves.').waitFor()
    assert.equal(await page.getByText('since you follow').count(), 0)
    firstLook.resolve()
    await page.getByText('0 records since you follow').waitFor()
    await page.unroute('**/api/admin/audit?*')
    await world.api('PUT', '/api/admin/accounts/ann', { locked: true })
    await page.getByText('1 record since you follow').waitFor()
    const [first] = await rows.allInnerTexts()
    assert.match(first ?? '', /Roles or lock of an account changed/)

    // The export is the file of these filters; the session has ended before it.
    await hand.open('/admin/audit?target=ann&outcome=failure')
    await hand.context.clearCookies()
    const downloaded = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export these records' }).click()
    const login = page.getByRole('dialog', { name: 'Your session has ended' })
    await login.getByLabel('Password').fill(admin.password)
    await login.getByRole('button', { name: 'Sign in' }).click()
    const download = await downloaded
    assert.match(download.suggestedFilename(), /^audit-\d{4}-\d\d-\d\d\.jsonl$/)
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ type, request_id }) => [type, request_id]),
      [['authn_login_fail', requestId]],
    )
    await hand.close()
  })
  test('posts: an editor sees the lock state alone, an administrator locks and takes it back', async () => {
    const editor = await world.account('edith', ['EDITOR'])
    const author = await world.bearer(editor)
    const title = `<img src=x>\u202e${'nospace😀'.repeat(23)}`
    await world.api('POST', '/api/posts', { title, body: '<b>bold</b>\nsecond line' }, author)
    for (let count = 2; count <= 26; count += 1) {
      await world.api('POST', '/api/posts', { title: `Post ${count}` }, author)
    }
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/posts')
    await page.getByText('Page 1 of 2').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('Page 2 of 2').waitFor()
    await hand.settled()
    assert.equal(new URL(page.url()).search, '?page=2')
    await page.reload()
    const last = page.locator('table.data tbody tr')
    await last.getByText('Post 26').waitFor()

    await last.getByRole('button', { name: 'Lock' }).click()
    await last.getByText('locked', { exact: true }).waitFor()
    const eve = await world.window(editor)
    await eve.open('/admin/posts?page=2')
    await eve.page.locator('table.data').getByText('locked', { exact: true }).waitFor()
    assert.equal(await eve.page.locator('table.data button').count(), 0)
    assert.deepEqual(await eve.page.locator('nav.areas a').allInnerTexts(), ['Posts'])
    await eve.open('/admin/audit')
    assert.equal(await eve.heading(), 'Nothing is here')
    await eve.close()
    await page.getByRole('button', { name: 'Undo' }).click()
    await last.getByText('open', { exact: true }).waitFor()

    // What was written by another is text, and fits.
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByRole('link', { name: '<img src=x>' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('<b>bold</b> second line').waitFor()
    assert.match(page.url(), /[?&]post=\d+/)
    assert.equal(await dialog.locator('b, img').count(), 0)
    await hand.assertSound('a post')
    await hand.close()
  })

  test('mail: a test, a refusal that is tried again, one that is withdrawn, and the previews', async () => {
    const hand = await world.window()
    const { page } = hand
    const row = (text: string) => page.locator('table.data tbody tr', { hasText: text }).first()
    async function sendTest(address: string): Promise<void> {
      await page.getByLabel('E-mail address').fill(address)
      await page.getByLabel('E-mail address').press('Enter')
      await page.getByText(`The test mail to ${address} is on its way.`).waitFor()
    }
    await hand.open('/admin/mail?message=test')
    await page.getByText('No mail fits the filters.').waitFor()
    await page.getByText('Send a test mail').click()
    await page.getByLabel('Language', { exact: true }).selectOption('German')
    await sendTest('boss@example.org')
    await row('Test mail').getByText('sent', { exact: true }).waitFor()
    assert.match(relay.mails.at(-1)?.message.subject ?? '', /^Test/)

    await sendTest('nobody@example.org')
    await row('No such user').getByText('refused', { exact: true }).waitFor()
    delete answers['nobody@example.org']
    await row('No such user').getByRole('button', { name: 'Send again' }).click()
    await row('No such user').waitFor({ state: 'hidden' })
    assert.deepEqual(relay.mails.at(-1)?.to, ['nobody@example.org'])

    await sendTest('full@example.org')
    // After the second attempt nothing is tried for half a minute.
    await row('2 attempts').getByText('waits', { exact: true }).waitFor()
    await hand.assertSound('the outbox')
    await row('Mailbox full').getByRole('button', { name: 'Withdraw' }).click()
    const asked = page.getByRole('dialog', { name: 'Withdraw “Test mail”?' })
    await asked.getByText('full@example.org does not get this mail.').waitFor()
    await asked.getByRole('button', { name: 'Withdraw' }).click()
    await row('Mailbox full').getByText('withdrawn', { exact: true }).waitFor()
    await page.getByLabel('State').selectOption('withdrawn')
    await page.waitForURL(/state=cancelled/)
    await page.locator('table.data tbody tr').nth(1).waitFor({ state: 'detached' })
    await hand.settled()
    assert.equal(await page.locator('table.data tbody tr').count(), 1)

    // Each message is drawn within the policy of the page, with no link and no script.
    await page.getByRole('link', { name: 'Previews' }).click()
    const message = page.getByLabel('Message')
    const letter = page.locator('.letter')
    await letter.waitFor()
    assert.ok((await message.locator('option').count()) > 20)
    await message.selectOption('reset-by-administrator')
    await page.getByRole('article', { name: 'Set a new password at Gatehouse' }).waitFor()
    assert.equal(await letter.locator('a[href]').count(), 0)
    const press = "document.querySelector('.letter').shadowRoot.querySelector('.press')"
    assert.equal(await page.evaluate(`getComputedStyle(${press}).padding`), '12px 24px')
    await hand.assertSound('a preview')
    await page.getByLabel('Language').selectOption('German')
    await page.getByRole('article', { name: /Passwort/ }).waitFor()
    await page.getByLabel('Form').selectOption('As text')
    await page
      .locator('article pre')
      .getByText(/Passwort/)
      .waitFor()
    assert.equal(new URL(page.url()).searchParams.get('message'), 'reset-by-administrator')
    await hand.close()
  })
})
