// A database makes a difference: it is behind every operation that a client calls.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { readDoc } from '../../tools/docs.ts'
import { type Someone, testApp } from '../app.ts'
import { asClient } from '../clients.ts'
import { mailboxes } from '../emails.ts'
import {
  exampleNames,
  exampleSettings,
  requestOf,
  type ShownRoute,
  sendersOf,
  shownRoutes,
  worldOf,
} from '../examples.ts'
import { enrol, fromBase32 } from '../factor.ts'
import { clockOfToday, exampleProvider } from '../identity-provider.ts'
import { type ApiDocument, documentedPath } from '../openapi/operations.ts'
import { begin, comeBack, cookiesOf, logOut } from './provider-sign-in.ts'
import { answered, dataOf, typedClient, typedClientOver } from './typed-client.ts'

const accountPaths = ['/api/account', '/api/user/account'] as const
const linkedBelow = { '/api/account': 'default', '/api/user/account': 'acme' } as const
const userPaths = ['/users', '/api/v1/users', '/api/v2/users'] as const
const newPassword = 'a copper kettle on a winter stove'

suite('a client made from docs/openapi.json calls every operation', async () => {
  const providers = { default: await exampleProvider(), acme: await exampleProvider('acme') }
  const app = await testApp(await exampleSettings(), { clock: clockOfToday() })
  const guest = typedClient(app)
  const admin = typedClient(app, await app.bearer(app.admin))
  let made = 0
  const someone = () => app.account(`someone${++made}`)
  const inSession = async (who: Someone) => typedClient(app, await app.session(who))

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

  const document: ApiDocument = JSON.parse(readDoc('openapi.json'))
  const operationOf = ({ name, method, url }: ShownRoute) =>
    document.paths[documentedPath(url)]?.[method.toLowerCase()] ?? assert.fail(name)
  const world = await worldOf(app)
  const senderOf = await sendersOf(world)
  for (const route of shownRoutes(app).filter(({ key, name }) => key !== name)) {
    test(`${route.name}: its example`, async () => {
      const caller = await senderOf(route)
      const made = (await route.example.make?.(world, caller)) ?? {}
      const { method, path, headers, body } = requestOf(route, made, caller)
      const { parameters = [] } = operationOf(route)
      for (const [name, value] of Object.entries(made.params ?? {})) {
        const { schema } = parameters.find((one) => one.name === name) ?? assert.fail(name)
        const expected = typeof value === 'number' ? ['integer', 1] : ['string', undefined]
        assert.deepEqual([schema?.type, schema?.minimum], expected, name)
      }
      const query = Object.fromEntries(new URL(path, 'http://localhost').searchParams)
      // The compiler finds no type that fits all operations at once.
      const client = typedClient(app) as unknown as { request: AnyRequest }
      const { response, error } = await client.request(
        method.toLowerCase(),
        documentedPath(route.url),
        {
          params: { path: made.params ?? {}, query },
          headers,
          ...(body !== undefined && { body, bodySerializer: (text: string) => text }),
          parseAs: 'text',
        },
      )
      assert.ok([route.success, '303'].includes(String(response.status)), JSON.stringify(error))
    })
  }

  test('no operation of the document is left out', () => {
    const left = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { operationId = '' }]) => exampleNames.includes(operationId)) // others: test/examples.test.ts
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

type AnyRequest = (
  method: string,
  path: string,
  init: object,
) => Promise<{ readonly response: Response; readonly error?: unknown }>
