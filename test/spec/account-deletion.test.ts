// A database makes a difference: what waits is found by an index, and a refused mail undoes all.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Someone, testApp } from '../app.ts'
import { refuseChanges } from '../database.ts'
import { deletions, week } from '../deletion.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { visible } from '../logins.ts'
import { mailerOf, servicesOf, verifyAddress } from '../mail.ts'
import { pageBrowser } from '../page-browser.ts'
import { assertRefusal } from '../refusal.ts'
import { relayEnv, startRelay } from '../relay.ts'
import { testBrowser } from '../test-browser.ts'

const next = 'amber violin thicket, 87 of them'
const settings = { MAIL_REQUESTS_PER_CLIENT: '0', LOGIN_IP_ATTEMPTS: '0' }

suite('an account that waits for its deletion', async () => {
  const app = await testApp({ ...settings, EMAIL_SIGN_IN: 'on', SIGN_UP: 'open' })
  const them = await deletions(app)
  const { ask, leave, leaver, logIn, seen, someone } = them
  const admin = app.basic(app.admin)
  const asAdmin = (path: string) => app.call('GET', path, { headers: admin })

  test('is told when it is erased, and shown to administrators so', async () => {
    const who = await someone()
    const answer = await ask(who)
    const deletion_at = new Date(app.clock.now() + week * 1000).toISOString()
    assert.deepEqual(
      [answer.status, answer.body],
      [200, { message: 'Account deletion requested', deletion_at }],
    )
    const account = await seen(who)
    assert.deepEqual([account.deletion_at, account.active], [deletion_at, true])
    const details = await asAdmin(`/api/admin/accounts/${who.username}/details`)
    assert.equal(details.body.account.deletion_at, deletion_at)
    const listed = await asAdmin('/api/admin/accounts?state=deletion_pending')
    assert.deepEqual(
      listed.body.data.map((row: typeof account) => [row.username, row.deletion_at, row.active]),
      [[who.username, deletion_at, true]],
    )
    for (const state of ['active', 'disabled']) {
      const { body } = await asAdmin(`/api/admin/accounts?state=${state}`)
      assert.ok(!body.data.some((row: typeof account) => row.username === who.username), state)
    }
    const page = await asAdmin('/api/admin/accounts?limit=1000')
    const [row] = page.body.data.filter((one: typeof account) => one.username === who.username)
    assert.deepEqual(row, account)
    assert.equal((await asAdmin('/api/admin/statistics')).body.accounts.disabled, 0)
    assert.equal((await asAdmin(`/users/${who.userId}`)).body.name, who.username)
    const requested = app.log.filter(({ event }) => event === 'account_deletion_requested')
    assert.deepEqual(
      requested.map(({ user_id, deletion_at: at }) => [user_id, at]),
      [[who.userId, deletion_at]],
    )
  })

  test('has no login left, of any kind', async () => {
    const who = await someone()
    const session = await app.session(who)
    const bearer = await app.bearer(who)
    const pair = await app.pair(who)
    assert.equal((await app.call('GET', '/api/account', { headers: app.basic(who) })).status, 200)
    await leave(who)
    const gone = 'Authentication required'
    for (const [headers, error] of [
      [session, gone],
      [app.basic(who), gone],
      [bearer, 'Invalid or expired token'],
      [{ authorization: `Bearer ${pair.access_token}` }, 'Invalid or expired token'],
    ] as const) {
      assertRefusal(await app.call('GET', '/api/account', { headers }), 401, error)
    }
    const refresh = { refresh_token: pair.refresh_token }
    const refreshed = await app.call('POST', '/refresh', { json: refresh })
    assertRefusal(refreshed, 401, 'Invalid refresh token')
  })

  test('refuses a login as a wrong password does, to the byte and the statement', async () => {
    const { who } = await leaver()
    const stays = await someone()
    for (const mode of ['token', 'session', 'pair']) {
      const right = await logIn(who, who.password, { mode })
      const wrong = await logIn(stays, 'not the password at all', { mode })
      assert.deepEqual(visible(right), visible(wrong))
      assertRefusal(right, 401, 'Invalid credentials')
    }
    const browser = pageBrowser(app)
    const on = async ({ username, password }: Someone) => {
      await browser.open('/signin')
      const { status, text } = await browser.submit({ username, password })
      return [status, /role="alert".*?<\/div>/s.exec(text)?.[0]]
    }
    const refused = await on(who)
    assert.equal(refused[0], 401)
    assert.deepEqual(refused, await on({ ...stays, password: 'not the password at all' }))
  })

  test('strangers learn nothing, and get nothing mailed that opens it', async () => {
    const { who } = await leaver()
    await them.pass(60)
    const email = `${who.username}@example.org`
    const mails = async () =>
      app.deps.db
        .selectFrom('mails')
        .select(['message', 'state', 'user_id'])
        .where('created_at', '=', app.clock.now())
        .execute()
    const requests = [
      ['/api/public/reset', { email }, { email: 'no-one@example.org' }],
      ['/api/public/sign-in-code', { email }, { email: 'nobody@example.org' }],
    ] as const
    for (const [path, of, none] of requests) {
      const answer = await app.call('POST', path, { json: of })
      const decoy = await app.call('POST', path, { json: none })
      assert.deepEqual([answer.status, Object.keys(answer.body)], [202, Object.keys(decoy.body)])
      assert.deepEqual(new Set((await mails()).map(({ state }) => state)), new Set(['dropped']))
      app.clock.advance(1)
    }
    const begun = await app.call('POST', '/api/public/sign-up', { json: { email } })
    assert.equal(begun.status, 202)
    assert.deepEqual(await mails(), [
      { message: 'sign_up_exists', state: 'waiting', user_id: who.userId },
    ])
    const path = `/api/admin/accounts/${who.username}/reset`
    const reset = await app.call('POST', path, { headers: admin, json: {} })
    assert.equal(reset.status, 409)
  })

  test('keeps its name and its address', async () => {
    const { who } = await leaver()
    const json = { username: who.username, password: next, roles: ['USER'], name: 'x' }
    const made = await app.call('POST', '/api/admin/accounts', {
      headers: admin,
      json: { ...json, email: 'x@example.org' },
    })
    assertRefusal(made, 409, 'Username already exists')
    const other = await someone()
    await assert.rejects(verifyAddress(app, other, `${who.username}@example.org`))
  })

  test('is no administrator any more: the check is made when the deletion is asked for', async () => {
    const second = await someone(['ADMIN'])
    await verifyAddress(app, app.admin, 'admin@example.org')
    const token = await leave(second)
    const before = await app.rows('refusals')
    assertRefusal(await ask(app.admin), 409, 'Last administrator')
    const lock = await app.call('PUT', '/api/admin/accounts/admin', {
      headers: admin,
      json: { roles: ['USER'] },
    })
    assertRefusal(lock, 409, 'Last administrator')
    assert.deepEqual(await app.rows('refusals'), before)
    assert.equal((await them.back(token, next)).status, 200)
    const third = await someone(['ADMIN'])
    await leave(third)
    await them.pass(week)
    await them.erase()
    assert.equal(await seen(third), undefined)
  })

  test('the notice goes out in the same transaction, or nothing happens', async () => {
    const who = await someone()
    const session = await app.session(who)
    const before = await app.rows('refusals', 'throttle_places')
    const allow = await refuseChanges(app, 'insert on mails')
    assert.equal((await ask(who)).status, 500)
    await allow()
    assert.deepEqual(await app.rows('refusals', 'throttle_places'), before)
    assert.equal((await app.call('GET', '/api/account', { headers: session })).status, 200)
  })

  test('a notice that waits for ten minutes shows that mail is not sent: 503, nothing changed', async () => {
    const who = await someone()
    await them.pass(0)
    await leaver()
    app.clock.advance(600)
    const before = await app.rows('refusals', 'throttle_places')
    const refused = await ask(who)
    assertRefusal(refused, 503, 'Service unavailable')
    assert.equal(refused.headers['retry-after'], '600')
    assert.deepEqual(await app.rows('refusals', 'throttle_places'), before)
    await them.pass(0)
    assert.equal((await ask(who)).status, 200)
  })

  test('an address that was refused before gets the notice all the same', async () => {
    const who = await someone()
    await app.deps.db
      .updateTable('accounts')
      .set({ undeliverable_at: 1, undeliverable_reason: '550 no such user' })
      .where('user_id', '=', who.userId)
      .execute()
    assert.equal((await them.back(await leave(who), next)).status, 200)
  })

  test('the owner is told of the return, and the data of the person have both', async () => {
    const { who, token } = await leaver()
    assert.equal((await them.back(token, next)).status, 200)
    const headers = app.basic({ ...who, password: next })
    const { body } = await app.call('GET', '/api/account/notices', { headers })
    assert.deepEqual(body.map(({ type }: { type: string }) => type).sort(), [
      'deletion_cancelled',
      'deletion_requested',
      'password_changed',
    ])
    const exported = await app.call('GET', '/api/account/export', { headers })
    assert.equal(exported.body.data.account.deletion_at, null)
  })
})

