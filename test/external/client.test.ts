import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, suite, test } from 'node:test'
import { ApiError } from '../../src/core/errors.ts'
import { createLog } from '../../src/core/runtime/deps.ts'
import { eventsOf } from '../../src/core/runtime/sinks.ts'
import { createClientTokens } from '../../src/modules/federation/client-tokens.ts'
import { providerFailed } from '../../src/modules/federation/problems.ts'
import { createProvider } from '../../src/modules/federation/provider.ts'
import { loadConfig } from '../config.ts'
import { payloadOf } from '../forge.ts'
import {
  audience,
  clientSecret,
  clockOfToday,
  identityProvider,
  settingsFor,
} from '../identity-provider.ts'

/** Spec 4.4, 5.4: tokens that the service gets for itself, as a client. */
suite('4.4: tokens as a client', async () => {
  const idp = await identityProvider()
  const clock = clockOfToday()

  function clientOf(env: Record<string, string>) {
    const [config] = loadConfig(env).providers
    assert.ok(config)
    const events = eventsOf({ clock, log: createLog('silent') })
    const provider = createProvider(config, { clock, fetch: globalThis.fetch, events })
    return createClientTokens(provider, { clock })
  }
  /** The time of these tests goes on by itself. */
  function assertSoon(at: number | null, seconds: number): void {
    const late = clock.now() + seconds * 1000 - (at ?? 0)
    assert.ok(late >= 0 && late < 30_000, String(late))
  }
  const requests = () => idp.asked.filter((path) => path === '/token').length
  const wanted = { scope: 'api.read api.write', resource: audience }

  test('client credentials with scopes: kept until shortly before they expire, asked for once', async () => {
    const tokens = clientOf(settingsFor(idp))
    const all = await Promise.all([1, 2, 3].map(() => tokens.clientCredentials(wanted)))
    assert.equal(requests(), 1)
    const [first] = all
    assert.ok(first && all.every((token) => token === first))
    assert.equal(payloadOf(first.accessToken).scope, 'api.read api.write')
    assertSoon(first.expiresAt, 600)
    clock.advance(560)
    assert.equal(await tokens.clientCredentials(wanted), first)
    const other = await tokens.clientCredentials({ ...wanted, scope: 'api.read' })
    assert.notEqual(other.accessToken, first.accessToken)
    clock.advance(10)
    assert.notEqual((await tokens.clientCredentials(wanted)).accessToken, first.accessToken)
    assert.equal(requests(), 3)
  })

  test('a failure is told, kept nowhere, and the next try is a new one', async () => {
    const bad = clientOf(settingsFor(idp, { OIDC_CLIENT_SECRET: 'not the secret of the client' }))
    await assert.rejects(bad.clientCredentials(wanted), isRefusal(providerFailed))
    const tokens = clientOf(settingsFor(idp))
    idp.instead.set('/token', (_, response) => response.writeHead(503).end())
    await assert.rejects(tokens.clientCredentials(wanted), isRefusal('serviceUnavailable'))
    idp.instead.clear()
    assert.ok((await tokens.clientCredentials(wanted)).accessToken)
  })

  suite('the password grant', async () => {
    const bodies: string[] = []
    const server = createServer(async (request, response) => {
      bodies.push(await text(request))
      const isRight = new URLSearchParams(bodies.at(-1)).get('password') === 'open sesame, please'
      response.writeHead(isRight ? 200 : 400, { 'content-type': 'application/json' })
      const token = { access_token: 'an-access-token', token_type: 'Bearer', expires_in: 60 }
      response.end(
        JSON.stringify(isRight ? { ...token, refresh_token: 'r' } : { error: 'invalid_grant' }),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    after(() => server.close())
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens
    const env = {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'app',
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_CLIENT_AUTH: 'post',
      OIDC_TOKEN_ENDPOINT: `${issuer}/oauth/token`,
    }

    test('is off unless the settings say so: no provider is asked', async () => {
      await assert.rejects(clientOf(env).password('ann', 'x'), isRefusal('accessDenied'))
      assert.deepEqual(bodies, [])
    })

    test('sends the fields of spec 4.4, and gives the tokens', async () => {
      const tokens = clientOf({ ...env, OIDC_PASSWORD_GRANT: 'on' })
      const token = await tokens.password('ann', 'open sesame, please', { scope: 'api.read' })
      const { expiresAt, ...rest } = token
      assertSoon(expiresAt, 60)
      assert.deepEqual(rest, { accessToken: 'an-access-token', refreshToken: 'r', scope: null })
      assert.deepEqual(Object.fromEntries(new URLSearchParams(bodies.at(-1))), {
        grant_type: 'password',
        username: 'ann',
        password: 'open sesame, please',
        scope: 'api.read',
        client_id: 'app',
        client_secret: clientSecret,
      })
      await assert.rejects(tokens.password('ann', 'wrong'), isRefusal('signInFailed'))
    })
  })

  suite('gatehouse oidc', { concurrency: true }, () => {
    function start(words: readonly string[], more: Record<string, string> = {}) {
      const env = { ...process.env, ...settingsFor(idp), ...more }
      return spawn(process.execPath, ['src/cli/main.ts', ...words], { env })
    }
    async function gatehouse(words: readonly string[], input = '', more = {}) {
      const child = start(words, more)
      child.stdin.end(input)
      const [stdout, stderr, code] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        new Promise((resolve) => child.on('exit', resolve)),
      ])
      return { stdout, stderr, code }
    }

    test('discover shows the endpoints of spec 4.4', async () => {
      const { stdout, code } = await gatehouse(['oidc', 'discover', '--json'])
      assert.equal(code, 0)
      const rows: { name: string; value: string }[] = JSON.parse(stdout)
      const found = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
      for (const [name, path] of [
        ['issuer', ''],
        ['authorization_endpoint', '/auth'],
        ['token_endpoint', '/token'],
        ['userinfo_endpoint', '/me'],
        ['jwks_uri', '/jwks'],
      ] as const)
        assert.equal(found[name], `${idp.issuer}${path}`)
    })

    test('token gets one; what fails is one sentence without a secret, and exit code 1', async () => {
      const words = ['oidc', 'token', '--json', '--scope', 'api.read', '--resource', audience]
      const { stdout, code } = await gatehouse(words)
      assert.equal(code, 0)
      const [row] = JSON.parse(stdout)
      assert.equal(payloadOf(row.access_token).scope, 'api.read')
      const secret = 'a secret that is not the right one'
      const bad = await gatehouse(words, '', { OIDC_CLIENT_SECRET: secret })
      assert.deepEqual([bad.code, bad.stdout], [1, ''])
      assert.match(
        bad.stderr,
        /^error: Identity provider error: the provider refuses the client: .*\n$/,
      )
      assert.ok(!bad.stderr.includes(secret))
      const nobody = await gatehouse(['oidc', 'token', '--provider', 'acme'])
      assert.deepEqual(
        [nobody.code, nobody.stderr],
        [1, 'error: no provider acme: the settings have default\n'],
      )
    })

    test('login: opens an address, waits on loopback, and shows who signed in; then refreshes', async () => {
      const native = { OIDC_CLIENT_ID: 'native', OIDC_CLIENT_SECRET: '' }
      const child = start(['oidc', 'login', '--json'], native)
      after(() => child.kill())
      const output = text(child.stdout)
      let shown = ''
      const address = await new Promise<string>((resolve) => {
        child.stderr.on('data', (chunk) => {
          shown += chunk
          const [, url] = /^ {2}(\S+)\n/m.exec(shown) ?? []
          if (url) resolve(url)
        })
      })
      // Anything on this machine can ask that port: it must go on waiting for its own.
      const { origin } = new URL(new URL(address).searchParams.get('redirect_uri') ?? '')
      for (const path of ['//', '/callback?state=x']) {
        assert.equal((await fetch(origin + path)).status, 404)
      }
      const jar = new Map<string, string>()
      let url = new URL(address)
      let page = ''
      while (page === '') {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          jar.set(name, value)
        }
        const location = response.headers.get('location')
        if (location) url = new URL(location, url)
        else page = await response.text()
      }
      assert.match(page, /Go back to the command line/)
      const [row] = JSON.parse(await output)
      assert.equal(row.sub, 'ann-1')
      assert.ok(row.access_token)
      const words = ['oidc', 'token', '--refresh', '--json']
      const { stdout, code } = await gatehouse(words, `${row.refresh_token}\n`, native)
      assert.equal(code, 0)
      assert.notEqual(JSON.parse(stdout)[0].access_token, row.access_token)
    })
  })
})

function isRefusal(row: ApiError['row']) {
  return (error: unknown) => {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.row, row)
    return true
  }
}
