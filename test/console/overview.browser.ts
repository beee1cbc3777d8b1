import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Route } from 'playwright-core'
import { byItself } from '../copies.ts'
import { until } from '../until.ts'
import { admin, type Person, personOf, startWorld, type World } from './world.ts'

suite('overview, refusals and throttle in the console', async () => {
  const world = await startWorld({ env: () => ({ ...byItself(), LOGIN_LOCK_AFTER: '3' }) })
  const ann = await world.account('ann')
  const ben = await world.account('ben')
  const eva = await world.account('eva')

  test('the overview answers its four questions, and the same as tables', async () => {
    await world.bearer(ann)
    await tryLogin(world, { ...ann, password: 'wrong' })
    await world.api('PUT', '/api/admin/accounts/eva', { locked: true })
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin')
    assert.equal(await hand.heading(), 'Overview')

    // Numbers come first; those of a service that is new have no week before.
    const today = page.getByRole('region', { name: 'Today against last week' })
    await today
      .getByText(/^Today since .+ There are no numbers of last week: counted since/)
      .waitFor()
    const figure = async (name: string) =>
      today
        .locator('dl > div')
        .filter({ has: page.getByText(name, { exact: true }) })
        .innerText()
    assert.match(await figure('Failed logins'), /\n1$/)
    assert.match(await figure('New accounts'), /\n[34]$/)
    await page.getByRole('region', { name: 'First steps' }).waitFor()
    const regions = await page
      .locator('main section[aria-labelledby] > :is(h2, .heading)')
      .allInnerTexts()
    assert.match(regions.join(), /^Today.*Who is getting in.*First steps.*Does it work/s)

    const works = page.getByRole('region', { name: 'Does it work?' })
    await works.getByText(/^Version .+ in one process\.$/).waitFor()
    await works.getByText(/^(SQLite|PostgreSQL), schema \d+\.$/).waitFor()
    await works.locator('summary').click()
    await works.getByRole('row', { name: /^statistics/ }).waitFor()

    const changes = page.getByRole('region', { name: 'What changed?' })
    const lock = changes.getByRole('row', { name: /Roles or lock of an account changed/ }).first()
    assert.match(await lock.innerText(), /admin.*eva/s)

    // The plot is drawn, and its table has the figures of its legend.
    const plot = page.getByRole('figure', { name: 'Logins by result' })
    await plot.locator('canvas').waitFor()
    assert.match(await plot.locator('.plot-legend').innerText(), /refused\s*1/)
    await plot.getByText('As a table').click()
    const column = await columnOf(plot.getByRole('table'), 'refused')
    assert.equal(
      column.reduce((sum, value) => sum + value, 0),
      1,
    )

    // The time is in the address, and a shared address shows it.
    await page.getByLabel('90 days').check()
    await page.waitForURL('**/admin?range=90d')
    await page.reload()
    await hand.settled()
    assert.ok(await page.getByLabel('90 days').isChecked())
    await plot.locator('canvas').waitFor()
    await hand.close()
  })

  test('each number has the number of a week ago, and an empty plot says since when it counts', async () => {
    const hand = await world.window()
    const { page } = hand
    const now = Date.now()
    const times = Array.from(
      { length: 9 * 24 },
      (_, at) => Math.floor(now / hourMs) * 3600 - at * 3600,
    )
    const json = {
      ...{ step_seconds: 3600, from: '', to: '', times },
      since: new Date(now - 30 * 24 * hourMs).toISOString(),
      series: [
        ofHours('logins', { method: 'password', result: 'success' }, () => 2),
        ofHours('logins', { method: 'password', result: 'refused' }, (at) => (at > 24 ? 3 : 0)),
      ],
    }
    function ofHours(name: string, labels: object, value: (hoursAgo: number) => number) {
      return { name, labels, values: times.map((_, at) => value(at)) }
    }
    await page.route('**/api/admin/statistics/series?**', (route) => route.fulfill({ json }))
    await hand.open('/admin')
    const hours = new Date(now).getHours()
    const figures = page.getByRole('region', { name: 'Today against last week' })
    const text = (await figures.innerText()).replaceAll(/\s+/g, ' ')
    const compared = (today: number, before: number) => `until then ${today}, a week ago ${before}`
    if (hours === 0) assert.match(text, /begins with the first full hour/)
    else {
      assert.match(text, /Below each number: until .+, and until .+ a week ago/)
      assert.ok(text.includes(`Failed logins 0 ${compared(0, 3 * hours)}`), text)
      assert.ok(text.includes(`Logins ${2 * hours + 2} ${compared(2 * hours, 2 * hours)}`), text)
    }
    await page
      .getByRole('figure', { name: 'New accounts by way' })
      .getByText(/^None in this time\. Counted since .+/)
      .waitFor()
    await hand.assertSound('overview with two weeks')
    await hand.close()
  })

  test('while the service does not answer, the last answer stays and the page says so', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin')
    const works = page.getByRole('region', { name: 'Does it work?' })
    await works.getByText(/^Version /).waitFor()
    await page.route('**/api/admin/status', (route) => route.abort())
    await page.getByRole('button', { name: 'Refresh' }).click()
    const alarm = page.getByRole('alert').filter({ hasText: 'The service does not answer.' })
    await alarm.waitFor()
    assert.ok(await works.getByText(/^Version /).isVisible())

    await page.unroute('**/api/admin/status')
    await page.route('**/api/admin/status', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '30' },
        json: { error: 'Too many requests' },
      }),
    )
    await alarm.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('There were too many requests. Try again in 30 seconds.').waitFor()
    await page.unroute('**/api/admin/status')
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').waitFor({ state: 'hidden' })
    await hand.close()
  })

  test('what is broken is said first, with the thing and the next step', async () => {
    const hand = await world.window()
    const { page } = hand
    const status = await world.api('GET', '/api/admin/status')
    const trouble = { since: status.at, response: '554 5.7.1 <b>no</b> relay' }
    const labels = { method: 'password', result: 'refused' }
    const json = {
      ...status,
      mail: { ...status.mail, trouble },
      webhooks: null,
      unknown: [{ part: 'webhooks', reason: 'database' }],
      unusual: [{ name: 'logins', labels, count: 240, usual: 11, days: 14 }],
    }
    await page.route('**/api/admin/status', (route) => route.fulfill({ json }))
    await hand.open('/admin')
    const verdict = page.getByRole('status').filter({ hasText: 'broken:' })
    await verdict.getByText('The mail server refuses all mail: 554 5.7.1 <b>no</b> relay').waitFor()
    await verdict.getByRole('link', { name: 'Mail' }).click()
    assert.equal(new URL(page.url()).hash, '#works-mail')
    await page.getByText('The database did not answer.').waitFor()
    await page.getByText('Refused logins by password: 240, at this time usually 11.').waitFor()
    await hand.assertSound('overview with trouble')
    await hand.close()
  })

  test('a request id tells why, and the button that is offered mends it', async () => {
    const id = await tryLogin(world, eva)
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/why')
    await page.getByRole('heading', { name: 'What to ask for' }).waitFor()
    await page.getByLabel('Request id, username, mail address or token').fill(` ${id} `)
    await page.keyboard.press('Enter')
    await page.getByText('An administrator has locked the account.').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('q'), id)
    const here = page.locator('.why-timeline .this')
    assert.match(await here.innerText(), /Login refused.*this request/s)
    assert.match(await page.locator('.why-timeline').innerText(), /Roles or lock .* by you/)
    await hand.assertSound('a refusal')

    // Unlocking is undone, and then done: each time the state is the account's.
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByText('eva is unlocked.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('eva is locked again.').waitFor()
    assert.equal((await world.api('GET', '/api/admin/accounts/eva')).locked, true)
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByRole('button', { name: 'Unlock' }).waitFor({ state: 'hidden' })
    await world.bearer(eva)

    // The address alone shows the same, in a window of its own.
    const again = await world.window()
    await again.open(`/admin/why?q=${id}`)
    await again.page.getByText('An administrator has locked the account.').waitFor()
    await again.close()
    await hand.close()
  })

  test('a username tells whether a login would be refused; a lockout is cleared', async () => {
    for (let count = 0; count < 3; count += 1) await tryLogin(world, { ...ben, password: 'wrong' })
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/throttle')
    const row = page.getByRole('row', { name: /ben.*locked out/s })
    await row.getByRole('link', { name: 'Why?' }).waitFor()
    await hand.assertSound('throttle')
    await row.getByRole('link', { name: 'Why?' }).click()
    await page.getByText('It would be refused now').waitFor()
    await page
      .getByText(/locked out after LOGIN_LOCK_AFTER/)
      .first()
      .waitFor()
    await page.getByText(/Ask the person whether these attempts were their own/).waitFor()
    assert.equal(await tryLogin(world, ben).then((id) => id === null), false)
    await page.getByRole('button', { name: 'Clear the throttle' }).click()
    await page.getByText('The failed attempts of ben are forgotten.').waitFor()
    await page.getByText('Nothing refuses it now').waitFor()
    await world.bearer(ben)

    // From the list it wants a confirmation, which says what it does.
    await tryLogin(world, { ...ben, password: 'wrong' })
    await hand.open('/admin/throttle')
    await page.getByRole('row', { name: /ben/ }).first().getByRole('button').click()
    const dialog = page.getByRole('dialog', { name: 'Forget the failed attempts of ben?' })
    await dialog.getByText('An automatic lockout ends.', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const { accounts } = await world.api('GET', '/api/admin/throttle')
    assert.deepEqual(accounts.data.map(({ username }: Person) => username).includes('ben'), true)
    await hand.close()
  })

  test('an address that wrong passwords have closed is opened from both views', async () => {
    const close = async () => {
      for (let count = 0; count < 20; count += 1) {
        await tryLogin(world, { ...ann, username: `nobody${count}`, password: 'wrong' })
      }
      return tryLogin(world, ann)
    }
    const hand = await world.window() // signs in, which a closed address refuses
    const { page } = hand
    const id = await close()
    await hand.open(`/admin/why?q=${id}`)
    await page.getByRole('button', { name: 'Clear the address' }).click()
    await page.getByText('The failed attempts from 127.0.0.1 are forgotten.').waitFor()
    await world.bearer(ann)

    await close()
    await hand.open('/admin/throttle')
    const row = page.getByRole('row', { name: /All logins from one address/ })
    await row.getByRole('button', { name: 'Clear' }).click()
    const dialog = page.getByRole('dialog', { name: 'Forget the failed attempts of 127.0.0.1?' })
    await dialog.getByRole('button', { name: 'Clear the throttle' }).click()
    await page.getByText('The failed attempts of 127.0.0.1 are forgotten.').waitFor()
    await world.bearer(ann)
    await hand.close()
  })

  test('a one-time password is shown once, and a request of an account is judged', async () => {
    const hand = await world.window()
    const { page } = hand
    await hand.open('/admin/why?q=ann')
    await page.getByRole('button', { name: 'Give a one-time password' }).click()
    const dialog = page.getByRole('dialog', { name: 'Give ann a one-time password?' })
    await dialog.getByText('Ends all sessions and all tokens of the account.').waitFor()
    await dialog.getByRole('button', { name: 'Give a one-time password' }).click()
    const shown = page.getByRole('dialog', { name: 'The one-time password' })
    const password = (await shown.locator('pre').innerText()).trim()
    await shown.getByRole('button', { name: 'I have passed it on' }).click()
    await page.getByText(/asks for one more step \(account_must_change_password\)/).waitFor()
    await page.locator('.why-timeline').getByText('Password changed · by you').waitFor()
    const answer = await login(world, { username: 'ann', password })
    assert.match(await answer.text(), /Password change required/)

    await hand.open('/admin/why?q=eva&route=GET+/api/admin/accounts')
    await page
      .getByText('The caller has none of the roles that the rule asks for.')
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'Change the roles' }).waitFor()
    await hand.open('/admin/why?q=eva&route=nonsense')
    await page.getByText('Write the request as a method and a path').waitFor()
    await hand.close()
  })

  test('a token is explained without standing in the address; what is unknown is said', async () => {
    const { authorization = '' } = await world.bearer(ben)
    const token = authorization.replace('Bearer ', '')
    const hand = await world.window()
    const { page } = hand
    const box = page.getByLabel('Request id, username, mail address or token')
    await hand.open('/admin/why')
    await box.fill(token)
    await box.press('Enter')
    await page.getByText('The token would be accepted.').waitFor()
    assert.equal(new URL(page.url()).search, '')
    await page.getByText('A token is not put into the address of this page.').waitFor()

    const markup = `<img src=x onerror="document.title='owned'">\u202e${'😀'.repeat(40)}`
    await box.fill(markup)
    await box.press('Enter')
    await page.getByText('Nothing is known of this').waitFor()
    assert.equal(await box.inputValue(), markup)
    assert.equal(await page.locator('main img').count(), 0)
    await hand.close()
  })

  test('in German, also what the API says in English', async () => {
    const id = await tryLogin(world, { ...eva, password: 'wrong' })
    const hand = await world.window(admin, { locale: 'de-DE' })
    const { page } = hand
    await hand.open(`/admin/why?q=${id}`)
    await page.getByText('Das Konto gibt es, und das Passwort ist falsch.').waitFor()
    await hand.open('/admin/why?q=ann')
    await page.getByText('Eine Anmeldung dieses Kontos würde zugelassen').waitFor()
    await page.getByText('keine Seite eines anderen Ursprungs').waitFor()
    await hand.open('/admin/doctor')
    await page.getByText(/^Warum es wichtig ist: Außerhalb des Produktivbetriebs/).waitFor()
    await hand.open('/admin')
    assert.equal(await hand.heading(), 'Übersicht')
    await page
      .getByRole('figure', { name: 'Anmeldungen nach Ergebnis' })
      .locator('canvas')
      .waitFor()
    await hand.close()
  })

  test('the first steps tick themselves off', async () => {
    const hand = await world.window()
    const { page } = hand
    await page.route('**/api/admin/doctor', findsNothing)
    await hand.open('/admin')
    const list = page.getByRole('region', { name: 'First steps' })
    await list.getByText(/of 5 done/).waitFor()
    const verdict = page.locator('.verdict')
    await verdict.getByRole('link', { name: 'Mail', exact: true }).waitFor()
    await verdict.getByRole('link', { name: 'A second factor for each administrator' }).waitFor()
    assert.equal(await page.getByText('All is well.').count(), 0)
    const item = (name: string) => list.getByRole('listitem').filter({ hasText: name })
    assert.match(await item('Your own password').innerText(), /to do/)
    assert.match(await item('Mail').innerText(), /to do/)
    await list.getByRole('button', { name: 'Hide the list' }).click()
    await page.getByRole('button', { name: 'Show the first steps' }).click()

    await world.api('POST', '/api/admin/mail/test', { address: 'admin@example.org' })
    await world.mailTo('admin@example.org')
    await world.api('POST', '/api/admin/backups')
    await until(
      async () => (await world.api('GET', '/api/admin/backups')).data[0]?.state === 'done',
    )
    const { password } = personOf('the first administrator')
    const change = { current_password: admin.password, new_password: password }
    await world.api('PUT', '/api/account/password', change)
    await hand.close()

    const after = await world.window({ username: admin.username, password })
    await after.open('/admin')
    const done = after.page.getByRole('region', { name: 'First steps' })
    await done.getByText('3 of 5 done').waitFor()
    for (const name of ['Your own password', 'Mail', 'A backup']) {
      const own = done.getByRole('listitem').filter({ hasText: name })
      assert.match(await own.innerText(), /^done/, name)
    }

    // All is well once the administrator has said that the last step is not needed, and stays so.
    await after.page.route('**/api/admin/doctor', findsNothing)
    await after.page.reload()
    const last = 'A second factor for each administrator'
    const open = after.page
      .getByRole('status')
      .filter({ hasText: 'It works; 1 item needs attention' })
    await open.getByRole('link', { name: last }).waitFor()
    await done.getByRole('button', { name: `Not needed here: ${last}` }).click()
    await after.page.getByText('All is well.').waitFor()
    await after.page.reload()
    await after.page.getByText('All is well.').waitFor()
    await done.getByRole('button', { name: `Needed after all: ${last}` }).click()
    await open.waitFor()

    // The choice is of this administrator alone.
    await done.getByRole('button', { name: `Not needed here: ${last}` }).click()
    await after.page.getByText('All is well.').waitFor()
    const kept = await after.page.evaluate(() => Object.keys(localStorage))
    assert.ok(kept.includes('gatehouse-dismissed-steps:admin'), String(kept))
    await after.close()
  })
})

const hourMs = 3_600_000

/** Answers for doctor, whose findings would be read before all else. */
function findsNothing(route: Route): Promise<void> {
  const none = { errors: 0, warnings: 0, advice: 0, unknown: 0, findings: [] }
  return route.fulfill({ json: { checked_at: '', url: null, checks: 28, ...none } })
}

/** Tries a login; answers the id of the request. */
async function tryLogin(world: World, person: Person): Promise<string> {
  const answer = await login(world, person)
  assert.ok(!answer.ok, await answer.text())
  return answer.headers.get('x-request-id') ?? assert.fail()
}

function login(world: World, { username, password }: Person): Promise<Response> {
  const body = new URLSearchParams({ username, password, mode: 'token' })
  return fetch(`${world.url}/login`, { method: 'POST', body })
}

/** The numbers of a column of a table. */
async function columnOf(
  table: ReturnType<import('playwright-core').Page['getByRole']>,
  name: string,
): Promise<number[]> {
  const head = await table.locator('thead th').allInnerTexts()
  const place = head.indexOf(name)
  assert.ok(place > 0, head.join())
  const cells = await table.locator(`tbody tr > :nth-child(${place + 1})`).allInnerTexts()
  return cells.map((text) => Number(text) || 0)
}