suite('deletions that cannot wait', async () => {
  test('ACCOUNT_DELETION_DAYS=0 erases at once, and tells the address', async () => {
    const app = await testApp({ ...settings, ACCOUNT_DELETION_DAYS: '0' })
    const { ask, isUser, someone } = await deletions(app)
    const who = await someone()
    const answer = await ask(who)
    assert.deepEqual([answer.status, answer.body], [200, { message: 'Account deleted' }])
    assert.equal(await isUser(who), false)
    const mail = app.deps.db.selectFrom('mails').selectAll()
    const [row] = await mail.where('message', '=', 'account_deleted').execute()
    assert.deepEqual([row?.state, row?.user_id, row?.confirmation], ['waiting', null, null])
    const services = await servicesOf(app)
    await mailerOf(app, services).run()
    const [sent] = await mail.where('message', '=', 'account_deleted').execute()
    assert.deepEqual([sent?.state, sent?.sealed], ['sent', null])
  })

  test('an account without a verified address goes at once, without a mail', async () => {
    const app = await testApp(settings)
    const { ask, isUser } = await deletions(app)
    const who = await app.account('ann')
    assert.deepEqual((await ask(who)).body, { message: 'Account deleted' })
    assert.equal(await isUser(who), false)
    assert.deepEqual(await app.deps.db.selectFrom('mails').select('id').execute(), [])
  })

  test('a mail server that takes no mail: 503, and nothing changed', async () => {
    const relay = await startRelay({ security: 'none' })
    const app = await testApp({ ...settings, ...relayEnv(relay.port, 'none') })
    const { ask, isUser, leaver, someone } = await deletions(app)
    const who = await someone()
    await relay.stop()
    await leaver()
    await app.app.jobs.find(({ name }) => name === 'mail')?.run()
    const before = await app.rows('refusals', 'throttle_places')
    assertRefusal(await ask(who), 503, 'Service unavailable')
    assert.deepEqual(await app.rows('refusals', 'throttle_places'), before)
    assert.ok(await isUser(who))
  })
})

