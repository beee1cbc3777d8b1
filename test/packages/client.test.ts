import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  type ClientOptions,
  createClient,
  GatehouseError,
} from '../../packages/client/src/index.ts'
import { type Someone, testApp } from '../app.ts'
import { enrol } from '../factor.ts'
import { countOf, ownApi, refusalOf } from './client-tests.ts'

suite('packages/client', async () => {
  const app = await testApp({ TOKEN_ALGORITHM: 'RS256', REFRESH_ROTATION: 'on' })
  const { url } = await app.listen()
  const clientOf = (mode: ClientOptions['mode'], more: Partial<ClientOptions> = {}) =>
    createClient({ url, mode, ...more })
  let made = 0
  const someone = () => app.account(`someone${++made}`)
  const credentialsOf = ({ username, password }: Someone) => ({ username, password })

  /** What all modes do. */
  for (const mode of ['session', 'token', 'pair'] as const) {
    test(`${mode}: signs in, reads, changes and signs out`, async () => {
      const who = await someone()
      const client = clientOf(mode)
      assert.equal(await client.isSignedIn(), false)
      const refused = [401, 'Authentication required']
      assert.deepEqual(await refusalOf(client.call('GET', '/users')), refused)
      await client.signIn(credentialsOf(who))
      assert.equal(await client.isSignedIn(), true)
      const { data: users } = await client.call('GET', '/api/v2/users', { query: { limit: 1 } })
      assert.ok(!Array.isArray(users))
      assert.equal(users.data.length, 1)
      const path = { id: who.userId }
      const { data, response } = await client.call('GET', '/users/{id}', { path })
      assert.equal(data.name, who.username)
      const headers = { 'if-match': response.headers.get('etag') ?? '' }
      const change = { path, headers, body: { name: 'Another' } }
      const changed = await client.call('PUT', '/users/{id}', change)
      assert.equal(changed.data.name, 'Another')
      assert.equal((await refusalOf(client.call('PUT', '/users/{id}', change)))[0], 412)
      await client.signOut()
      assert.equal(await client.isSignedIn(), false)
      assert.deepEqual(await refusalOf(client.call('GET', '/users')), refused)
    })
  }

  test('a wrong password, and a second factor, are refusals that say what is missing', async () => {
    const who = await someone()
    const wrong = { ...credentialsOf(who), password: 'a wrong one' }
    for (const mode of ['session', 'token', 'pair'] as const) {
      const client = clientOf(mode)
      assert.deepEqual(await refusalOf(client.signIn(wrong)), [401, 'Invalid credentials'])
      assert.equal(await client.isSignedIn(), false)
    }
    const { recoveryCodes } = await enrol(app, await app.session(who))
    const client = clientOf('session')
    const error = await client.signIn(credentialsOf(who)).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof GatehouseError)
    assert.deepEqual([error.status, error.body.second_factor], [401, 'totp'])
    const [recovery_code = ''] = recoveryCodes
    await client.signIn({ ...credentialsOf(who), recovery_code })
    assert.ok(await client.isSignedIn())
  })

  test('session: a CSRF token of another sign-in is read anew, once for all that wait', async ({
    mock,
  }) => {
    const who = await someone()
    const client = clientOf('session')
    await client.signIn(credentialsOf(who))
    // As another tab does, whose cookie the browser sends from then on.
    const body = new URLSearchParams({ ...credentialsOf(who), mode: 'session' })
    assert.equal((await client.fetch('/login', { method: 'POST', body })).status, 200)
    const sent = mock.method(globalThis, 'fetch')
    const transfer = () => client.call('POST', '/api/transfer')
    await Promise.all([transfer(), transfer(), transfer()])
    assert.equal(countOf(sent, '/api/session'), 1)
    const before = sent.mock.callCount()
    await transfer()
    assert.equal(sent.mock.callCount(), before + 1)
  })

  test('session: another refusal is not tried again', async ({ mock }) => {
    const client = clientOf('session')
    await client.signIn(credentialsOf(await someone()))
    const sent = mock.method(globalThis, 'fetch')
    const path = { id: app.admin.userId }
    assert.deepEqual(await refusalOf(client.call('DELETE', '/users/{id}', { path })), [
      403,
      'Access denied',
    ])
    assert.equal(sent.mock.callCount(), 1)
  })

  test('session: the cookie goes to the service alone', async () => {
    const api = await ownApi()
    const client = clientOf('session', { apis: [api.url] })
    await client.signIn(credentialsOf(await someone()))
    await client.fetch(`${api.url}/orders`, { method: 'POST', body: 'x' })
    const [{ headers } = assert.fail()] = api.requests
    assert.equal(headers.cookie, undefined)
    assert.match(String(headers['x-csrf-token']), /^[\w-]{43}$/, 'for an API behind the same proxy')
    api.answer = { status: 200, headers: { 'set-cookie': 'JSESSIONID=forged' } }
    await client.fetch(`${api.url}/orders`)
    assert.ok(await client.isSignedIn())
  })

  test('a value of a path stays in its place', async () => {
    const client = clientOf('pair')
    await client.signIn({ username: app.admin.username, password: app.admin.password })
    for (const username of ['', '.', '..']) {
      const options = { path: { username } }
      const call = client.call('GET', '/api/admin/accounts/{username}', options)
      await assert.rejects(call, TypeError)
    }
    for (const username of ['../accounts', 'a/../../me', 'a?b#c', '%2e%2e']) {
      const options = { path: { username } }
      const call = client.call('GET', '/api/admin/accounts/{username}', options)
      assert.deepEqual(await refusalOf(call), [404, 'Account not found'], username)
    }
    await client.signOut()
  })

  test('a redirect is an answer, and not followed', async () => {
    const api = await ownApi()
    const other = await ownApi()
    api.answer = { status: 302, headers: { location: other.url } }
    const calling = clientOf('token', { apis: [api.url] })
    await calling.signIn(credentialsOf(await someone()))
    assert.equal((await calling.fetch(api.url)).status, 302)
    assert.deepEqual(other.requests, [])
  })

  test('an answer that does not come is an error', async () => {
    const api = await ownApi()
    api.answer = null
    const client = clientOf('token', { apis: [api.url], timeoutMs: 50 })
    await assert.rejects(client.fetch(api.url), { name: 'TimeoutError' })
    const asked = new AbortController()
    const waiting = clientOf('token', { apis: [api.url] }).fetch(api.url, { signal: asked.signal })
    asked.abort()
    await assert.rejects(waiting, { name: 'AbortError' })
  })
})

/** Only the compiler reads this: what the types of docs/openapi.json refuse. */
export async function refusedByTypes(): Promise<void> {
  const client = createClient({ url: 'http://127.0.0.1', mode: 'pair' })
  // @ts-expect-error no such path
  await client.call('GET', '/nothing')
  // @ts-expect-error no such operation of this path
  await client.call('DELETE', '/login')
  // @ts-expect-error the path has a value
  await client.call('GET', '/users/{id}')
  // @ts-expect-error the body is missing
  await client.call('POST', '/api/posts')
  // @ts-expect-error the body has another shape
  await client.call('POST', '/api/posts', { body: { title: 7 } })
  const { data } = await client.call('GET', '/api/posts/{id}', { path: { id: 1 } })
  const title: string = data.title
  // @ts-expect-error the answer has another shape
  const wrong: number = data.title
  assert.notEqual(title, wrong)
  // @ts-expect-error the client knows the mode
  await client.signIn({ username: 'ann', password: 'secret', mode: 'token' })
}
