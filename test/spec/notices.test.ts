// A database makes a difference: a notice, its mail and its cause are one transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import { noticeTypes } from '../../src/extras/mail/message-types.ts'
import { passwordChange } from '../../src/modules/accounts/events.ts'
import { type Answer, type Someone, type TestOptions, testApp } from '../app.ts'
import { refuseChanges } from '../database.ts'
import { mailboxes } from '../emails.ts'
import { eventTypes } from '../events.ts'
import { beginEnrolment, enrol } from '../factor.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { guess, newHost, throttleAlone } from '../logins.ts'
import { servicesOf, verifyAddress } from '../mail.ts'
import { noticeRows, waitingMails } from '../notices.ts'
import { pageBrowser } from '../page-browser.ts'
import { testBrowser } from '../test-browser.ts'

const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 <b>'
const client = { headers: { 'user-agent': agent }, from: '198.51.100.7' }
const device = { browser: 'Firefox', system: 'Linux' }
const other = 'harbour violet 88 anthem'

/** A service with what its owners and its administrator do. */
async function fixture(env: Record<string, string>, options: TestOptions = {}) {
  const app = await testApp({ ...throttleAlone, LOGIN_LOCK_AFTER: '3', ...env }, options)
  const services = await servicesOf(app)
  let count = 0

  async function someone(isVerified = true): Promise<Someone> {
    const who = await app.account(`person${++count}`)
    if (isVerified) await verifyAddress(app, who, `${who.username}@example.org`, 'de')
    return who
  }

  const own = async (
    who: Someone,
    method: string,
    path: string,
    json?: unknown,
  ): Promise<Answer> => {
    const headers = { ...(await app.session(who)), ...client.headers }
    const answer = await app.call(method, `/api/account${path}`, { ...client, headers, json })
    assert.ok(answer.status < 300, answer.text)
    return answer
  }
  const asAdmin = async (method: string, path: string, json?: unknown) => {
    const headers = { ...(await app.bearer(app.admin)), ...client.headers }
    const answer = await app.call(method, `/api/admin${path}`, { ...client, headers, json })
    assert.ok(answer.status < 300, answer.text)
  }
  return { app, services, someone, own, asAdmin }
}

