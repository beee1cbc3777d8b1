// A database makes a difference: a refresh token that is used twice ends its pair.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  type ClientOptions,
  createClient,
  memoryStore,
  type Store,
} from '../../packages/client/src/index.ts'
import { testApp } from '../app.ts'
import { countOf, ownApi, refusalOf } from './client-tests.ts'

/** A store that several clients share, as `sharedStore` is for tabs. */
function shared(): Store {
  return { ...memoryStore(), lock: `tabs of ${++made}` }
}
let made = 0

suite('the pair of packages/client', async () => {
  const app = await testApp({ REFRESH_ROTATION: 'on', REFRESH_GRACE_SECONDS: '0' })
  const { url } = await app.listen()
  /** A client that is signed in, or several with what they share. */
  async function signedIn(store: Store, more: Partial<ClientOptions> = {}) {
    const who = await app.account(`someone${++made}`, ['USER', 'EDITOR'])
    const tab = () => createClient({ url, mode: 'pair', store, ...more })
    const client = tab()
    await client.signIn({ username: who.username, password: who.password })
    return { client, tab, who }
  }

  const expire = () => app.clock.advance(901)

  test('one refresh for all calls that wait, again at each end', async ({ mock }) => {
    const { client } = await signedIn(memoryStore())
    const sent = mock.method(globalThis, 'fetch')
    for (const refreshes of [1, 2]) {
      expire()
      const calls = Array.from({ length: 5 }, () => client.call('GET', '/api/me'))
      for (const { response } of await Promise.all(calls)) assert.equal(response.status, 200)
      assert.equal(countOf(sent, '/refresh'), refreshes)
    }
  })

  test('one refresh for all tabs that share a store', async ({ mock }) => {
    const store = shared()
    const { client, tab } = await signedIn(store)
    const tabs = [client, tab(), tab()]
    const sent = mock.method(globalThis, 'fetch')
    for (const refreshes of [1, 2]) {
      expire()
      const calls = [...tabs, ...tabs].map((one) => one.call('GET', '/api/me'))
      for (const { response } of await Promise.all(calls)) assert.equal(response.status, 200)
      assert.equal(countOf(sent, '/refresh'), refreshes)
    }
    await client.signOut()
    assert.deepEqual(await Promise.all(tabs.map((one) => one.isSignedIn())), [false, false, false])
    assert.equal(await store.read(), null)
  })

  test('a change is sent once more after a refresh, and done once', async () => {
    const { client } = await signedIn(memoryStore())
    expire()
    const { data } = await client.call('POST', '/api/posts', { body: { title: 'Once' } })
    const posts = await client.call('GET', '/api/posts')
    assert.ok(Array.isArray(posts.data))
    assert.equal(posts.data.filter(({ author_id }) => author_id === data.author_id).length, 1)
  })

  test('a pair that has ended is forgotten, and says so', async ({ mock }) => {
    const store = memoryStore()
    const { client, who } = await signedIn(store)
    const ended = await app.call('DELETE', `/api/admin/accounts/${who.username}/sessions`, {
      headers: app.basic(app.admin),
    })
    assert.equal(ended.status, 200)
    const sent = mock.method(globalThis, 'fetch')
    const refused = [401, 'Invalid refresh token']
    assert.deepEqual(await refusalOf(client.call('GET', '/api/me')), refused)
    assert.deepEqual([await store.read(), await client.isSignedIn()], [null, false])
    assert.equal(countOf(sent, '/refresh'), 1)
    assert.equal((await refusalOf(client.call('GET', '/api/me')))[0], 401)
    assert.equal(countOf(sent, '/refresh'), 1)
  })

  test('a refresh that could not be answered keeps the pair', async ({ mock }) => {
    const store = memoryStore()
    const { client } = await signedIn(store)
    const kept = await store.read()
    expire()
    const { fetch } = globalThis
    const away = mock.method(globalThis, 'fetch', (request: Request) =>
      request.url.endsWith('/refresh') ? Promise.reject(new TypeError('away')) : fetch(request),
    )
    await assert.rejects(client.call('GET', '/api/me'), /away/)
    assert.deepEqual(await store.read(), kept)
    away.mock.restore()
    assert.equal((await client.call('GET', '/api/me')).response.status, 200)
  })

  test('a 401 that is about something else refreshes nothing', async ({ mock }) => {
    const { client } = await signedIn(memoryStore())
    const sent = mock.method(globalThis, 'fetch')
    const body = { current_password: 'a wrong one', new_password: 'a copper kettle in winter' }
    assert.equal((await refusalOf(client.call('PUT', '/api/account/password', { body })))[0], 401)
    assert.equal(sent.mock.callCount(), 1)
  })

  test('a sign-out during a refresh ends the new pair too', async () => {
    const store = shared()
    const { client, tab } = await signedIn(store)
    expire()
    await Promise.allSettled([client.call('GET', '/api/me'), tab().signOut()])
    assert.equal(await store.read(), null)
    assert.equal((await refusalOf(client.call('GET', '/api/me')))[0], 401)
  })

  test('a sign-out ends the pair, also when its access token has ended before', async () => {
    const store = memoryStore()
    const { client } = await signedIn(store)
    const { refresh_token = '' } = (await store.read()) ?? {}
    expire()
    await client.signOut()
    assert.deepEqual([await store.read(), await client.isSignedIn()], [null, false])
    const refreshed = await app.call('POST', '/refresh', { form: { refresh_token } })
    assert.deepEqual([refreshed.status, refreshed.body], [401, { error: 'Invalid refresh token' }])
  })

  test('mode token has nothing to renew', async ({ mock }) => {
    const { client } = await signedIn(memoryStore(), { mode: 'token' })
    app.clock.advance(3601)
    const sent = mock.method(globalThis, 'fetch')
    assert.deepEqual(await refusalOf(client.call('GET', '/api/me')), [401, 'Invalid token'])
    assert.equal(sent.mock.callCount(), 1)
  })

  test('own APIs get the access token, once more after a refresh, and no one else', async () => {
    const api = await ownApi()
    const foreign = await ownApi()
    const store = memoryStore()
    const { client } = await signedIn(store, { apis: [api.url] })
    const before = `Bearer ${(await store.read())?.access_token}`
    api.decide = ({ headers }) => ({ status: headers.authorization === before ? 401 : 200 })
    const answer = await client.fetch(`${api.url}/orders`, { method: 'POST', body: 'an order' })
    const after = `Bearer ${(await store.read())?.access_token}`
    assert.equal(answer.status, 200)
    assert.deepEqual(
      api.requests.map(({ headers }) => headers.authorization),
      [before, after],
    )
    api.decide = () => ({ status: 401 })
    assert.equal((await client.fetch(`${api.url}/orders`)).status, 401)
    assert.equal(api.requests.length, 4, 'no third try')
    for (const address of [foreign.url, `${api.url}.example.org`, 'https://127.0.0.1']) {
      await assert.rejects(client.fetch(address), TypeError)
    }
    assert.deepEqual(foreign.requests, [])
  })
})