suite('an account that signs in through a provider alone', async () => {
  const idp = await identityProvider()
  const app = await testApp(
    { ...settings, ...settingsFor(idp, { OIDC_SIGN_UP: 'on' }) },
    { clock: clockOfToday() },
  )
  const them = await deletions(app)

  /** Signs in through the provider; answers the last answer. */
  async function signIn() {
    const browser = testBrowser(app)
    const { headers } = await browser.call('GET', '/oauth/login')
    const url = await browser.until(String(headers.location))
    return browser.call('GET', `${url.pathname}${url.search}`)
  }

  test('is refused there while it waits, and comes back without a password', async () => {
    await them.someone()
    const first = await signIn()
    assert.equal(first.status, 200)
    const { user_id: userId } = await app.deps.db
      .selectFrom('identities')
      .select('user_id')
      .executeTakeFirstOrThrow()
    const { username } = await app.deps.db
      .selectFrom('accounts')
      .select('username')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
    await verifyAddress(app, { userId }, 'provided@example.org')
    const services = await servicesOf(app)
    const account = (await services.accounts.byUserId(userId)) ?? assert.fail('no account')
    await services.accountDeletion.request(account, undefined)
    const token = await them.link({ userId })
    assertRefusal(await signIn(), 400, 'Sign-in failed')
    await app.call('PUT', `/api/admin/accounts/${username}`, {
      headers: app.basic(app.admin),
      json: { locked: true },
    })
    assertRefusal(await signIn(), 400, 'Sign-in failed')
    await app.call('PUT', `/api/admin/accounts/${username}`, {
      headers: app.basic(app.admin),
      json: { locked: false },
    })

    const browser = pageBrowser(app)
    await browser.open(`/reset?token=${token}`)
    assert.equal(browser.heading(), 'Keep your account')
    await browser.submit({ keep: 'yes' }, 'name="keep"')
    assert.equal(browser.heading(), 'Your account is not deleted')
    assert.equal((await signIn()).status, 200)
    assert.equal((await them.seen({ username })).deletion_at, null)
    assertRefusal(await them.back(token, undefined), 400, 'Invalid or expired code')
  })

  test('an account with a password gives one, or does not come back', async () => {
    const { who, token } = await them.leaver()
    const before = await app.rows('refusals')
    const bare = await them.back(token, undefined)
    assert.deepEqual([bare.status, bare.body.error], [400, 'Validation failed'])
    assert.deepEqual(await app.rows('refusals'), before)
    const browser = pageBrowser(app)
    await browser.open(`/reset?token=${token}`)
    const { fields } = browser.form()
    assert.ok(!('keep' in fields))
    await browser.submit({ keep: 'yes' })
    assert.ok((await them.seen(who)).deletion_at)
    await browser.submit({ new_password: next, new_password_again: next })
    assert.equal(browser.heading(), 'Your account is not deleted')
    assert.equal((await them.logIn(who, next)).status, 200)
  })
})