suite('notices', async () => {
  const idp = await identityProvider()
  const { app, services, someone, own, asAdmin } = await fixture(
    { ...settingsFor(idp), APP_PASSWORDS: 'on' },
    {
      clock: clockOfToday(),
    },
  )
  const logIn = (who: Someone, json: object) =>
    app.call('POST', '/login', {
      ...client,
      json: { username: who.username, password: who.password, ...json },
    })
  const factor = async (who: Someone) => {
    const enrolled = await enrol(app, await app.session(who))
    app.clock.advance(30)
    return enrolled
  }
  async function link(who: Someone): Promise<void> {
    const headers = await app.session(who)
    const browser = testBrowser(app)
    browser.cookies.set('JSESSIONID', headers.cookie.split('=')[1] ?? '')
    idp.person = { sub: who.username, preferred_username: 'x', email: 'x@example.org' }
    const begun = await browser.call('POST', '/api/account/identities', {
      headers: { 'x-csrf-token': headers['x-csrf-token'] },
      json: { provider: 'default', current_password: who.password },
    })
    await browser.open(begun.body.url)
  }

  interface Row {
    readonly when: string
    readonly type: string
    /** Prepares it; answers what makes it happen, and the secrets of that. */
    prepare(who: Someone): Promise<() => Promise<unknown>>
    /** What the notice says beside who, when and where. */
    readonly says?: object
    readonly by?: 'administrator' | 'service' | 'owner'
    /** Where it came from, if not from the browser of the tests. */
    readonly origin?: object
  }
  const secrets = new Set<string>([other])
  const unseen = { address: null, device: null }

  const rows: readonly Row[] = [
    {
      when: 'the owner changes the password',
      type: 'password_changed',
      prepare: async (who) => () =>
        own(who, 'PUT', '/password', { current_password: who.password, new_password: other }),
    },
    {
      when: 'an administrator sets the password',
      type: 'password_changed',
      by: 'administrator',
      origin: unseen,
      prepare: async (who) => () =>
        asAdmin('PUT', `/accounts/${who.username}`, { password: other }),
    },
    {
      when: 'a forced new password is set at the login',
      type: 'password_changed',
      async prepare(who) {
        await asAdmin('PUT', `/accounts/${who.username}`, { must_change: true })
        return () => logIn(who, { new_password: other })
      },
    },
    {
      when: 'a second factor is confirmed',
      type: 'factor_added',
      async prepare(who) {
        const headers = { ...(await app.session(who)), ...client.headers }
        const code = await beginEnrolment(app, headers)
        return () =>
          app.call('PUT', '/api/account/totp', { ...client, headers, json: { totp: code() } })
      },
    },
    {
      when: 'the owner makes an app password',
      type: 'app_password_added',
      prepare: async (who) => () =>
        own(who, 'POST', '/keys', { name: 'Calendar', current_password: who.password }),
    },
    {
      when: 'a device is to be remembered',
      type: 'device_remembered',
      async prepare(who) {
        const { code } = await factor(who)
        const browser = pageBrowser(app, { from: client.from, userAgent: agent })
        await browser.open('/signin')
        await browser.submit({ username: who.username, password: who.password })
        return async () => {
          await browser.submit({ totp: code(), remember_device: '1' })
          assert.equal(browser.path(), '/account')
        }
      },
    },
    {
      when: 'the owner removes it',
      type: 'factor_removed',
      async prepare(who) {
        const headers = { ...(await app.session(who)), ...client.headers }
        const { code } = await enrol(app, headers)
        app.clock.advance(30)
        return () =>
          app.call('DELETE', '/api/account/totp', {
            ...client,
            headers,
            json: { totp: code(), current_password: who.password },
          })
      },
    },
    {
      when: 'an administrator removes it',
      type: 'factor_removed',
      by: 'administrator',
      origin: unseen,
      async prepare(who) {
        await factor(who)
        return () => asAdmin('DELETE', `/accounts/${who.username}/second-factor`)
      },
    },
    {
      when: 'recovery codes are replaced',
      type: 'recovery_codes_renewed',
      async prepare(who) {
        const headers = { ...(await app.session(who)), ...client.headers }
        const { code } = await enrol(app, headers)
        app.clock.advance(30)
        return () =>
          app.call('POST', '/api/account/recovery-codes', {
            ...client,
            headers,
            json: { totp: code(), current_password: who.password },
          })
      },
    },
    {
      when: 'a recovery code signs in',
      type: 'recovery_code_used',
      says: { left: 9 },
      async prepare(who) {
        const [recovery_code = ''] = (await factor(who)).recoveryCodes
        secrets.add(recovery_code)
        return () => logIn(who, { recovery_code })
      },
    },
    {
      when: 'an identity of a provider is linked',
      type: 'identity_linked',
      says: { provider: 'default' },
      origin: { address: '127.0.0.1', device: { browser: null, system: null } },
      prepare: async (who) => () => link(who),
    },
    {
      when: 'it is unlinked',
      type: 'identity_unlinked',
      says: { provider: 'default' },
      async prepare(who) {
        await link(who)
        const [identity] = (await own(who, 'GET', '/identities')).body
        const json = { current_password: who.password }
        return () => own(who, 'DELETE', `/identities/${identity.id}`, json)
      },
    },
  ]

  for (const { when, type, prepare, says = {}, by = 'owner', origin } of rows) {
    test(`${when}: one notice ${type}, and one mail`, async () => {
      const who = await someone()
      secrets.add(who.password)
      const happen = await prepare(who)
      await app.deps.db.deleteFrom('notices').execute()
      await app.deps.db.deleteFrom('mails').execute()
      await app.deps.db.deleteFrom('known_devices').execute()
      await happen()
      const listed = await services.notices.of(who.userId)
      const at = listed[0]?.at ?? 0
      const facts = {
        ...{ by, ...says, username: who.username },
        origin: { ...(origin ?? { address: client.from, device }), at },
      }
      const address = `${who.username}@example.org`
      assert.deepEqual(await waitingMails(app, services, who), [
        { message: type, address, language: 'de', facts },
      ])
      const { username: _, origin: seen, ...stored } = facts
      const { at: __, ...where } = seen
      assert.deepEqual(listed, [{ type, at, facts: { ...stored, origin: where } }])
      const told = JSON.stringify([listed, await waitingMails(app, services, who)])
      for (const secret of secrets) assert.ok(!told.includes(secret))
    })
  }
})

