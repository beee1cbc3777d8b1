// A database makes a difference: it is behind every operation that a client calls.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { readDoc } from '../../tools/docs.ts'
import { type Someone, testApp } from '../app.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { confirmationsOf } from '../confirmations.ts'
import { byItself } from '../copies.ts'
import { mailboxes } from '../emails.ts'
import { enrol, fromBase32 } from '../factor.ts'
import { forwardFile } from '../forward-file.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { verifyAddress } from '../mail.ts'
import type { ApiDocument } from '../openapi/operations.ts'
import { mailboxOf, profileOf } from '../registration.ts'
import { ndjson, someHash } from '../transfer.ts'
import { unheard } from '../webhooks.ts'
import { begin, comeBack, cookiesOf, logOut } from './provider-sign-in.ts'
import { answered, dataOf, typedClient, typedClientOver } from './typed-client.ts'

const accountPaths = ['/api/account', '/api/user/account'] as const
const linkedBelow = { '/api/account': 'default', '/api/user/account': 'acme' } as const
const userPaths = ['/users', '/api/v1/users', '/api/v2/users'] as const
const newPassword = 'a copper kettle on a winter stove'

suite('a client made from docs/openapi.json calls every operation', async () => {
  const providers = { default: await identityProvider(), acme: await identityProvider() }
  const acme = Object.entries(settingsFor(providers.acme))
  const app = await testApp(
    {
      ...settingsFor(providers.default),
      ...Object.fromEntries(acme.map(([name, value]) => [name.replace('_', '_ACME_'), value])),
      OIDC_PROVIDERS: 'acme',
      LOGIN_CAPTCHA_AFTER: '1000',
      CLIENTS_FILE: clientsFile([entry('shop')]),
      ...byItself,
      SIGN_UP: 'open',
      SIGN_IN_BY_MAIL: 'on',
      MAIL_REQUESTS_PER_CLIENT: '0',
      TRUST_PROXY: '127.0.0.1',
      FORWARD_AUTH_FILE: forwardFile([{ hosts: ['wiki.example.org'], policy: 'bypass' }]),
    },
    { clock: clockOfToday() },
  )
  const mailbox = await mailboxOf(app)
  const confirmations = await confirmationsOf(app)
  const guest = typedClient(app)
  const admin = typedClient(app, await app.bearer(app.admin))
  let made = 0
  const someone = () => app.account(`someone${++made}`)
  const inSession = async (who: Someone) => typedClient(app, await app.session(who))

  test('the service itself', async () => {
    assert.equal(dataOf(await guest.GET('/health/live')).status, 'live')
    assert.equal(dataOf(await guest.GET('/health/ready')).status, 'ready')
    const header = {
      'X-Forwarded-Host': 'wiki.example.org',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Uri': '/',
      'X-Forwarded-Method': 'GET',
    } as const
    const { response } = await guest.GET('/api/authz/forward', { params: { header } })
    assert.deepEqual([response.status, response.headers.get('remote-user')], [200, null])
    const { versions } = dataOf(await guest.GET('/api/public/status'))
    assert.ok(versions.includes('v2'))
    const { parameters, signature } = dataOf(await guest.GET('/api/public/captcha'))
    assert.ok(parameters.cost > 0 && signature.length > 0)
    const { keys } = dataOf(await guest.GET('/.well-known/jwks.json'))
    assert.ok(Array.isArray(keys))
    assert.ok('paths' in dataOf(await guest.GET('/api/openapi.json')))
    const page = dataOf(await guest.GET('/api/docs', { parseAs: 'text' }))
    assert.ok(page.startsWith('<!doctype html>'))
    const home = dataOf(await guest.GET('/'))
    assert.ok(typeof home === 'object' && home.name === 'Gatehouse')
  })

  test('a password that was forgotten, by mail', async () => {
    const { username, userId } = await someone()
    const params = { path: { username } }
    const body = { email: `${username}@example.org` }
    const began = await admin.POST('/api/admin/accounts/{username}/reset', { params, body })
    assert.equal(dataOf(began).message, 'Reset mailed')
    const { id, expires_at } = dataOf(await guest.POST('/api/public/reset', { body: { username } }))
    assert.ok(id.length > 0 && Date.parse(expires_at) > app.clock.now())
    const them = await confirmationsOf(app)
    const begun = await them.begin({ purpose: 'reset', userId, asked: username, version: 1 })
    const { token } = await them.mailed(begun.id)
    const finished = await guest.PUT('/api/public/reset', {
      body: { token, new_password: newPassword },
    })
    assert.equal(dataOf(finished).message, 'Password changed')
  })

  test('a client of CLIENTS_FILE asks for a token and ends it', async () => {
    const { username, password } = await someone()
    const login = await guest.POST('/login', { body: { username, password, mode: 'token' } })
    const given = dataOf(login)
    assert.ok('token' in given)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const client = typedClient(app, { ...asClient('shop'), ...form })
    const body = { token: given.token }
    assert.equal(dataOf(await client.POST('/oauth/introspect', { body })).username, username)
    const revoked = await client.POST('/oauth/revoke', { body, parseAs: 'text' })
    assert.deepEqual([revoked.response.status, revoked.error], [200, undefined])
    assert.deepEqual(dataOf(await client.POST('/oauth/introspect', { body })), { active: false })
  })

  test('a login in each mode, over HTTP, and what it opens', async () => {
    const client = typedClientOver((await app.listen()).url)
    const { username, password, userId } = await someone()
    const body = { username, password }
    const login = await client.POST('/login', { body: { ...body, mode: 'session' } })
    const session = dataOf(login)
    assert.ok('csrf_token' in session)
    const cookie = cookiesOf(login.response)
    const browser = { cookie }
    const now = dataOf(await client.GET('/api/session', { headers: browser }))
    assert.deepEqual([now.user_id, now.roles], [String(userId), ['USER']])
    const { message } = dataOf(await client.GET('/api/protected', { headers: browser }))
    assert.ok(message.includes(username))
    const header = { 'X-CSRF-Token': session.csrf_token }
    const transfer = { headers: { cookie }, params: { header } }
    dataOf(await client.POST('/api/transfer', transfer))
    dataOf(await client.POST('/logout', { headers: browser }))

    const single = dataOf(await client.POST('/login', { body: { ...body, mode: 'token' } }))
    assert.ok('token' in single)
    const seconds: number = single.expires_in
    assert.equal(seconds, 3600)
    const bearer = { authorization: `${single.token_type} ${single.token}` }
    assert.equal(dataOf(await client.GET('/api/me', { headers: bearer })).sub, String(userId))

    const pair = dataOf(await client.POST('/login', { body: { ...body, mode: 'pair' } }))
    assert.ok('refresh_token' in pair)
    const { refresh_token } = pair
    const fresh = dataOf(await client.POST('/refresh', { body: { refresh_token } }))
    assert.deepEqual([fresh.token_type, fresh.expires_in], ['Bearer', 900])
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = await client.POST('/login', { headers, body: { ...body, mode: 'token' } })
    assert.ok('token' in dataOf(form))
  })

  for (const path of userPaths) {
    test(`the users of ${path}`, async () => {
      const body = { name: 'Ann', email: 'ann@example.org' }
      const first = await admin.POST(path, { body, headers: { 'idempotency-key': path } })
      const { id } = dataOf(first)
      const params = { path: { id } }
      const read = await admin.GET(`${path}/{id}`, { params })
      assert.deepEqual(dataOf(read), { id, ...body })
      const seen = { 'If-Match': read.response.headers.get('etag') ?? '' }
      const written = await admin.PUT(`${path}/{id}`, {
        params: { ...params, header: seen },
        body: { name: 'Eve' },
      })
      assert.equal(dataOf(written).name, 'Eve')
      const page = dataOf(await admin.GET(path, { params: { query: { page: 1, limit: 1 } } }))
      assert.ok(!Array.isArray(page))
      assert.equal(page.data[0]?.id, 1)
      if (path !== '/api/v2/users') {
        const all = dataOf(await admin.GET(path))
        assert.ok(Array.isArray(all))
        assert.ok(all.some((user) => user.id === id))
      }
      assert.equal(dataOf(await admin.DELETE(`${path}/{id}`, { params })).id, id)
    })
  }

  test('the posts', async () => {
    const post = dataOf(await admin.POST('/api/posts', { body: { title: 'A post' } }))
    const params = { path: { id: post.id } }
    assert.deepEqual(dataOf(await admin.GET('/api/posts/{id}', { params })), post)
    const body = { body: 'Its text' }
    assert.equal(dataOf(await admin.PUT('/api/posts/{id}', { params, body })).body, 'Its text')
    assert.ok(dataOf(await admin.PUT('/api/admin/posts/{id}/lock', { params })).locked)
    assert.ok(!dataOf(await admin.DELETE('/api/admin/posts/{id}/lock', { params })).locked)
    for (const path of ['/api/posts', '/api/editor/posts'] as const) {
      const all = dataOf(await admin.GET(path))
      assert.ok(Array.isArray(all))
      assert.equal(all.at(-1)?.id, post.id)
    }
    assert.equal(dataOf(await admin.DELETE('/api/posts/{id}', { params })).author_id, 1)
  })

  for (const path of accountPaths) {
    test(`the own account: ${path}`, async () => {
      const who = await someone()
      const own = await inSession(who)
      const { user, second_factor } = dataOf(await own.GET(path))
      assert.deepEqual([user.id, second_factor], [who.userId, false])
      const notices = dataOf(await own.GET(`${path}/notices`))
      assert.ok(notices.every(({ facts }) => facts.by === 'owner'))
      const [session] = dataOf(await own.GET(`${path}/sessions`))
      assert.ok(session?.current)
      await inSession(who)
      dataOf(await own.DELETE(`${path}/sessions`))
      const sessions = dataOf(await own.GET(`${path}/sessions`))
      assert.deepEqual(
        sessions.map(({ id }) => id),
        [session.id],
      )

      const current_password = who.password
      const { secret } = dataOf(await own.POST(`${path}/totp`, { body: { current_password } }))
      const code = () => {
        app.clock.advance(stepSeconds)
        return codeOfStep(fromBase32(secret), Math.floor(app.clock.now() / 1000 / stepSeconds))
      }
      const { recovery_codes } = dataOf(await own.PUT(`${path}/totp`, { body: { totp: code() } }))
      const [recovery_code = ''] = recovery_codes
      const proofs = { current_password, recovery_code }
      const renewed = await own.POST(`${path}/recovery-codes`, { body: proofs })
      assert.equal(dataOf(renewed).recovery_codes.length, 10)
      dataOf(await own.DELETE(`${path}/totp`, { body: { current_password, totp: code() } }))

      const { confirmations } = await mailboxes(app)
      const email = `${who.username}@example.com`
      const wanted = { body: { email, current_password } }
      const { id } = dataOf(await own.PUT(`${path}/email`, wanted))
      dataOf(await own.DELETE(`${path}/email`))
      const asked = dataOf(await own.PUT(`${path}/email`, wanted))
      const { token } = await confirmations.mailed(asked.id)
      assert.ok(id)
      dataOf(await guest.POST('/api/public/verification', { body: { token } }))
      assert.equal(dataOf(await own.GET(`${path}/email`)).email, email)
      dataOf(await own.PUT(`${path}/language`, { body: { language: 'de' } }))
      const named = { path: { username: who.username } }
      const seen = dataOf(
        await admin.GET('/api/admin/accounts/{username}/email', { params: named }),
      )
      assert.equal(seen.email, email)
      dataOf(await admin.DELETE('/api/admin/accounts/{username}/email', { params: named }))

      const change = { current_password: who.password, new_password: newPassword }
      dataOf(await own.PUT(`${path}/password`, { body: change }))
      const params = { path: { id: session.id } }
      dataOf(await own.DELETE(`${path}/sessions/{id}`, { params }))

      const again = await inSession({ ...who, password: newPassword })
      assert.equal(dataOf(await again.GET(`${path}/export`)).user_id, who.userId)
      const last = { username: who.username, current_password: newPassword }
      dataOf(await again.DELETE(path, { body: last }))
    })
  }

  for (const path of accountPaths) {
    test(`the verified address and the language: ${path}`, async () => {
      const who = await someone()
      const own = await inSession(who)
      const email = `${who.username}@example.org`
      const body = { email, current_password: who.password }
      const ask = async () => dataOf(await own.PUT(`${path}/email`, { body })).id
      await ask()
      assert.equal(dataOf(await own.GET(`${path}/email`)).pending?.email, email)
      dataOf(await own.DELETE(`${path}/email`))
      const { token } = await confirmations.mailed(await ask())
      dataOf(await guest.POST('/api/public/verification', { body: { token } }))
      const shown = dataOf(await own.GET(`${path}/email`))
      assert.deepEqual([shown.email, shown.pending, shown.undeliverable], [email, null, false])
      dataOf(await own.PUT(`${path}/language`, { body: { language: 'de' } }))

      const params = { path: { username: who.username } }
      const ofAccount = '/api/admin/accounts/{username}/email'
      assert.equal(dataOf(await admin.GET(ofAccount, { params })).email, email)
      dataOf(await admin.DELETE(ofAccount, { params }))
      assert.equal(dataOf(await own.GET(`${path}/email`)).email, null)
    })
  }

  test('a sign-up', async () => {
    const body = { email: 'signs-up@example.org', language: 'de' } as const
    const { id } = dataOf(await guest.POST('/api/public/sign-up', { body }))
    const { code } = await confirmations.mailed(id)
    const profile = profileOf('signs-up')
    const made = await guest.PUT('/api/public/sign-up', { body: { id, code, ...profile } })
    assert.deepEqual(dataOf(made).roles, ['USER'])
  })

  test('an invitation', async () => {
    const path = '/api/admin/invitations'
    const invite = async (email: string) =>
      dataOf(await admin.POST(path, { body: { email, roles: ['EDITOR'], name: 'Ann' } }))
    const { id, state } = await invite('invited@example.org')
    assert.equal(state, 'pending')
    app.clock.advance(61)
    const params = { path: { id } }
    assert.equal(dataOf(await admin.POST(`${path}/{id}/resend`, { params })).id, id)
    const { token } = await mailbox.newest()
    const body = { token, ...profileOf('invited') }
    assert.deepEqual(dataOf(await guest.POST('/api/public/invitation', { body })).roles, ['EDITOR'])
    const { data, total } = dataOf(await admin.GET(path))
    assert.deepEqual([total, data[0]?.state], [1, 'accepted'])
    const other = { path: { id: (await invite('other@example.org')).id } }
    assert.equal(dataOf(await admin.DELETE(`${path}/{id}`, { params: other })).state, 'revoked')
  })

  test('a forgotten password, and a sign-in by mail', async () => {
    const who = await someone()
    const email = `${who.username}@example.org`
    await verifyAddress(app, who, email)
    const begun = dataOf(await guest.POST('/api/public/sign-in-code', { body: { email } }))
    const { code } = await confirmations.mailed(begun.id)
    const signIn = { id: begun.id, code, mode: 'token' } as const
    const login = dataOf(await guest.PUT('/api/public/sign-in-code', { body: signIn }))
    assert.ok('token' in login)

    const body = { username: who.username }
    const { id } = dataOf(await guest.POST('/api/public/reset', { body }))
    const { token } = await confirmations.mailed(id)
    dataOf(await guest.PUT('/api/public/reset', { body: { token, new_password: newPassword } }))
    const session = await inSession({ ...who, password: newPassword })
    assert.equal(dataOf(await session.GET('/api/account')).username, who.username)

    const params = { path: { username: who.username } }
    const path = '/api/admin/accounts/{username}/reset'
    assert.ok(dataOf(await admin.POST(path, { params })).expires_at > begun.expires_at)
  })

  test('backups by themselves, for an administrator', async () => {
    const path = '/api/admin/backups'
    const { id, state } = dataOf(await admin.POST(path))
    assert.equal(state, 'waiting')
    const { data } = dataOf(await admin.GET(path, { params: { query: { limit: 1 } } }))
    assert.deepEqual(
      data.map((run) => run.id),
      [id],
    )
  })

  test('the mail, for an administrator', async () => {
    const path = '/api/admin/mail'
    const body = { address: 'postmaster@example.org', language: 'en' } as const
    const { id, state } = dataOf(await admin.POST(`${path}/test`, { body }))
    assert.equal(state, 'waiting')
    const params = { path: { id } }
    assert.equal(dataOf(await admin.POST(`${path}/{id}/resend`, { params })).id, id)
    assert.equal(dataOf(await admin.DELETE(`${path}/{id}`, { params })).state, 'cancelled')
    const [first] = dataOf(await admin.GET(`${path}/previews`)).data
    const preview = { path: { id: first?.id ?? '' }, query: { language: 'de' as const } }
    const { html, language } = dataOf(await admin.GET(`${path}/previews/{id}`, { params: preview }))
    assert.deepEqual([language, html.includes('lang="de"')], ['de', true])
    const query = { state: 'cancelled', limit: 1 } as const
    const { data } = dataOf(await admin.GET(path, { params: { query } }))
    assert.deepEqual(
      data.map((mail) => [mail.id, mail.message]),
      [[id, 'test']],
    )
  })

  test('webhooks, for an administrator', async () => {
    const path = '/api/admin/webhooks'
    const body = { url: unheard, events: ['user_*'], description: 'of a test' }
    const made = dataOf(await admin.POST(path, { body }))
    assert.match(made.secret, /^whsec_/)
    const params = { path: { id: made.id } }
    assert.equal(dataOf(await admin.GET(`${path}/{id}`, { params })).url, unheard)
    assert.equal(dataOf(await admin.GET(path)).total, 1)
    const changed = await admin.PUT(`${path}/{id}`, { params, body: { content: 'full' } })
    assert.equal(dataOf(changed).content, 'full')
    const rotated = dataOf(await admin.POST(`${path}/{id}/secret`, { params }))
    assert.notEqual(rotated.secret, made.secret)

    const sent = dataOf(await admin.POST(`${path}/{id}/test`, { params }))
    assert.deepEqual([sent.type, sent.state], ['webhook_test', 'waiting'])
    const query = { state: 'waiting', limit: 1 } as const
    const ofOne = dataOf(
      await admin.GET(`${path}/{id}/deliveries`, { params: { ...params, query } }),
    )
    const ofAll = dataOf(await admin.GET(`${path}/deliveries`, { params: { query } }))
    assert.deepEqual([ofOne.data, ofAll.data], [[sent], [sent]])
    const delivery = { path: { id: sent.id } }
    const shown = dataOf(await admin.GET(`${path}/deliveries/{id}`, { params: delivery }))
    assert.deepEqual(shown, { ...sent, answer: null })
    const again = await admin.POST(`${path}/deliveries/{id}/repeat`, { params: delivery })
    assert.equal(dataOf(again).message, sent.message)
    const many = await admin.POST(`${path}/{id}/repeat`, { params, body: { state: 'failed' } })
    assert.deepEqual(dataOf(many), { repeated: 0, next: null })
    assert.equal(dataOf(await admin.DELETE(`${path}/{id}`, { params })).id, made.id)
  })

  test('the accounts, for an administrator', async () => {
    const { username, password, userId } = await someone()
    const params = { path: { username } }
    const path = '/api/admin/accounts/{username}'
    const account = dataOf(await admin.GET(path, { params }))
    assert.deepEqual([account.user_id, account.roles], [userId, ['USER']])
    const { total } = dataOf(await admin.GET('/api/admin/accounts'))
    assert.ok((total ?? 0) > 1)
    const byFilter = { search: username, sort: '-created_at' } as const
    const found = dataOf(await admin.GET('/api/admin/accounts', { params: { query: byFilter } }))
    assert.deepEqual(
      found.data.map((listed) => listed.user_id),
      [userId],
    )
    const details = dataOf(await admin.GET(`${path}/details`, { params }))
    assert.deepEqual(details.account, account)
    const body = {
      username: `${username}x`,
      password,
      roles: ['EDITOR'],
      name: 'A',
      email: 'a@b.org',
    }
    assert.equal(dataOf(await admin.POST('/api/admin/accounts', { body })).second_factor, false)
    await app.session({ username, password, userId })
    const sessions = dataOf(await admin.GET(`${path}/sessions`, { params }))
    assert.equal(sessions[0]?.current, false)
    dataOf(await admin.DELETE(`${path}/sessions`, { params }))
    dataOf(await admin.DELETE(`${path}/second-factor`, { params }))
    assert.ok(dataOf(await admin.POST(`${path}/password`, { params })).password.length >= 12)
    assert.ok(dataOf(await admin.PUT(path, { params, body: { locked: true } })).locked)
    const throttle = dataOf(await admin.GET('/api/admin/throttle'))
    assert.equal(throttle.counts.total, throttle.counts.data.length)
    dataOf(await admin.DELETE('/api/admin/throttle/{username}', { params }))
    const address = '2001:db8:0:0::/64'
    const cleared = await admin.DELETE('/api/admin/throttle/addresses/{address}', {
      params: { path: { address } },
    })
    assert.deepEqual([dataOf(cleared).address, dataOf(cleared).logins], [address, 0])
    assert.equal(dataOf(await admin.DELETE(path, { params })).user_id, userId)
    const token = await app.token(app.admin)
    dataOf(await admin.POST('/api/admin/tokens/revoke', { body: { token } }))
    const metrics = await admin.GET('/metrics', { parseAs: 'text' })
    assert.match(dataOf(metrics), /^gatehouse_workers 1$/m)
    const refused = await admin.POST('/api/admin/explain', {
      body: { username: 'none', route: '' },
    })
    assert.equal(refused.response.status, 400)
    const id = refused.response.headers.get('x-request-id') ?? ''
    const why = dataOf(await admin.GET('/api/admin/explain/{id}', { params: { path: { id } } }))
    assert.deepEqual([why.code, why.username], ['field_refused', 'admin'])
    const question = { username: 'admin', route: 'DELETE /users/1' }
    const answer = dataOf(await admin.POST('/api/admin/explain', { body: question }))
    assert.deepEqual([answer.passes, answer.route], [true, '/users/:id'])
    const { accounts } = dataOf(await admin.GET('/api/admin/statistics'))
    assert.equal(accounts.by_role.ADMIN, 1)
    const { checks, url } = dataOf(await admin.GET('/api/admin/doctor'))
    assert.deepEqual([checks > 20, url], [true, null])
    const query = { step: 'minute' as const, name: ['logins' as const] }
    const columns = dataOf(await admin.GET('/api/admin/statistics/series', { params: { query } }))
    assert.equal(columns.series[0]?.values.length, columns.times.length)
    const { readiness, unknown } = dataOf(await admin.GET('/api/admin/status'))
    assert.deepEqual([readiness?.ready, unknown], [true, []])
    const settings = dataOf(await admin.GET('/api/admin/settings')).data
    assert.equal(settings.find(({ name }) => name === 'LOGIN_ATTEMPTS')?.value, '5')
  })

  test('the audit log', async () => {
    const query = { type: ['sensitive_read', 'other'], since: '2026-01-01T00:00:00Z', limit: 1 }
    const { data, limit, next } = dataOf(await admin.GET('/api/admin/audit', { params: { query } }))
    assert.ok(data.length <= limit)
    assert.ok(next === null || typeof next === 'string')
    const { newer } = dataOf(
      await admin.GET('/api/admin/audit', { params: { query: { limit: 1 } } }),
    )
    const later = { params: { query: { after: newer, limit: 1 } } }
    assert.equal(dataOf(await admin.GET('/api/admin/audit', later)).next, null)
    const types = dataOf(await admin.GET('/api/admin/audit/types')).data
    assert.equal(types.find(({ type }) => type === 'session_created')?.category, 'session')
    const chosen = { category: 'users' as const, level: 'info' as const }
    const lines = await admin.GET('/api/admin/audit/export', {
      params: { query: chosen },
      parseAs: 'text',
    })
    assert.match(dataOf(lines), /^\{"number":1,.*"type":"user_created"/)
    const asked = dataOf(await admin.POST('/api/admin/audit/verification'))
    const { open, last } = dataOf(await admin.GET('/api/admin/audit/verification'))
    assert.equal((open ?? last)?.id, asked.id)
  })

  test('keys and clients, for an administrator', async () => {
    const body = { purpose: 'refresh', at_once: true } as const
    const { before, kid } = dataOf(await admin.POST('/api/admin/keys/rotate', { body }))
    const { data } = dataOf(await admin.GET('/api/admin/keys'))
    assert.equal(data.find((key) => key.kid === kid)?.purpose, 'refresh')
    app.clock.advance(3)
    const params = { path: { kid: before } }
    assert.equal(
      dataOf(await admin.POST('/api/admin/keys/{kid}/retire', { params })).state,
      'ended',
    )
    const clients = dataOf(await admin.GET('/api/admin/clients'))
    assert.deepEqual([clients.configured, clients.mistakes], [true, []])
  })

  test('accounts, out and in again', async () => {
    assert.deepEqual(dataOf(await admin.GET('/api/admin/imports')).data, [])
    const answer = await admin.GET('/api/admin/export/accounts', { parseAs: 'text' })
    const lines = dataOf(answer).trimEnd().split('\n')
    assert.ok(lines.length >= 1)
    const sent = await admin.POST('/api/admin/import/accounts', {
      params: { query: { dry_run: true } },
      headers: { 'content-type': 'application/x-ndjson' },
      body: {
        username: 'brought',
        password_hash: someHash,
        roles: [],
        name: 'B',
        email: 'b@example.org',
      },
      bodySerializer: (line) => ndjson([line as object]),
    })
    const report = dataOf(sent)
    assert.deepEqual([report.lines, report.errors_total, report.errors], [1, 0, []])
  })

  for (const path of accountPaths) {
    const provider = linkedBelow[path]
    test(`an identity of the provider ${provider}: ${path}`, async () => {
      const who = await someone()
      const { username } = who
      providers[provider].person = { sub: username, email: 'a@example.org' }
      const own = await inSession(who)
      const body = { current_password: who.password }
      const begun = await own.POST(`${path}/identities`, { body: { provider, ...body } })
      await comeBack(app, guest, provider, [dataOf(begun).url, begun.response])
      const [identity] = dataOf(await own.GET(`${path}/identities`))
      assert.ok(identity)
      assert.deepEqual([identity.provider, identity.subject], [provider, username])

      // By the identity that is linked now.
      const landed = await comeBack(app, guest, provider, await begin(guest, provider))
      assert.equal(landed.status, 200)
      const client = typedClient(app, { cookie: cookiesOf(landed) })
      assert.equal(dataOf(await client.GET('/api/session')).username, username)
      const out = await logOut(client, provider)
      assert.equal(out.status, 303)

      const params = { path: { id: identity.id } }
      dataOf(await own.DELETE(`${path}/identities/{id}`, { params, body }))
    })
  }

  for (const provider of ['default', 'acme'] as const) {
    test(`the second factor of a sign-in through ${provider}`, async () => {
      const who = await someone()
      providers[provider].person = { sub: who.username, email: 'a@example.org' }
      const own = await inSession(who)
      const body = { provider, current_password: who.password }
      const linking = await own.POST('/api/account/identities', { body })
      await comeBack(app, guest, provider, [dataOf(linking).url, linking.response])
      const { recoveryCodes } = await enrol(app, await app.session(who))

      const asked = await comeBack(app, guest, provider, await begin(guest, provider))
      assert.deepEqual([asked.status, asked.headers.get('location')], [303, '/oauth/second-factor'])
      const ofAccount = '/api/admin/accounts/{username}/identities'
      const account = { path: { username: who.username } }
      const [identity] = dataOf(await admin.GET(ofAccount, { params: account }))
      assert.equal(identity?.provider, provider)

      const client = typedClient(app, { cookie: cookiesOf(asked) })
      const page = await client.GET('/oauth/second-factor', { parseAs: 'text' })
      assert.ok(dataOf(page).includes('<form'))
      const [recovery_code = ''] = recoveryCodes
      const signedIn = await client.POST('/oauth/second-factor', { body: { recovery_code } })
      const answer = dataOf(signedIn)
      assert.ok(typeof answer === 'object' && answer.csrf_token)

      const params = { path: { ...account.path, id: identity.id } }
      dataOf(await admin.DELETE(`${ofAccount}/{id}`, { params }))
      assert.deepEqual(dataOf(await admin.GET(ofAccount, { params: account })), [])
    })
  }

  test('no operation of the document is left out', () => {
    const document: ApiDocument = JSON.parse(readDoc('openapi.json'))
    const left = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .map(([method, { responses }]) => ({ name: `${method.toUpperCase()} ${path}`, responses }))
        .filter(
          ({ name, responses }) =>
            !successes(responses).some((one) => answered.has(`${name} ${one}`)),
        )
        .map(({ name }) => name),
    )
    assert.deepEqual(left, [])
  })
})

/** The statuses of an operation that are no refusal. */
function successes(responses: object): string[] {
  return Object.keys(responses).filter((status) => /^[23]/.test(status))
}
