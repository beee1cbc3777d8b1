import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Route } from 'playwright-core'
import { byItself } from '../copies.ts'
import { admin, startWorld } from './world.ts'

const markup = '<img src=x onerror=alert(1)>'
// As long as each may be: 64, 100, 200 and 254 characters, with no place to break.
const username = `m${markup}${'\u{1f98a}'.repeat(35)}`
const name = `\u202e${markup}${'\u{1f468}\u200d\u{1f469}'.repeat(10)}${'W'.repeat(41)}`
const title = `\u2067${markup}${'nospace\u{1f600}'.repeat(21)}`
const email = `${'w'.repeat(64)}@${`${'x'.repeat(59)}.`.repeat(3)}example`

suite('bad input in the console', async () => {
  const world = await startWorld({ env: byItself })

  test('names of 200 characters with markup, bidi marks, emoji and no spaces fit at 360 px', async () => {
    const person = { name, email, username, password: 'gravel otter lantern 41' }
    const { user_id } = await world.api('POST', '/api/admin/accounts', {
      ...person,
      roles: ['EDITOR'],
    })
    const author = await world.bearer(person)
    const post = await world.api('POST', '/api/posts', { title, body: name.repeat(20) }, author)
    await world.api('POST', '/api/admin/invitations', { email, roles: ['USER'] })
    await world.api('POST', '/api/admin/webhooks', {
      url: `https://hooks.example/${'w'.repeat(300)}`,
      description: title,
      events: ['*'],
    })
    const body = new URLSearchParams({ username, password: 'wrong', mode: 'token' })
    const refused = await fetch(`${world.url}/login`, { method: 'POST', body })
    assert.equal(refused.status, 401)
    await world.api('PUT', `/api/admin/accounts/${encodeURIComponent(username)}`, { locked: true })

    const hand = await world.window(admin, { viewport: { width: 360, height: 740 } })
    const { page } = hand
    page.on('dialog', (dialog) => assert.fail(dialog.message()))
    const long = encodeURIComponent(username)
    for (const [address, words] of [
      ['/admin', username],
      [`/admin/accounts?columns=email,providers&search=${long}`, username],
      [`/admin/accounts/${long}`, name],
      [`/admin/users?search=${encodeURIComponent(markup)}`, name],
      [`/admin/users/${user_id}`, name],
      ['/admin/invitations', email],
      ['/admin/throttle', username],
      [`/admin/why?q=${long}`, username],
      [`/admin/why?q=${refused.headers.get('x-request-id')}`, username],
      [`/admin/audit?target=${long}`, username],
      ['/admin/posts', title],
      [`/admin/posts?post=${post.id}`, name],
      ['/admin/mail', 'Mail'],
      ['/admin/webhooks', title],
    ] as const) {
      await hand.open(address)
      await page.getByText(words, { exact: false }).first().waitFor({ state: 'attached' })
      await hand.assertFits(address)
      assert.equal(await page.locator('main img, main script').count(), 0, address)
    }

    // What will be done says the name too, and a field takes no more than the API.
    await hand.open(`/admin/accounts/${long}`)
    await page.getByRole('button', { name: 'Delete the account and its user' }).click()
    await page.getByRole('dialog').getByText(username).first().waitFor()
    await hand.assertFits('the question before a deletion')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('W'.repeat(200))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByText('W'.repeat(100), { exact: true }).first().waitFor()
    await hand.assertFits('a name as long as the API takes')
    await hand.close()
  })

  test('every view says what is wrong when the API does not answer, and goes on after it', async () => {
    const hand = await world.window()
    const { page } = hand
    const faults = [
      [
        /too many requests.*7 seconds/,
        (route: Route) => refuse(route, 429, { 'retry-after': '7' }),
      ],
      [/not available now/, (route: Route) => refuse(route, 503)],
      [/does not answer/, (route: Route) => route.abort()],
      [/The service failed/, (route: Route) => refuse(route, 502)],
    ] as const
    const areas =
      'accounts users invitations throttle audit posts mail keys webhooks clients settings'
    for (const [index, area] of `${areas} backups doctor`.split(' ').entries()) {
      const [words, fault] = faults[index % faults.length] ?? assert.fail()
      await page.route(isData, fault)
      await hand.open(`/admin/${area}`)
      const alert = page.getByRole('alert').filter({ hasText: words })
      await alert.first().waitFor()
      await page.unroute(isData)
      // Each part that was not read has a button; a part may show its alert later than others.
      const tryAgain = page.getByRole('button', { name: 'Try again' })
      const alerts = page.getByRole('alert').filter({ has: tryAgain })
      for (let round = 0; round < 5 && (await alerts.count()) > 0; round += 1) {
        await alerts.getByRole('button').evaluateAll((buttons) => {
          for (const button of buttons) button.dispatchEvent(new Event('click', { bubbles: true }))
        })
        await hand.settled()
      }
      assert.deepEqual(await alerts.allInnerTexts(), [], area)
    }
    await hand.close()
  })

  test('a slow API: an old answer does not replace a newer one, and a button acts once', async () => {
    await world.account('slow')
    const hand = await world.window()
    const { page } = hand
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await hand.open('/admin/accounts')
    await page.route(/accounts\?.*search=adm/, async (route) => {
      await held
      await route.continue().catch(() => {}) // the page has given it up
    })
    const search = page.getByLabel('Search', { exact: true })
    const asked = page.waitForRequest(/accounts\?.*search=adm/)
    await search.fill('adm')
    await asked
    await page.locator('main [aria-busy="true"]').first().waitFor()
    await search.fill('slow')
    await page.getByText('one account', { exact: true }).waitFor()
    release()
    await hand.settled()
    await page.getByRole('link', { name: 'slow', exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'admin', exact: true }).count(), 0)

    await hand.open('/admin/accounts/slow')
    let sent = 0
    const { promise: locking, resolve: goOn } = Promise.withResolvers<void>()
    await page.route('**/api/admin/accounts/slow', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      sent += 1
      if (sent === 1) await locking
      return sent === 1 ? route.continue() : route.abort()
    })
    const lock = page.getByRole('button', { name: 'Lock', exact: true })
    await lock.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Lock' }).click()
    await page.locator('button.busy', { hasText: 'Lock' }).waitFor()
    assert.equal(await lock.isDisabled(), true)
    goOn()
    await page.getByText('slow is locked.').waitFor()
    assert.equal(sent, 1)

    // An answer that is lost is said, and the state that is shown is that of the API.
    await page.getByRole('button', { name: 'Unlock', exact: true }).click()
    const question = page.getByRole('dialog').getByRole('button', { name: 'Unlock' })
    const problem = page.locator('.toast.bad', { hasText: 'The service does not answer.' })
    await question.or(problem).first().waitFor()
    if (await question.isVisible()) await question.click()
    await problem.waitFor()
    assert.equal((await world.api('GET', '/api/admin/accounts/slow')).locked, true)
    await page.getByRole('button', { name: 'Unlock', exact: true }).waitFor()
    await hand.close()
  })

  test('two administrators change the same account: each sees what the other did', async () => {
    const second = await world.account('second', ['ADMIN'])
    await world.account('both')
    const one = await world.window()
    const other = await world.window(second)
    await Promise.all([one.open('/admin/accounts/both'), other.open('/admin/accounts/both')])
    const roles = async () => (await world.api('GET', '/api/admin/accounts/both')).roles
    await one.page.getByLabel('EDITOR', { exact: true }).check()
    await other.page.getByLabel('USER', { exact: true }).uncheck()
    await other.page.getByLabel('ADMIN', { exact: true }).check()
    for (const { page } of [one, other]) {
      await page.getByRole('button', { name: 'Save roles' }).click()
      const asked = page.getByRole('dialog')
      await asked.getByRole('button', { name: 'Save roles' }).click()
      if (page === one.page) await page.getByRole('button', { name: 'Undo' }).waitFor()
    }
    assert.deepEqual(await roles(), ['USER', 'EDITOR'])
    const conflict = other.page.getByRole('dialog', { name: 'Two versions' })
    await conflict.getByRole('row', { name: 'Roles USER, EDITOR ADMIN' }).waitFor()
    await conflict.getByRole('button', { name: 'Save yours' }).click()
    await conflict.waitFor({ state: 'detached' })
    await other.page.getByRole('button', { name: 'Undo' }).waitFor()
    assert.deepEqual(await roles(), ['ADMIN'])

    // Undo after the other has changed it again would take back what the other did: it asks.
    await one.page.getByRole('button', { name: 'Undo' }).click()
    await one.page
      .getByRole('dialog', { name: 'Two versions' })
      .or(one.page.locator('.toast.bad'))
      .first()
      .waitFor()
    assert.deepEqual(await roles(), ['ADMIN'])

    await world.api('DELETE', '/api/admin/accounts/both')
    await other.page.getByRole('button', { name: 'Lock', exact: true }).click()
    await other.page.getByRole('dialog').getByRole('button', { name: 'Lock' }).click()
    await other.page
      .getByText(/There is no (such )?account/)
      .first()
      .waitFor()
    await one.close()
    await other.close()
  })

  test('an import whose answer is lost is not called undone', async () => {
    const hand = await world.window()
    const { page } = hand
    const line = (who: string) =>
      JSON.stringify({
        username: who,
        password_hash: '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
        roles: ['USER'],
        name: who,
        email: `${who}@example.org`,
      })
    await hand.open('/admin/imports')
    const buffer = Buffer.from([line('lost1'), line('lost2')].join('\n'))
    const file = { name: 'accounts.ndjson', mimeType: 'application/x-ndjson', buffer }
    await page.getByLabel('File').setInputFiles(file)
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByRole('button', { name: 'Import 2 accounts' }).click()
    await page.route('**/api/admin/import/accounts*', async (route) => {
      await route.fetch() // it is done, and the connection breaks
      await route.abort('connectionreset')
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page.getByText('Whether the import was done is not known').waitFor()
    await page.unroute('**/api/admin/import/accounts*')
    await page.getByRole('button', { name: 'Check it again' }).click()
    await page.getByText('There is already').first().waitFor()
    await hand.close()
  })
})

/** What a view reads of the API, without the session. */
function isData({ pathname }: URL): boolean {
  return /^\/(api\/|users|health)/.test(pathname) && pathname !== '/api/session'
}

function refuse(route: Route, status: number, headers: Record<string, string> = {}): Promise<void> {
  return route.fulfill({ status, headers, json: { error: 'Made up' } })
}
