import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../until.ts'
import { admin, startWorld, type World } from './world.ts'

const hostile = 'm<img src=x onerror=alert(1)>\u{1f98a}'
const hostileName = `\u202e<script>alert(1)</script>${'W'.repeat(60)}`

suite('accounts in the console', async () => {
  const world = await startWorld()

  test('an import is checked first, survives the end of the session, and fills the list', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/imports')
    await choose(page, [line('bea'), line('bea', { email: 'no address' }), 'no json'])
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByText('All lines are imported or none').waitFor()
    assert.match(await rowOf(page, '2').innerText(), /is refused[\s\S]*email must be/)
    assert.match(await rowOf(page, '3').innerText(), /is no JSON/)
    await choose(page, [line('admin')])
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByText('There is one mistake.').waitFor()
    const taken = rowOf(page, '1')
    assert.match(await taken.innerText(), /There is already admin/)
    assert.equal(await taken.locator('del').first().innerText(), 'Administrator')
    await hand.assertSound('a dry run')
    assert.equal(await countOf(world), 1)

    // CSV, as a spreadsheet saves it; what is wrong comes first, although the file has it last.
    await chooseFile(page, 'office.csv', [
      '\ufeffusername;roles;name;email;phone',
      'bea;USER;Bea Müller;bea@example.org;1',
      'bob;USER;Bob;no address;2',
    ])
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByText('There is one mistake.').waitFor()
    await page.getByText('These columns are ignored: phone').waitFor()
    const checked = await page.locator('main table tbody tr').allInnerTexts()
    assert.equal(checked.length, 2)
    assert.match(checked[0] ?? '', /^3\b[\s\S]*is refused[\s\S]*email must be an e-mail address/)
    assert.match(checked[1] ?? '', /^2\b[\s\S]*Bea Müller[\s\S]*none: the owner sets a password/)
    await hand.assertSound('a dry run of CSV')
    assert.equal(await countOf(world), 1)

    const lines = Array.from({ length: 60 }, (_, at) =>
      line(`ann${String(at).padStart(2, '0')}`, at === 0 ? { name: '=1+1' } : {}),
    )
    await choose(page, [...lines, line(hostile, { name: hostileName, email: 'fox@example.org' })])
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByRole('button', { name: 'Import 61 accounts' }).click()
    // The session ends while the file is on its way; nothing is stored before the login.
    let sent = 0
    await page.route('**/api/admin/import/accounts*', async (route) => {
      sent += 1
      if (sent === 1) await hand.endSession()
      await route.continue()
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    const login = page.getByRole('dialog', { name: 'Your session has ended' })
    await login.getByLabel('Password').fill(admin.password)
    assert.equal(await countOf(world), 1)
    await login.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('61 accounts are imported.').waitFor()
    assert.equal(sent, 2)
    await page.unroute('**/api/admin/import/accounts*')
    assert.equal(await countOf(world), 62)
    await page.getByRole('link', { name: 'Show the imported accounts' }).click()
    await page.getByText('61 accounts', { exact: true }).waitFor()
    await hand.close()
  })

  test('the list searches while it is typed; filters, order and place stand in the address', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/accounts?limit=20')
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await until(() => page.url().includes('cursor='))
    await page.getByLabel('Search', { exact: true }).pressSequentially('ANN1')
    await page.getByText('10 accounts', { exact: true }).waitFor()
    assert.equal(new URL(page.url()).search, '?limit=20&search=ANN1')
    await page.getByRole('button', { name: 'Username' }).click()
    await until(async () => (await firstName(page)) === 'ann19')
    await page.getByText('Filters', { exact: true }).click()
    await page.getByLabel('Role', { exact: true }).selectOption('EDITOR')
    await page.getByText('No account matches.').waitFor()
    await page.reload()
    await page.getByText('No account matches.').waitFor()
    assert.equal(await page.getByLabel('Search', { exact: true }).inputValue(), 'ANN1')
    await page.getByRole('button', { name: 'Clear search and filters' }).first().click()
    await page.getByText('62 accounts', { exact: true }).waitFor()
    // By keys alone: down the rows, into an account, back, and to the search.
    await page.getByRole('link', { name: 'ann59' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'ann58' }).waitFor()
    await page.goBack()
    await page.getByText('62 accounts', { exact: true }).waitFor()
    await page.keyboard.press('/')
    assert.equal(await page.evaluate('document.activeElement.name'), 'search')
    await page.getByLabel('Search', { exact: true }).fill('onerror')
    await page.getByText('one account', { exact: true }).waitFor()
    assert.equal(await firstName(page), hostile)
    await page.locator('summary', { hasText: 'Columns' }).click()
    await page.getByLabel('Contact address').check()
    await page.getByRole('cell', { name: 'fox@example.org' }).waitFor()
    await hand.assertSound('the list')
    await page.getByRole('link', { name: hostile }).click()
    await page.getByRole('heading', { level: 1, name: hostile }).waitFor()
    await hand.settled()
    assert.ok((await page.locator('main').innerText()).includes(hostileName))
    await hand.assertSound('an account with names of an attacker')
    await hand.close()
  })

  test('an address that was made by hand shows the list, or what is wrong with it', async () => {
    const hand = await world.window()
    for (const name of ['last_login', 'role', 'state', 'sort', 'cursor']) {
      await hand.open(`/admin/accounts?${name}=__proto__`)
      assert.equal(await hand.heading(), 'Accounts', name)
      await hand.page
        .locator('main')
        .getByRole(name === 'last_login' ? 'table' : 'alert')
        .waitFor()
    }
    await hand.close()
  })

  test('many at once: progress, what failed and why, and undo', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/accounts?search=ann0&limit=20')
    await page.getByLabel('Select all on this page').check()
    await world.api('DELETE', '/api/admin/accounts/ann03')
    await world.api('PUT', '/api/admin/accounts/ann04', { roles: ['USER', 'EDITOR'] })
    await page.getByRole('button', { name: 'Lock', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Ends all their sessions').waitFor()
    await hand.assertSound('what will be done with many')
    await dialog.getByRole('button', { name: 'Start' }).click()
    await dialog.getByText('Done. 9 accounts are changed.').waitFor()
    assert.match(await dialog.locator('.failures').innerText(), /ann03: There is no such account/)
    assert.equal((await world.api('GET', '/api/admin/accounts/ann04')).locked, true)
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByText('Done. 9 accounts are changed.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    assert.equal((await world.api('GET', '/api/admin/accounts/ann04')).locked, false)

    // A role that was given meanwhile by another administrator stays.
    await page.getByLabel('Select ann04').check()
    await page.getByLabel('Select ann05').check()
    await page.getByRole('button', { name: 'Remove role' }).click()
    await dialog.getByLabel('Which role').selectOption('USER')
    await dialog.getByRole('button', { name: 'Start' }).click()
    await dialog.getByText('Done. 2 accounts are changed.').waitFor()
    assert.deepEqual((await world.api('GET', '/api/admin/accounts/ann04')).roles, ['EDITOR'])
    await dialog.getByRole('button', { name: 'Close' }).click()

    // It waits as long as the service asks, and can be stopped meanwhile.
    await page.getByLabel('Select all on this page').check()
    await page.route('**/api/admin/accounts/*/sessions', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '600' },
        json: { error: 'Too many requests' },
      }),
    )
    await page.getByRole('button', { name: 'End sessions' }).click()
    await dialog.getByRole('button', { name: 'Start' }).click()
    await dialog.getByText('It goes on in 10 minutes.').waitFor()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    await dialog.getByText('9 were not begun.').waitFor()
    await page.unroute('**/api/admin/accounts/*/sessions')
    await dialog.getByRole('button', { name: 'Try those again' }).click()
    await dialog.getByText('Done. 9 accounts are changed.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()

    // More than a page: all that match, wherever they stand.
    await hand.open('/admin/accounts?search=ann&limit=20')
    await page.getByLabel('Select ann00').check()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByText('59 accounts are selected').waitFor()
    await page.getByRole('button', { name: 'Add role' }).click()
    await dialog.getByLabel('Which role').selectOption('EDITOR')
    await dialog.getByText('One of them is so already').waitFor()
    await dialog.getByRole('button', { name: 'Start' }).click()
    await dialog.getByText('Done. 58 accounts are changed.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    const { total } = await world.api('GET', '/api/admin/accounts?role=EDITOR&search=ann')
    assert.equal(total, 59)

    await page.getByLabel('Select all on this page').check()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const stream = await (await saved).createReadStream()
    const csv = (await Array.fromAsync(stream)).join('')
    assert.equal(csv.split('\r\n').length, 22)
    assert.match(csv, /^username,user_id,/)
    assert.match(csv, /"'=1\+1"/) // no formula for the program that opens it
    await hand.close()
  })

  test('one account: every action says what it ends, and what can be undone is undone', async () => {
    const maria = await world.account('maria')
    await world.bearer(maria)
    const other = await world.window(maria)
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/accounts/maria')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Lock', exact: true }).click()
    await dialog.getByText('Ends one session and one access token.').waitFor()
    await dialog.getByRole('button', { name: 'Lock' }).click()
    await page.getByText('maria is locked.').waitFor()
    assert.equal((await world.api('GET', '/api/admin/accounts/maria')).locked, true)
    assert.equal((await other.context.request.get(`${world.url}/api/session`)).status(), 401)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    assert.equal((await world.api('GET', '/api/admin/accounts/maria')).locked, false)
    await hand.settled()

    // Another administrator has changed the same account meanwhile.
    await world.api('PUT', '/api/admin/accounts/maria', { roles: ['USER', 'EDITOR'] })
    await page.getByLabel('ADMIN', { exact: true }).check()
    await page.getByRole('button', { name: 'Save roles' }).click()
    await dialog.getByText('May then do everything that you may.').waitFor()
    await dialog.getByRole('button', { name: 'Save roles' }).click()
    await dialog.getByRole('row', { name: 'Roles USER, EDITOR USER, ADMIN' }).waitFor()
    await hand.assertSound('a conflict')
    await dialog.getByRole('button', { name: 'Leave theirs' }).click()
    await page.getByLabel('EDITOR', { exact: true }).and(page.locator(':checked')).waitFor()

    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('Maria Mustermann')
    const { user_id } = await world.api('GET', '/api/admin/accounts/maria')
    await world.api('PUT', `/users/${user_id}`, { name: 'Maria Other' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByRole('row', { name: 'Name Maria Other Maria Mustermann' }).waitFor()
    await dialog.getByRole('button', { name: 'Save yours' }).click()
    await page.getByText('Saved.').waitFor()
    assert.equal((await world.api('GET', `/users/${user_id}`)).name, 'Maria Mustermann')

    await page.getByRole('button', { name: 'Send a password reset' }).click()
    await dialog.getByLabel('Send the mail to').fill('maria@example.org')
    await dialog.getByRole('button', { name: 'Send a password reset' }).click()
    await world.mailTo('maria@example.org')
    await hand.settled()
    await hand.assertSound('an account')

    // What is dangerous wants a recent login, which is asked for in place.
    await world.later(1200)
    await page.getByRole('button', { name: 'Set a one-time password' }).click()
    await dialog.getByRole('button', { name: 'Set a one-time password' }).click()
    const login = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await login.getByLabel('Password').fill(admin.password)
    await login.getByRole('button', { name: 'Sign in', exact: true }).click()
    const password = await dialog.locator('pre').innerText()
    const body = new URLSearchParams({ username: 'maria', password, mode: 'token' })
    const answer = await fetch(`${world.url}/login`, { method: 'POST', body })
    assert.equal(((await answer.json()) as { error: string }).error, 'Password change required')
    await dialog.getByRole('button', { name: 'I have passed it on' }).click()

    await page.getByRole('button', { name: 'Delete the account and its user' }).click()
    const remove = dialog.getByRole('button', { name: 'Delete the account and its user' })
    assert.equal(await remove.isDisabled(), true)
    await dialog.getByLabel('Type “maria” to confirm').fill('maria')
    await remove.click()
    await page.getByText('maria is deleted.').waitFor()
    await hand.open('/admin/accounts/maria')
    await page.getByText('There is no account “maria”.').waitFor()
    await hand.close()
  })

  test('the second factors of an account are listed, and one is removed', async () => {
    const cleo = await world.account('cleo')
    const headers = await world.bearer(cleo)
    const proof = { current_password: cleo.password }
    const { secret } = await world.api('POST', '/api/account/totp', proof, headers)
    await world.api('PUT', '/api/account/totp', { totp: world.codeOf(secret) }, headers)
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/accounts/cleo')
    await page.getByText('Authenticator app', { exact: true }).waitFor()
    await hand.assertSound('an account with a second factor')
    await page.getByRole('button', { name: 'Forget devices' }).click()
    const asked = page.getByRole('dialog', { name: 'Forget the remembered devices of cleo?' })
    await asked.getByText('0 devices are remembered.').waitFor()
    await asked.getByRole('button', { name: 'Forget devices' }).click()
    await page.getByText('The devices of cleo are forgotten.').waitFor()
    await page.getByRole('button', { name: 'Remove: Authenticator app' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove a second factor of cleo?' })
    await dialog.getByText('All recovery codes of the account stop to work.').waitFor()
    await dialog.getByRole('textbox').fill('cleo')
    await dialog.getByRole('button', { name: 'Remove: Authenticator app' }).click()
    await page.getByText('A second factor of cleo is removed.').waitFor()
    await page.getByText('none; the owner turns it on').waitFor()
    assert.deepEqual(await world.api('GET', '/api/admin/accounts/cleo/factors'), [])
    await hand.close()
  })

  test('a person is invited, and made by hand; a mistake keeps what was typed', async () => {
    const hand = await world.window(admin, {
      locale: 'de-DE',
      viewport: { width: 390, height: 844 },
    })
    const { page } = hand
    await hand.open('/admin/invitations')
    await page.getByText('Es ist noch niemand eingeladen.').waitFor()
    await page.getByRole('link', { name: 'Person einladen' }).click()
    await page.getByLabel('Adresse').fill('ida@example.org')
    await hand.assertSound('an invitation, in German')
    await page.getByRole('button', { name: 'Einladung senden' }).click()
    await world.mailTo('ida@example.org')
    await page.getByRole('button', { name: 'Noch einmal senden' }).click()
    await world.mailTo('ida@example.org')
    await page.getByRole('button', { name: 'Zurückziehen' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Zurückziehen' }).click()
    await page.getByRole('link', { name: 'Wieder einladen' }).waitFor()

    await hand.open('/admin/accounts?create=yes')
    await page.getByLabel('Benutzername').fill('i:da')
    await page.getByLabel('Name', { exact: true }).fill('Ida')
    await page.getByLabel('Kontaktadresse').fill('ida@example.org')
    await page.getByLabel('Erstes Passwort').fill('gravel otter lantern 41')
    await page.getByRole('button', { name: 'Konto anlegen' }).click()
    await page.locator('.field.wrong').getByLabel('Benutzername').fill('ida')
    await hand.assertSound('a new account')
    await page.getByRole('button', { name: 'Konto anlegen' }).click()
    await page.getByRole('heading', { level: 1, name: 'ida' }).waitFor()
    await hand.open('/admin/users?search=ida')
    await page.getByRole('link', { name: 'Ida' }).click()
    await page.getByRole('link', { name: 'ida', exact: true }).waitFor()
    await hand.assertSound('a user')
    await hand.close()
  })
})

const hash = '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW'

function line(username: string, more: object = {}): string {
  const email = `${username.replaceAll(/[^a-z0-9]/g, '')}@example.org`
  return JSON.stringify({
    username,
    password_hash: hash,
    roles: ['USER'],
    name: username,
    email,
    ...more,
  })
}

function choose(page: Page, lines: readonly string[]): Promise<void> {
  return chooseFile(page, 'accounts.ndjson', lines)
}

async function chooseFile(page: Page, name: string, lines: readonly string[]): Promise<void> {
  const buffer = Buffer.from(lines.join('\n'))
  await page
    .getByLabel('File')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
}

function rowOf(page: Page, name: string) {
  return page
    .locator('tbody tr')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
}

function firstName(page: Page): Promise<string> {
  return page.locator('tbody th').first().innerText()
}

async function countOf(world: World): Promise<number> {
  return (await world.api('GET', '/api/admin/accounts')).total
}
