// A database makes a difference: a wrong password is counted in a transaction, an app password is not.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { systemRandom } from '../../src/core/crypto/random.ts'
import { maxKeys } from '../../src/modules/api-keys/api-keys.ts'
import { createKeyText } from '../../src/modules/api-keys/key-text.ts'
import { bearerOf, serviceAccount } from '../api-keys.ts'
import { type Someone, type TestApp, testApp } from '../app.ts'
import { enrol } from '../factor.ts'
import { askForward, proxied } from '../forward.ts'
import { forwardFile } from '../forward-file.ts'
import { assertPage, assertRefusal } from '../refusal.ts'

const [cal, wiki, safe] = ['cal.example.org', 'wiki.example.org', 'safe.example.org']
const settings = {
  ...proxied,
  APP_PASSWORDS: 'on',
  LOGIN_ATTEMPTS: '3',
  LOGIN_ADDRESS_ATTEMPTS: '4',
  FORWARD_AUTH_FILE: forwardFile([
    { hosts: [cal], policy: 'one_factor', app_passwords: true },
    { hosts: [wiki], policy: 'one_factor' },
    { hosts: [safe], policy: 'two_factor' },
  ]),
}

async function appPasswordOf(app: TestApp, who: Someone, more: object = {}) {
  const json = { name: 'calendar', current_password: who.password, ...more }
  const { status, body, text } = await app.call('POST', '/api/account/keys', {
    headers: app.basic(who),
    json,
  })
  assert.equal(status, 201, text)
  return { id: body.id, key: body.key, headers: app.basic({ ...who, password: body.key }) }
}