test('every notice of an event has a message, and every message an event', async () => {
  const named = (await eventTypes()).flatMap(({ notice }) => notice?.message ?? [])
  assert.deepEqual([...new Set([...named, 'account_event'])].sort(), [...noticeTypes].sort())
})

suite('notices in the course of time', async () => {
  const { app, services, someone, own, asAdmin } = await fixture({})

  test('a lockout is a notice each time, and a mail once a day', async () => {
    const who = await someone()
    const lock = async () => {
      for (let n = 0; n < 3; n += 1) await guess(app, who, newHost())
    }
    await lock()
    const until = app.clock.now() + app.deps.config.login.lock.seconds * 1000
    const [notice] = await services.notices.of(who.userId)
    assert.deepEqual(
      [notice?.type, notice?.facts.by, notice?.facts.until],
      ['locked', 'service', until],
    )
    for (const mails of [1, 1, 2]) {
      assert.equal((await waitingMails(app, services, who)).length, mails)
      app.clock.advance(43_201)
      await lock()
    }
    assert.equal((await noticeRows(app, who)).length, 4)
  })

  test('an account without a verified address has the notice alone, an undeliverable one too', async () => {
    const [plain, bounced] = [await someone(false), await someone()]
    await app.deps.db
      .updateTable('accounts')
      .set({ undeliverable_at: 1 })
      .where('user_id', '=', bounced.userId)
      .execute()
    const before = (await app.deps.db.selectFrom('mails').selectAll().execute()).length
    for (const who of [plain, bounced]) {
      await asAdmin('PUT', `/accounts/${who.username}`, { password: other })
      assert.equal((await noticeRows(app, who)).length, 1)
    }
    assert.equal((await app.deps.db.selectFrom('mails').selectAll().execute()).length, before)
  })

  test('a change of the address is a notice each way, and one mail to the old address', async () => {
    const who = await someone()
    const boxes = await mailboxes(app)
    const types = async () =>
      (await services.notices.of(who.userId)).map(({ type, facts }) => [type, facts.by])
    await boxes.verify(await app.session(who), 'new@example.net')
    assert.deepEqual(await types(), [['email_changed', 'owner']])
    const [mail, ...more] = (await waitingMails(app, services, who)).filter(
      ({ message }) => message === 'email_changed',
    )
    assert.deepEqual([mail?.address, more], [`${who.username}@example.org`, []])
    const [token] = await boxes.waysBack(who)
    assert.equal((await boxes.confirm({ token })).status, 200)
    await asAdmin('DELETE', `/accounts/${who.username}/email`)
    assert.deepEqual(await types(), [
      ['email_changed', 'administrator'],
      ['email_changed', 'owner'],
      ['email_changed', 'owner'],
    ])
  })

  test('the address before is told of what follows too, until it can take the change back no more', async () => {
    const who = await someone()
    const boxes = await mailboxes(app)
    await boxes.verify(await app.session(who), 'thief@example.net')
    await own(who, 'PUT', '/password', { current_password: who.password, new_password: other })
    const told = async () =>
      (await waitingMails(app, services, who))
        .filter(({ message }) => message === 'password_changed')
        .map(({ address }) => address)
        .sort()
    assert.deepEqual(await told(), [`${who.username}@example.org`, 'thief@example.net'].sort())
    const [way] = await boxes.waysBack(who)
    const { reset_token: token } = (await boxes.confirm({ token: way })).body
    const json = { token, new_password: `${other} two` }
    assert.equal((await app.call('POST', '/api/public/reset/complete', { json })).status, 200)
    assert.equal((await told()).length, 3)
  })

  test('the mail of a reset says if an administrator asks for it', async () => {
    const who = await someone()
    await asAdmin('POST', `/accounts/${who.username}/reset`, {})
    const [mail, ...more] = await waitingMails(app, services, who)
    assert.deepEqual(more, [])
    assert.deepEqual([mail?.message, mail?.facts.by], ['reset', 'administrator'])
  })

  test('after a rollback there is neither notice nor mail', async () => {
    const who = await someone()
    const before = await app.rows()
    const payload = { user_id: who.userId, username: who.username, roles: [] as string[] }
    await assert.rejects(
      transact(app.deps.db, [], async (trx) => {
        await app.deps.events.emitInTransaction(trx, passwordChange, {
          ...payload,
          locked: false,
          active: true,
        })
        throw new Error('the change fails')
      }),
      /the change fails/,
    )
    assert.deepEqual(await app.rows(), before)
  })

  test('a change whose mail cannot be stored is not made', async () => {
    const who = await someone()
    const headers = await app.bearer(app.admin)
    const before = await app.rows()
    const allow = await refuseChanges(app, 'insert on mails')
    try {
      const path = `/api/admin/accounts/${who.username}`
      const answer = await app.call('PUT', path, { headers, json: { password: other } })
      assert.equal(answer.status, 500)
    } finally {
      await allow()
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('what is stored names no one: facts are sealed, each for its account', async () => {
    const [who, twin] = [await someone(), await someone()]
    await own(who, 'PUT', '/password', { current_password: who.password, new_password: other })
    const [row] = await noticeRows(app, who)
    assert.ok(row)
    assert.doesNotMatch(JSON.stringify({ ...row, sealed: '' }), /198\.51|Firefox/)
    const { id: _, ...copied } = { ...row, user_id: twin.userId }
    await app.deps.db.insertInto('notices').values(copied).execute()
    await assert.rejects(services.notices.of(twin.userId))
    await app.deps.db.deleteFrom('notices').where('user_id', '=', twin.userId).execute()
  })

  test('a deleted account is told of nothing, and its notices go', async () => {
    const who = await someone()
    await asAdmin('PUT', `/accounts/${who.username}`, { password: other })
    assert.notDeepEqual(await waitingMails(app, services, who), [])
    await asAdmin('DELETE', `/accounts/${who.username}`)
    assert.deepEqual(await noticeRows(app, who), [])
    assert.deepEqual(await waitingMails(app, services, who), [])
  })

  for (const prefix of ['/api/account', '/api/user/account']) {
    test(`GET ${prefix}/notices lists 30 days, the newest first`, async () => {
      const who = await someone(false)
      await asAdmin('PUT', `/accounts/${who.username}`, { password: other })
      const early = app.clock.now()
      app.clock.advance(29 * 86_400)
      const changed = { ...who, password: other }
      await own(changed, 'PUT', '/password', { current_password: other, new_password: `${other}!` })
      const list = async () => {
        const headers = await app.session({ ...who, password: `${other}!` })
        return (await app.call('GET', `${prefix}/notices`, { headers })).body
      }
      const none = { provider: null, codes_left: null, locked_until: null }
      const latest = {
        type: 'password_changed',
        at: new Date(app.clock.now()).toISOString(),
        facts: { by: 'owner', address: client.from, browser: 'Firefox', system: 'Linux', ...none },
      }
      const first = {
        type: 'password_changed',
        at: new Date(early).toISOString(),
        facts: { by: 'administrator', address: null, browser: null, system: null, ...none },
      }
      assert.deepEqual(await list(), [latest, first])
      app.clock.advance(86_400)
      assert.deepEqual(await list(), [latest])
      const purge = app.app.jobs.find(({ name }) => name === 'notices')
      assert.equal((await noticeRows(app, who)).length, 2)
      await purge?.run()
      assert.equal((await noticeRows(app, who)).length, 1)
    })
  }
})
