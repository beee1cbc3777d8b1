// A database makes a difference: a step is taken in a transaction that reads the account again.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database } from '../../src/core/database/database.ts'
import { type Someone, testApp } from '../app.ts'
import { connectTo } from '../database.ts'
import { codeOf, enrolled } from '../factor.ts'
import { holdAtTransaction, holdableDatabase } from '../held-requests.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { servicesOf } from '../mail.ts'
import { formOf, pageVisitor, readPage } from '../page-forms.ts'
import { assertPage } from '../refusal.ts'
import { navigation, testBrowser } from '../test-browser.ts'

type Visitor = ReturnType<typeof pageVisitor>

suite('an account that ends between the proof and the step of a sign-in on pages', async () => {
  const { directory, deps } = await holdableDatabase()
  let after: (() => Promise<unknown>) | undefined
  const begin = deps?.db?.transaction.bind(deps.db) ?? assert.fail('no database')
  Object.assign(deps?.db ?? {}, {
    transaction() {
      const builder = begin()
      const execute = builder.execute.bind(builder)
      builder.execute = async (work) => {
        const done = await execute(work)
        await after?.()
        return done
      }
      return builder
    },
  })
  const app = await testApp(
    { ROLES: 'BILLING', REQUIRE_SECOND_FACTOR: 'BILLING' },
    { ...(directory && { directory }), ...(deps && { deps }) },
  )
  const admin = app.basic(app.admin)
  let made = 0

  const administer = async (method: string, path: string, json?: object) => {
    const url = `/api/admin/accounts/${path}`
    const answer = await app.call(method, url, { headers: admin, ...(json && { json }) })
    assert.equal(answer.status, 200, answer.text)
  }
  const ends: Record<string, (who: Someone) => Promise<unknown>> = {
    locked: ({ username }) => administer('PUT', username, { locked: true }),
    'logged out everywhere': ({ username }) => administer('DELETE', `${username}/sessions`),
  }
  const steps: Record<string, { make: (name: string) => Promise<Someone>; at: number }> = {
    'Second factor': { make: async (name) => (await enrolled(app, name)).who, at: 1 },
    'Choose a new password': {
      async make(name) {
        const who = await app.account(name)
        const passwords = app.deps.db.updateTable('passwords').set({ must_change: 1 })
        await passwords.where('account', '=', who.userId).execute()
        return who
      },
      at: 1,
    },
    // The secret is stored first, and then the step.
    'Set up a second factor': { make: (name) => app.account(name, ['BILLING'] as never), at: 2 },
  }
  const nextName = () => `someone-${++made}`
  const signIn = async () => {
    const visitor = pageVisitor(app)
    await visitor.open('/signin')
    return visitor
  }
  /** Sends the form of the page, and waits before a transaction of the request. */
  const hold = (visitor: Visitor, fields: Record<string, string>, at: number) => {
    const { action, hidden } = formOf(visitor.page())
    const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
    const headers = {
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      cookie,
    }
    const body = new URLSearchParams({ ...hidden, ...fields }).toString()
    return holdAtTransaction(app, { method: 'POST', path: action, headers, body }, at)
  }
  const stored = async () => {
    const { sessions, flows, recovery_codes } = await app.rows()
    return { sessions, flows, recovery_codes }
  }

  for (const [heading, { make, at }] of Object.entries(steps)) {
    for (const [what, end] of Object.entries(ends)) {
      test(`${what} before "${heading}": the right password leads no further`, async () => {
        const who = await make(nextName())
        const shown = await signIn()
        assertPage(await shown.press(who as never), 200, heading)
        const visitor = await signIn()
        const { username, password } = who
        const request = hold(visitor, { username, password }, at)
        await request.held
        await end(who)
        const before = await stored()
        request.goOn()
        const answer = await request.answer
        assertPage(answer, 401, 'Sign in')
        const guessed = await (await signIn()).press({ username, password: 'none of theirs' })
        assert.equal(readPage(answer).problem, readPage(guessed).problem)
        assert.deepEqual(await stored(), before)
      })
    }
  }

  // By another connection, as another node would: those of this one wait for each other.
  const endsElsewhere: Record<string, (db: Database, who: Someone) => { execute(): unknown }> = {
    locked: (db, { userId }) =>
      db.updateTable('accounts').set({ locked: 1 }).where('user_id', '=', userId),
    'logged out everywhere': (db, { userId }) =>
      db
        .updateTable('token_versions')
        .set((eb) => ({ refresh_version: eb('refresh_version', '+', 1) }))
        .where('user_id', '=', userId),
  }
  for (const [what, end] of Object.entries(endsElsewhere)) {
    test(`${what} when its new factor was confirmed: no recovery codes are shown`, async () => {
      const who = await app.account(nextName(), ['BILLING'] as never)
      const visitor = await signIn()
      const page = await visitor.press(who as never)
      assertPage(page, 200, 'Set up a second factor')
      const secret = /<code[^>]*>([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1] ?? ''
      const isConfirmed = async () => {
        const { second_factors = [] } = await app.rows()
        const own = second_factors.find(
          (row) => (row as { user_id: number }).user_id === who.userId,
        )
        return (own as { sealed: string | null } | undefined)?.sealed !== null
      }
      after = async () => {
        if (!(await isConfirmed())) return
        after = undefined
        const { db } = await connectTo({ directory: app.directory })
        await end(db, who).execute()
        await db.destroy()
      }
      const answer = await visitor.press({ totp: codeOf(app, secret.replaceAll(' ', '')) })
      assert.equal(after, undefined)
      assertPage(answer, 400, 'This sign-in cannot be finished')
      const { sessions = [] } = await app.rows()
      assert.ok(!sessions.some((row) => (row as { user_id: number }).user_id === who.userId))
    })
  }
})

suite('an account that ends when its provider has signed it in on pages', async () => {
  const idp = await identityProvider()
  const settings = { ROLES: 'BILLING', REQUIRE_SECOND_FACTOR: 'BILLING' }
  const app = await testApp(settingsFor(idp, settings), {
    clock: clockOfToday(),
    ...(await holdableDatabase()),
  })
  idp.clock = app.clock
  const { accounts, identities } = await servicesOf(app)
  const administer = (method: string, path: string, json?: object) => {
    const headers = app.basic(app.admin)
    return app.call(method, `/api/admin/accounts/${path}`, { headers, ...(json && { json }) })
  }
  const ends: Record<string, [number, (who: Someone) => Promise<unknown>]> = {
    locked: [401, ({ username }) => administer('PUT', username, { locked: true })],
    'logged out everywhere': [401, ({ username }) => administer('DELETE', `${username}/sessions`)],
    'locked out': [
      403,
      ({ userId }) =>
        app.deps.db
          .updateTable('accounts')
          .set({ locked_until: app.clock.now() + 60_000 })
          .where('user_id', '=', userId)
          .execute(),
    ],
  }

  for (const [index, [what, [status, end]]] of Object.entries(Object.entries(ends))) {
    test(`${what}: ${status}, and no secret of a second factor is stored for it`, async () => {
      const who = await app.account(`provided-${index}`, ['BILLING'] as never)
      const account = (await accounts.byUserId(who.userId)) ?? assert.fail('no account')
      await identities.link(account, { issuer: idp.issuer, subject: who.username })
      idp.person = { sub: who.username }
      const browser = testBrowser(app, navigation)
      const begun = await browser.call('GET', '/oauth/login')
      const { pathname, search } = await browser.until(String(begun.headers.location))
      const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
      const headers = { cookie, accept: navigation }
      const call = { method: 'GET', path: pathname + search, headers }
      // Not the first one: an account that is locked out by then may begin, but shows no step.
      const request = holdAtTransaction(app, call, what === 'locked out' ? 2 : 1)
      await request.held
      await end(who)
      const { second_factors, sessions } = await app.rows()
      request.goOn()
      assert.equal((await request.answer).status, status)
      const after = await app.rows()
      assert.deepEqual([after.second_factors, after.sessions], [second_factors, sessions])
    })
  }
})