suite('an app password', async () => {
  const app = await testApp(settings)
  const ann = await app.account('ann', ['USER', 'ADMIN'])
  const { key, headers } = await appPasswordOf(app, ann, { scopes: ['users:read'] })

  test('opens the hosts of rules that name it, and the routes of its scopes', async () => {
    const asked = await askForward(app, { host: cal, headers })
    assert.deepEqual([asked.status, asked.headers['remote-user']], [200, 'ann'])
    assert.equal((await app.call('GET', '/users', { headers })).status, 200)
    const shouted = app.basic({ ...ann, username: 'ANN', password: key })
    assert.equal((await app.call('GET', '/users', { headers: shouted })).status, 200)
  })

  test('is refused beside a hundred others', async () => {
    const full = await app.account('full')
    const { id } = await appPasswordOf(app, full)
    const row = await app.deps.db
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const copies = Array.from({ length: maxKeys - 1 }, (_, index) => ({
      ...row,
      ...{ id: `full-${index}`, digest: `full-${index}` },
    }))
    await app.deps.db.insertInto('api_keys').values(copies).execute()
    const { api_keys: before } = await app.rows()
    const json = { name: 'one more', current_password: full.password }
    for (const base of ['/api/account/keys', '/api/user/account/keys']) {
      for (const path of [base, `${base}/${id}/rotate`]) {
        const answer = await app.call('POST', path, { headers: app.basic(full), json })
        assertRefusal(answer, 409, 'Too many keys', path)
      }
    }
    assert.deepEqual((await app.rows()).api_keys, before)
  })

  for (const host of [wiki, safe]) {
    test(`opens nothing at ${host}, whose rule does not name it`, async () => {
      const asked = await askForward(app, { host, headers })
      assertRefusal(asked, 403, 'Access denied')
    })
  }

  for (const [method, path] of [
    ['GET', '/api/account'],
    ['GET', '/api/account/keys'],
    ['DELETE', '/api/account/sessions'],
    ['POST', '/api/account/totp'],
    ['GET', '/api/admin/accounts'],
    ['POST', '/users'],
    ['GET', '/api/posts'],
  ] as const) {
    test(`${method} ${path} is closed to it`, async () => {
      const before = await app.rows()
      const json = method === 'POST' ? { json: {} } : {}
      assertRefusal(await app.call(method, path, { headers, ...json }), 403, 'Access denied')
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('is no bearer token, no password of /login, and no proof', async () => {
    const bearer = await app.call('GET', '/users', { headers: bearerOf(key) })
    assertRefusal(bearer, 401, 'Invalid or expired token')
    const json = { username: 'ann', password: key }
    assertRefusal(await app.call('POST', '/login', { json }), 401, 'Invalid credentials')
    const proof = { name: 'more', current_password: key }
    const own = { headers: await app.session(ann), json: proof }
    assertRefusal(await app.call('POST', '/api/account/keys', own), 401, 'Invalid credentials')
  })

  test('of another account, or a key of a program, is refused', async () => {
    const bob = await app.account('bob')
    const robot = await serviceAccount(app, 'robot', ['users:read'])
    for (const one of [
      { ...bob, password: key },
      { ...robot.who, password: robot.key },
      { ...ann, password: robot.key },
      { ...ann, username: '', password: key },
    ]) {
      const sent = { headers: app.basic(one) }
      assertRefusal(await app.call('GET', '/users', sent), 401, 'Authentication required')
      const asked = await askForward(app, { host: cal, ...sent })
      assert.equal(asked.status, 401)
    }
  })

  test('has no administrative scope', async () => {
    for (const scope of [
      'accounts:read',
      'accounts:*',
      'audit:read',
      'account:read',
      'profile:read',
    ]) {
      const json = { name: 'a', scopes: [scope], current_password: ann.password }
      const call = { headers: app.basic(ann), json }
      const { status, body } = await app.call('POST', '/api/account/keys', call)
      assert.deepEqual([status, body.details[0].path], [400, ['scopes', '0']])
    }
  })

  test('goes on when the password changes, and ends with all logins', async () => {
    const eve = await app.account('eve')
    const { headers: hers } = await appPasswordOf(app, eve)
    const open = async () => (await askForward(app, { host: cal, headers: hers })).status
    assert.equal(await open(), 200)
    const next = { ...eve, password: 'melons nobody sails' }
    const change = { current_password: eve.password, new_password: next.password }
    await app.call('PUT', '/api/account/password', { headers: app.basic(eve), json: change })
    assert.equal(await open(), 200)
    await app.call('DELETE', '/api/account/sessions', { headers: app.basic(next) })
    assert.equal(await open(), 401)
  })

  test('works beside a second factor, and is not one', async () => {
    const fay = await app.account('fay')
    const { headers: hers } = await appPasswordOf(app, fay)
    await enrol(app, await app.session(fay))
    assertRefusal(
      await app.call('GET', '/users', { headers: app.basic(fay) }),
      401,
      'Authentication required',
    )
    assert.equal((await askForward(app, { host: cal, headers: hers })).status, 200)
    assert.equal((await askForward(app, { host: safe, headers: hers })).status, 403)
  })

  test('an administrator sees and revokes it', async () => {
    const gus = await app.account('gus')
    const { headers: his, id } = await appPasswordOf(app, gus)
    assert.equal((await askForward(app, { host: cal, headers: his })).status, 200)
    const path = '/api/admin/accounts/gus/keys'
    const admin = { headers: app.basic(app.admin) }
    assert.equal((await app.call('GET', path, admin)).body[0].id, id)
    assert.equal((await app.call('DELETE', `${path}/${id}`, admin)).status, 200)
    assert.equal((await askForward(app, { host: cal, headers: his })).status, 401)
  })

  test('an unknown one counts for the address, and never for the account', async () => {
    const before = await app.rows()
    const statuses: number[] = []
    for (let sent = 0; sent < 7; sent += 1) {
      const guess = app.basic({ ...ann, password: createKeyText(systemRandom) })
      statuses.push((await app.call('GET', '/users', { headers: guess })).status)
    }
    assert.deepEqual(new Set(statuses), new Set([401, 429]))
    assert.deepEqual(await app.rows(), before)
    assert.equal((await app.call('GET', '/users', { headers: app.basic(ann) })).status, 200)
    assert.equal((await app.call('GET', '/users', { headers })).status, 200)
  })
})

test('where app passwords are off, none is made, and none is accepted', async () => {
  const app = await testApp(settings)
  const { directory } = app
  const ann = await app.account('ann')
  const { headers } = await appPasswordOf(app, ann, { scopes: ['users:read'] })
  const off = await testApp({ ...settings, APP_PASSWORDS: 'off' }, { directory })
  assertRefusal(await off.call('GET', '/users', { headers }), 401, 'Authentication required')
  const own = { headers: off.basic(ann) }
  for (const [method, path, json] of [
    ['GET', '/api/account/keys', undefined],
    ['POST', '/api/account/keys', { name: 'a', current_password: ann.password }],
    ['POST', '/api/account/keys/none/rotate', { current_password: ann.password }],
    ['DELETE', '/api/account/keys/none', undefined],
  ] as const) {
    const before = await off.rows()
    const answer = await off.call(method, path, { ...own, ...(json && { json }) })
    assertRefusal(answer, 404, 'Route not found')
    assert.deepEqual(await off.rows(), before)
  }
})

test('a person makes one on the pages, is asked for a proof, and revokes it', async () => {
  const app = await testApp(settings)
  const ann = await app.account('ann')
  const headers = { ...(await app.session(ann)), accept: 'text/html' }
  const csrf_token = headers['x-csrf-token']
  const path = '/account/app-passwords'
  const send = (to: string, form: Record<string, string>) =>
    app.call('POST', to, { headers, form: { csrf_token, ...form } })
  assertPage(await app.call('GET', path, { headers }), 200, 'App passwords')
  assertPage(await send(`${path}/create`, { name: '' }), 400, 'App passwords')
  const asked = await send(`${path}/create`, { name: 'calendar' })
  const confirm = String(asked.headers.location)
  assert.match(confirm, /^\/account\/confirm\?flow=/)
  for (const [name, value] of Object.entries(asked.cookies)) headers.cookie += `; ${name}=${value}`
  const made = await send(confirm, { current_password: ann.password })
  assertPage(made, 200, 'Your app password')
  const [, key = ''] = /<code id="key">(.*?)<\/code>/.exec(made.text) ?? []
  const own = app.basic({ ...ann, password: key })
  assert.equal((await askForward(app, { host: cal, headers: own })).status, 200)
  const list = await app.call('GET', path, { headers })
  assert.ok(!list.text.includes(key))
  const [, id = ''] = /name="key" value="(.*?)"/.exec(list.text) ?? []
  const revoked = await send(`${path}/revoke`, { key: id })
  assert.match(String(revoked.headers.location), /^\/account\/app-passwords\?done=/)
  assert.equal((await askForward(app, { host: cal, headers: own })).status, 401)
  assertPage(await send(`${path}/revoke`, { key: id }), 404, 'Something went wrong')
})
