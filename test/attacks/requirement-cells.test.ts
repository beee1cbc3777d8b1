// A database makes a difference: a login is judged again in the transaction that completes it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  type Requirement,
  requirementTable,
  type Stage,
  stages,
} from '../../src/modules/authentication/requirement-table.ts'
import { serviceAccount } from '../api-keys.ts'
import { type Answer, type Someone, testApp } from '../app.ts'
import { deletions } from '../deletion.ts'
import { enrol } from '../factor.ts'
import { type HeldCall, holdAtTransaction, holdableDatabase } from '../held-requests.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { servicesOf, verifyAddress } from '../mail.ts'
import { readPage } from '../page-forms.ts'
import { assertionOf, withPasskey } from '../passkeys.ts'
import { navigation, type TestBrowser, testBrowser } from '../test-browser.ts'

const [invalid, absent, denied] = [
  '401 Invalid credentials',
  '401 Authentication required',
  '403 Access denied',
]
const [failed, revoked, refused] = [
  '400 Sign-in failed',
  '401 Invalid refresh token',
  '401 Invalid or expired token',
]
const [asksCode, asksPassword, asksEnrolment] = [
  '401 Second factor required',
  '403 Password change required',
  '403 Second factor enrolment required',
]
const [noFinish, notSignedIn, codePage, passwordPage, enrolmentPage] = [
  '400 This sign-in cannot be finished',
  '403 You were not signed in',
  '200 Second factor',
  '200 Choose a new password',
  '200 Set up a second factor',
]
const stranger = '404 Account not found' // the caller goes on as the person of the provider alone
const enters = 'what it came for'

/** The order of the answers in a line of `answers`. */
const requirements = [
  'no_deletion',
  'of_person',
  'account_usable',
  'not_locked_out',
  'unchanged',
  'same_password',
  'second_factor',
  'password_change',
  'enrolment',
] as const satisfies readonly Requirement[]

/**
 * What each door answers to an account that lacks one requirement. Written by hand, from the contract:
 * `requirementTable` must come to the same, whatever its cells are called.
 */
// biome-ignore format: a table is read by its columns
const answers: Record<Stage, readonly string[]> = {
  //               deletion  service   unusable     locked out   ended    new hash  factor     must change    must enrol
  login:          [invalid,  invalid,  invalid,     invalid,     enters,  enters,   asksCode,  asksPassword,  asksEnrolment],
  basic:          [absent,   absent,   absent,      absent,      enters,  enters,   absent,    absent,        absent],
  provider:       [failed,   failed,   denied,      denied,      enters,  enters,   codePage,  asksPassword,  asksEnrolment],
  providerPage:   [noFinish, noFinish, notSignedIn, notSignedIn, enters,  enters,   codePage,  passwordPage,  enrolmentPage],
  ticket:         [failed,   failed,   failed,      denied,      failed,  failed,   enters,    asksPassword,  enters],
  passkey:        [invalid,  invalid,  invalid,     enters,      enters,  enters,   enters,    enters,        enters],
  commit:         [invalid,  invalid,  invalid,     invalid,     invalid, invalid,  invalid,   invalid,       invalid],
  providerCommit: [failed,   failed,   invalid,     denied,      invalid, invalid,  invalid,   invalid,       invalid],
  passkeyCommit:  [invalid,  invalid,  invalid,     enters,      invalid, invalid,  enters,    enters,        enters],
  change:         [invalid,  invalid,  invalid,     enters,      invalid, invalid,  enters,    enters,        enters],
  return:         [enters,   invalid,  enters,      enters,      invalid, invalid,  enters,    enters,        enters],
  basicCaller:    [absent,   absent,   absent,      enters,      enters,  absent,   absent,    absent,        absent],
  refresh:        [revoked,  revoked,  revoked,     enters,      revoked, revoked,  enters,    enters,        revoked],
  session:        [absent,   enters,   absent,      enters,      enters,  enters,   enters,    enters,        absent],
  external:       [refused,  refused,  refused,     enters,      enters,  enters,   stranger,  stranger,      stranger],
  key:            [refused,  enters,   refused,     enters,      enters,  enters,   enters,    enters,        enters],
}

