import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { freePort } from '../../tools/free-port.ts'
import { type Someone, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { clientsFile, entry, hashOf, secretOf } from '../clients.ts'
import { fixedClock } from '../clock.ts'
import { folderOf, listingsOf, textOf } from './listings.ts'

type Claims = Readonly<Record<string, unknown>> & { readonly exp: number; readonly iat: number }

interface Listings {
  authenticate(authorization: string): Promise<Claims>
  introspect(token: string): Promise<Claims | null>
  revoke(token: string): Promise<void>
  may(caller: { roles: readonly string[] }, action: string): boolean
  authenticateSession(request: { method: string; headers: Record<string, string> }): Promise<Claims>
}

/** The listings that ask the service, or say what it does with tokens. */
suite('docs/use-it.md, beside the service', async () => {
  const folder = folderOf(listingsOf('docs/use-it.md'))
  const [, shown = ''] = /^```json\n(.*?)^```$/ms.exec(textOf('docs/use-it.md')) ?? []
  const secret = hashOf(secretOf('shop'))
  const [documented] = JSON.parse(shown.replace('sha256:<64 hex digits>', secret)).clients
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const app = await testApp(
    {
      BASE_URL: url,
      TOKEN_ALGORITHM: 'RS256',
      ROLES: 'SUPPORT,BILLING',
      CLIENTS_FILE: clientsFile([documented, entry('other', { audiences: ['reports'] })]),
    },
    { clock: fixedClock(new Date().toISOString()) }, // the listings have the clock of the machine
  )
  await app.app.server.listen({ host: '127.0.0.1', port })

  const env = { GATEHOUSE_URL: url, CLIENT_ID: 'shop', CLIENT_SECRET: secretOf('shop') }
  Object.assign(process.env, env)
  after(() => {
    for (const name of Object.keys(env)) delete process.env[name]
  })
  const files = ['gatehouse.js', 'introspect.js', 'permissions.js', 'session-api.js']
  const modules = await Promise.all(files.map((file) => import(join(folder, file))))
  const { authenticate, introspect, revoke, may, authenticateSession }: Listings = Object.assign(
    {},
    ...modules,
  )

  const ann = await app.account('ann')
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await app.call('GET', path, { headers })).status

  test('the command adds the client of the document, and says its secret', async () => {
    const [, words = ''] = /^gatehouse (client add .*)$/m.exec(textOf('docs/use-it.md')) ?? []
    const file = join(folder, 'clients.json')
    const added = await gatehouse(folder, words.replace('clients.json', file))
    assert.deepEqual([added.code, added.stderr], [0, ''])
    const [, made = ''] = /secret {2}(\S+)/.exec(added.stdout) ?? []
    const { clients } = JSON.parse(readFileSync(file, 'utf8'))
    assert.deepEqual(clients, [{ ...documented, secret_hash: hashOf(made) }])
  })

  test('introspection tells what a token says while it counts, and nothing of others', async () => {
    const { access_token, refresh_token } = await app.pair(ann)
    const claims = await introspect(access_token)
    assert.deepEqual(
      [claims?.sub, claims?.username, claims?.roles, claims?.aud],
      [String(ann.userId), 'ann', ['USER'], 'api'],
    )
    assert.equal(await introspect(refresh_token), null)
    assert.equal(await introspect('garbage'), null)
    process.env.CLIENT_ID = 'other'
    process.env.CLIENT_SECRET = secretOf('other')
    assert.equal(await introspect(access_token), null, 'a token of another audience')
    process.env.CLIENT_ID = 'shop'
    await assert.rejects(introspect(access_token), /^Error: \/oauth\/introspect: 401 /)
    process.env.CLIENT_SECRET = secretOf('shop')
  })

  test('what a client revokes counts no more, and its pair neither', async () => {
    const { access_token, refresh_token } = await app.pair(ann)
    await revoke(access_token)
    await revoke(access_token) // no error the second time
    assert.equal(await introspect(access_token), null)
    assert.equal(await statusOf('/api/me', bearer(access_token)), 401)
    const refreshed = await app.call('POST', '/refresh', { form: { refresh_token } })
    assert.equal(refreshed.status, 401)
  })

  const everywhere: Record<string, (caller: Someone) => Promise<number>> = {
    'DELETE /api/account/sessions': async (caller) => {
      const answer = await app.call('DELETE', '/api/account/sessions', {
        headers: app.basic(caller),
      })
      return answer.status
    },
    'DELETE /api/admin/accounts/{username}/sessions': async ({ username }) => {
      const path = `/api/admin/accounts/${username}/sessions`
      return (await app.call('DELETE', path, { headers: app.basic(app.admin) })).status
    },
  }
  for (const [name, logOut] of Object.entries(everywhere)) {
    test(`${name}: refused at once, by a verifier at exp and 5 seconds`, async ({ mock }) => {
      const [session, { access_token, refresh_token }] = [
        await app.session(ann),
        await app.pair(ann),
      ]
      assert.ok(await introspect(access_token))
      assert.equal(await logOut(ann), 200)
      assert.equal(await statusOf('/api/session', { cookie: session.cookie }), 401)
      assert.equal(await statusOf('/api/me', bearer(access_token)), 401)
      const refreshed = await app.call('POST', '/refresh', { form: { refresh_token } })
      assert.equal(refreshed.status, 401)
      assert.equal(await introspect(access_token), null)
      assert.equal(await statusOf('/users', app.basic(ann)), 200, 'Basic has no login to end')

      const { authorization } = bearer(access_token)
      const { exp, iat } = await authenticate(authorization)
      assert.equal(exp - iat, 900)
      mock.timers.enable({ apis: ['Date'], now: (exp + 4) * 1000 })
      await authenticate(authorization)
      mock.timers.setTime((exp + 5) * 1000)
      await assert.rejects(authenticate(authorization), { status: 401, message: 'Invalid token' })
    })
  }

  test('roles of ROLES stand in tokens, and the application says what they allow', async () => {
    const sue = await app.account('sue', ['USER'], { roles: ['USER', 'SUPPORT'] })
    const { access_token, refresh_token } = await app.pair(sue)
    const claims = await authenticate(`Bearer ${access_token}`)
    assert.deepEqual(claims.roles, ['USER', 'SUPPORT'])
    const rightsOf = ({ roles }: Readonly<Record<string, unknown>>) =>
      ['orders:read', 'orders:refund', 'invoices:write'].filter((action) =>
        may({ roles: roles as string[] }, action),
      )
    assert.deepEqual(rightsOf(claims), ['orders:read', 'orders:refund'])
    assert.deepEqual(rightsOf({ roles: ['ADMIN', 'USER'] }), [])

    const changed = await app.call('PUT', '/api/admin/accounts/sue', {
      headers: app.basic(app.admin),
      json: { roles: ['USER'] },
    })
    assert.equal(changed.status, 200)
    assert.equal(await statusOf('/api/me', bearer(access_token)), 401)
    const { body } = await app.call('POST', '/refresh', { form: { refresh_token } })
    assert.deepEqual((await authenticate(`Bearer ${body.access_token}`)).roles, ['USER'])
    assert.deepEqual((await authenticate(`Bearer ${access_token}`)).roles, ['USER', 'SUPPORT'])
  })

  test('an API of the same origin asks whose session a cookie is', async () => {
    const { cookie, 'x-csrf-token': csrf } = await app.session(ann)
    const ask = (method: string, headers: Record<string, string>) =>
      authenticateSession({ method, headers })
    const { user_id, username, roles } = await ask('GET', { cookie })
    assert.deepEqual([user_id, username, roles], [String(ann.userId), 'ann', ['USER']])
    assert.equal((await ask('POST', { cookie, 'x-csrf-token': csrf })).username, 'ann')
    for (const headers of [{ cookie }, { cookie, 'x-csrf-token': 'wrong' }]) {
      await assert.rejects(ask('POST', headers), { status: 403, message: 'CSRF token invalid' })
    }
    for (const headers of [{}, { cookie: 'JSESSIONID=wrong' }, app.basic(ann)]) {
      await assert.rejects(ask('GET', headers), { status: 401, message: 'Authentication required' })
    }

    process.env.GATEHOUSE_URL = `http://127.0.0.1:${await freePort()}`
    const away: Listings = await import(`${join(folder, 'session-api.js')}?away`)
    process.env.GATEHOUSE_URL = url
    const asked = away.authenticateSession({ method: 'GET', headers: { cookie } })
    await assert.rejects(asked, { status: 503, message: 'Service unavailable' })
  })
})
