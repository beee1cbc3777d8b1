// A database makes a difference: a lock ends flows, which are rows, in the transaction that counts the failure.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Someone, testApp } from '../app.ts'
import { enrolled } from '../factor.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { servicesOf } from '../mail.ts'
import { pageVisitor } from '../page-forms.ts'
import { assertPage, assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'

const ended = 'This sign-in cannot be finished'

suite('a sign-in that waits for its second factor, and a lock', async () => {
  const idp = await identityProvider()
  const settings = settingsFor(idp, {
    LOGIN_LOCK_AFTER: '4',
    LOGIN_LOCK_SECONDS: '60',
    LOGIN_IP_ATTEMPTS: '0',
  })
  const app = await testApp(settings, { clock: clockOfToday() })
  const { accounts, identities } = await servicesOf(app)
  const admin = app.basic(app.admin)
  let made = 0

  const someone = () => enrolled(app, `waits${++made}`)
  /** A sign-in on the pages, behind the password. */
  const onPages = async ({ username, password }: Someone) => {
    const visitor = pageVisitor(app)
    await visitor.open('/signin')
    assertPage(await visitor.press({ username, password }), 200, 'Second factor')
    return visitor
  }
  /** Locks by wrong passwords from another address. */
  const lockOut = async ({ username }: Someone) => {
    const json = { username, password: 'none of theirs' }
    for (let count = 1; count <= 4; count += 1) {
      const answer = await app.call('POST', '/login', { json, from: '198.51.100.7' })
      assertRefusal(answer, 401, 'Invalid credentials')
    }
  }
  const unlock = async ({ username }: Someone) => {
    const path = `/api/admin/accounts/${username}`
    const answer = await app.call('PUT', path, { headers: admin, json: { locked: false } })
    assert.equal(answer.status, 200)
  }
  const sessionsOf = ({ userId }: Someone) =>
    app.deps.db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()

  const locks: Record<string, (who: Someone) => Promise<unknown>> = {
    'a lockout that is over': async (who) => {
      await lockOut(who)
      app.clock.advance(61)
    },
    'a lockout that an administrator has lifted': async (who) => {
      await lockOut(who)
      await unlock(who)
    },
    'a lock and an unlock by an administrator': async (who) => {
      const path = `/api/admin/accounts/${who.username}`
      await app.call('PUT', path, { headers: admin, json: { locked: true } })
      await unlock(who)
    },
  }
  for (const [what, lock] of Object.entries(locks)) {
    test(`on the pages it does not continue after ${what}`, async () => {
      const { who, device } = await someone()
      const visitor = await onPages(who)
      await lock(who)
      const before = await sessionsOf(who)
      assertPage(await visitor.press({ totp: device.code() }), 400, ended)
      assert.deepEqual(await sessionsOf(who), before)
      // A new sign-in succeeds, so only the flow has ended.
      const again = await onPages(who)
      const answer = await again.send({ totp: device.code() })
      assert.deepEqual([answer.status, answer.headers.location], [303, '/account'])
    })

    test(`behind a provider it does not continue after ${what}`, async () => {
      const { who, device } = await someone()
      const account = await accounts.byUserId(who.userId)
      assert.ok(account)
      await identities.link(account, { issuer: idp.issuer, subject: who.username })
      idp.person = { sub: who.username, preferred_username: 'x', email: 'x@example.org' }
      const browser = testBrowser(app)
      const page = await browser.open('/oauth/login')
      assert.ok(page.text.includes('action="/oauth/second-factor"'), page.text)
      await lock(who)
      const before = await sessionsOf(who)
      const form = { totp: device.code() }
      const answer = await browser.call('POST', '/oauth/second-factor', { form })
      assertRefusal(answer, 400, 'Sign-in failed')
      assert.deepEqual(await sessionsOf(who), before)
    })
  }

  test('sessions, and sign-ins of other accounts, continue', async () => {
    const [{ who }, other] = [await someone(), await someone()]
    const plain = await app.account(`plain${made}`)
    const session = await app.session(plain)
    const visitor = await onPages(other.who)
    await lockOut(who)
    await lockOut(plain)
    assert.equal((await app.call('GET', '/api/session', { headers: session })).status, 200)
    assert.equal((await visitor.send({ totp: other.device.code() })).status, 303)
  })
})