suite('what an account that lacks one requirement gets at each door', async () => {
  const idp = await identityProvider()
  const app = await testApp(
    settingsFor(idp, {
      ROLES: 'BILLING',
      REQUIRE_SECOND_FACTOR: 'BILLING',
      LOGIN_IP_ATTEMPTS: '0',
      MAIL_REQUESTS_PER_CLIENT: '0',
    }),
    { clock: clockOfToday(), ...(await holdableDatabase()) },
  )
  idp.clock = app.clock
  const { db } = app.deps
  const { accounts, identities } = await servicesOf(app)
  const leaving = await deletions(app)
  let made = 0
  const next = 'amber violin thicket, 87 of them'

  function nextName(): string {
    made += 1
    return `someone-${made}`
  }

  async function someone(): Promise<Someone> {
    const who = await app.account(nextName())
    await verifyAddress(app, who, `${who.username}@example.org`)
    return who
  }

  async function linked(): Promise<Someone> {
    const who = await someone()
    const account = (await accounts.byUserId(who.userId)) ?? assert.fail('no account')
    await identities.link(account, { issuer: idp.issuer, subject: who.username })
    idp.person = { sub: who.username }
    return who
  }

  /**
   * Each takes one requirement from an account, by the database, past the service. A deletion disables
   * the account, and a new hash is that of a password that was set anew, which ends all logins.
   */
  const takes: Record<Requirement, (who: Someone) => Promise<unknown>> = {
    no_deletion: (who) =>
      setAccount(who, { deletion_at: app.clock.now() + 1_000_000, active: 0, active_kept: 1 }),
    of_person: (who) => setAccount(who, { service: 1 }),
    account_usable: (who) => setAccount(who, { active: 0 }),
    not_locked_out: (who) => setAccount(who, { locked_until: app.clock.now() + 1_000_000 }),
    unchanged: raiseVersion,
    async same_password(who) {
      await raiseVersion(who)
      const other = await someone()
      await app.call('PUT', `/api/admin/accounts/${other.username}`, {
        headers: app.basic(app.admin),
        json: { password: who.password },
      })
      const { hash } = await db
        .selectFrom('passwords')
        .select('hash')
        .where('account', '=', other.userId)
        .executeTakeFirstOrThrow()
      await db.updateTable('passwords').set({ hash }).where('account', '=', who.userId).execute()
    },
    second_factor: (who) => setAccount(who, { second_factor: 1 }),
    password_change: ({ userId }) =>
      db.updateTable('passwords').set({ must_change: 1 }).where('account', '=', userId).execute(),
    enrolment: ({ userId }) =>
      db.insertInto('role_assignments').values({ account: userId, role: 'BILLING' }).execute(),
  }

  function setAccount({ userId }: Someone, change: Record<string, number>) {
    return db.updateTable('accounts').set(change).where('user_id', '=', userId).execute()
  }

  function raiseVersion({ userId }: Someone) {
    return db
      .updateTable('token_versions')
      .set((eb) => ({ refresh_version: eb('refresh_version', '+', 1) }))
      .where('user_id', '=', userId)
      .execute()
  }

  type Take = (who: Someone) => Promise<unknown>
  const logIn = ({ username, password }: Someone) => ({
    method: 'POST',
    path: '/login',
    headers: {},
    body: JSON.stringify({ username, password }),
  })
  const callBack = async (browser: TestBrowser) => {
    const begun = await browser.call('GET', '/oauth/login')
    const { pathname, search } = await browser.until(String(begun.headers.location))
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    return { method: 'GET', path: pathname + search, headers: { cookie } }
  }
  async function meanwhile(call: HeldCall, at: number, take: () => Promise<unknown>) {
    const request = holdAtTransaction(app, call, at)
    await request.held
    await take()
    request.goOn()
    return request.answer
  }

  /** Where the account comes: each takes the requirement away at the moment that its stage is about. */
  const doors: Record<Stage, (take: Take) => Promise<Answer>> = {
    async login(take) {
      const who = await someone()
      await take(who)
      return app.call('POST', '/login', { json: who })
    },
    async basic(take) {
      const who = await someone()
      await take(who)
      return app.call('GET', '/api/account', { headers: app.basic(who) })
    },
    async provider(take) {
      const who = await linked()
      await take(who)
      return testBrowser(app).open('/oauth/login')
    },
    async providerPage(take) {
      const who = await linked()
      await take(who)
      return testBrowser(app, navigation).open('/oauth/login')
    },
    async ticket(take) {
      const who = await linked()
      const device = await enrol(app, await app.session(who))
      app.clock.advance(30)
      const browser = testBrowser(app)
      await browser.open('/oauth/login')
      await take(who)
      const form = { totp: device.code() }
      return browser.call('POST', '/oauth/second-factor', { form })
    },
    async passkey(take) {
      const { who, passkey } = await withPasskey(app, nextName())
      const json = { passkey: await assertionOf(app, passkey) }
      await take(who)
      return app.call('POST', '/login', { json })
    },
    async commit(take) {
      const who = await someone()
      return meanwhile(logIn(who), 1, () => take(who))
    },
    async providerCommit(take) {
      const who = await linked()
      const call = await callBack(testBrowser(app))
      return meanwhile(call, 1, () => take(who))
    },
    async passkeyCommit(take) {
      const { who, passkey } = await withPasskey(app, nextName())
      const body = JSON.stringify({ passkey: await assertionOf(app, passkey) })
      const call = { method: 'POST', path: '/login', headers: {}, body }
      return meanwhile(call, 1, () => take(who))
    },
    async change(take) {
      const who = await someone()
      const headers = await app.bearer(who)
      const body = JSON.stringify({ current_password: who.password })
      const call = { method: 'POST', path: '/api/account/totp', headers, body }
      return meanwhile(call, 1, () => take(who))
    },
    async return(take) {
      const who = await someone()
      const token = await leaving.leave(who)
      return meanwhile(resetBy(token), 1, () => take(who))
    },
    async basicCaller(take) {
      const who = await someone()
      const headers = app.basic(who)
      await app.call('GET', '/api/account', { headers })
      const call = {
        method: 'PUT',
        path: '/api/account/language',
        headers,
        body: '{"language":"de"}',
      }
      return meanwhile(call, 1, () => take(who))
    },
    async refresh(take) {
      const who = await someone()
      const { refresh_token } = await app.pair(who)
      await take(who)
      return app.call('POST', '/refresh', { json: { refresh_token } })
    },
    async session(take) {
      const who = await someone()
      const headers = await app.session(who)
      await take(who)
      return app.call('GET', '/api/account', { headers })
    },
    async key(take) {
      const { who, headers } = await serviceAccount(app, `program-${++made}`, ['account:read'])
      await take(who)
      return app.call('GET', '/api/account', { headers })
    },
    async external(take) {
      const who = await linked()
      await take(who)
      const authorization = `Bearer ${idp.signed(idp.claims({ sub: who.username }))}`
      return app.call('GET', '/api/account', { headers: { authorization } })
    },
  }

  const isSignedIn = ({ status, cookies, text }: Answer) =>
    status === 200 && cookies.JSESSIONID !== undefined && text.includes('Signed in')
  const says = (message: string) => (answer: Answer) =>
    answer.status === 200 && answer.body.message === message
  const isLogin = ({ status, body }: Answer) => status === 200 && typeof body.token === 'string'
  const isOwn = ({ status, body }: Answer) => status === 200 && /^someone-\d+$/.test(body.username)
  /** Whether an answer is what an account comes for. */
  const gives: Record<Stage, (answer: Answer) => boolean> = {
    login: isLogin,
    basic: isOwn,
    provider: isSignedIn,
    providerPage: isSignedIn,
    ticket: isSignedIn,
    passkey: isLogin,
    commit: isLogin,
    providerCommit: isSignedIn,
    passkeyCommit: isLogin,
    change: ({ status, body }) => status === 201 && typeof body.secret === 'string',
    return: says('Password changed'),
    basicCaller: says('Language changed'),
    refresh: ({ status, body }) => status === 200 && typeof body.access_token === 'string',
    session: isOwn,
    external: isOwn,
    key: ({ status, body }) => status === 200 && /^program-\d+$/.test(body.username),
  }

  function resetBy(token: string) {
    const body = JSON.stringify({ token, new_password: next })
    return { method: 'POST', path: '/api/public/reset/complete', headers: {}, body }
  }

  /** What a door can give; what else is given stands in the answer. */
  async function given() {
    const [sessions, passwords, factors, languages] = await Promise.all([
      db.selectFrom('sessions').select('id').orderBy('id').execute(),
      db.selectFrom('passwords').select(['account', 'hash']).orderBy('account').execute(),
      db
        .selectFrom('second_factors')
        .select('sealed')
        .where('sealed', 'is not', null)
        .orderBy('user_id')
        .execute(),
      db.selectFrom('accounts').select(['user_id', 'language']).orderBy('user_id').execute(),
    ])
    return { sessions, passwords, factors, languages }
  }

  test('each requirement has an answer at each door', () => {
    assert.deepEqual([...requirements], Object.keys(requirementTable))
    for (const stage of stages) assert.equal(answers[stage].length, requirements.length)
  })

  for (const stage of stages) {
    for (const [index, requirement] of requirements.entries()) {
      const answered = answers[stage][index]
      test(`${stage} without ${requirement}: ${answered}`, async () => {
        let before: object = {}
        const answer = await doors[stage](async (who) => {
          await takes[requirement](who)
          before = await given()
        })
        if (answered === enters) {
          assert.ok(gives[stage](answer), `${answer.status} ${answer.text}`)
          return
        }
        const isPage = typeof answer.body === 'string'
        const { enrolment_token, error, ...more } = isPage ? {} : answer.body
        const shown = isPage ? readPage(answer).heading : error
        assert.equal(`${answer.status} ${shown}`, answered)
        assert.equal(enrolment_token !== undefined, answered === asksEnrolment)
        assert.deepEqual(more, answered === asksCode ? { second_factor: 'totp' } : {})
        assert.equal(answer.cookies.JSESSIONID, undefined)
        assert.deepEqual(await given(), before)
      })
    }
  }
})
