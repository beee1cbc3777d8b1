import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { freePort } from '../tools/free-port.ts'
import { testApp } from './app.ts'
import { fixedClock } from './clock.ts'
import { accessClaims, forge, headerOf, hs256, type Json, rs256, segment } from './forge.ts'
import { folderOf, listingsOf } from './listings.ts'
import { until } from './until.ts'

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [ours, foreign] = [rsa(), rsa()]
const pem = (key: typeof ours.privateKey) => key.export({ format: 'pem', type: 'pkcs8' }).toString()

const [missing, invalid] = ['Bearer', 'Bearer error="invalid_token"']

suite('docs/use-it.md', async () => {
  const listings = listingsOf('docs/use-it.md')
  const folder = await folderOf(listings)
  const [port, ...ports] = await Promise.all(Array.from({ length: 4 }, freePort))
  const url = `http://127.0.0.1:${port}`
  const app = await testApp(
    {
      BASE_URL: url,
      TOKEN_ALGORITHM: 'RS256',
      TOKEN_PRIVATE_KEY: pem(ours.privateKey),
      REQUIRE_SECOND_FACTOR: 'BILLING',
      ROLES: 'SUPPORT,BILLING',
    },
    { clock: fixedClock(new Date().toISOString()) }, // the listings have the clock of the machine
  )
  await app.app.server.listen({ host: '127.0.0.1', port: port ?? 0 })
  const ann = await app.account('ann', ['USER'])
  const eve = await app.account('eve', ['BILLING'])

  const token = await app.token(ann)
  const { kid } = headerOf(token)
  const [head, , signature] = token.split('.')
  const claims = accessClaims(app, { roles: ['USER'] })
  const now = Math.floor(app.clock.now() / 1000)
  const signed = (changes: Json, header: Json = {}, key = ours.privateKey) =>
    forge({ alg: 'RS256', typ: 'JWT', kid, ...header }, { ...claims, ...changes }, rs256(key))
  const held = await app.call('POST', '/login', {
    json: { username: eve.username, password: eve.password },
  })
  const publicPem = ours.publicKey.export({ format: 'pem', type: 'spki' }).toString()

  /** What a verifier must refuse: the tokens by what is wrong with them. */
  const bad: Record<string, string> = {
    'no token at all': 'garbage',
    'a refresh token': (await app.pair(ann)).refresh_token,
    'an enrolment token': held.body.enrolment_token,
    'a token that has ended': signed({ exp: now - 60 }),
    'a token that has not begun': signed({ nbf: now + 3600 }),
    'a token without an end': signed({ exp: undefined }),
    'a token without a subject': signed({ sub: undefined }),
    'a token for another audience': signed({ aud: 'other' }),
    'a token without audience': signed({ aud: undefined }),
    'a token of another issuer': signed({ iss: 'http://127.0.0.1:1' }),
    'a token of another type': signed({ type: 'refresh' }),
    'a token without type': signed({ type: undefined }),
    'a token that a foreign key signed': signed({}, {}, foreign.privateKey),
    'a token of an unknown key': signed({}, { kid: 'unknown' }),
    'a token with changed claims': `${head}.${segment({ ...claims, roles: ['ADMIN'] })}.${signature}`,
    'an unsigned token': forge({ alg: 'none', kid }, claims, () => Buffer.alloc(0)),
    'an HMAC with the public key': forge({ alg: 'HS256', kid }, claims, hs256(publicPem)),
  }

  /** Asserts what an application on `port` answers to good and to bad tokens. */
  async function assertVerifies(port: number | undefined): Promise<void> {
    const ask = async (authorization?: string, method = 'GET', path = '/orders') => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: authorization === undefined ? {} : { authorization },
      })
      const challenge = answer.headers.get('www-authenticate')
      return [answer.status, await answer.json(), challenge]
    }
    const customer = { customer: String(ann.userId), orders: [] }
    assert.deepEqual(await ask(`Bearer ${await app.token(ann)}`), [200, customer, null])
    const { access_token } = await app.pair(ann)
    assert.deepEqual(await ask(`bearer ${access_token}`), [200, customer, null])
    const early = signed({ nbf: now + 3, iat: now + 3, sub: '7' })
    const other = { customer: '7', orders: [] }
    assert.deepEqual(await ask(`Bearer ${early}`), [200, other, null], 'the clocks may differ')

    for (const header of [undefined, '', 'Bearer', 'Bearer ', app.basic(ann).authorization]) {
      assert.deepEqual(await ask(header), [401, { error: 'No token provided' }, missing], header)
    }
    for (const [what, token] of Object.entries(bad)) {
      const answer = await ask(`Bearer ${token}`)
      assert.deepEqual(answer, [401, { error: 'Invalid token' }, invalid], what)
    }

    const remove = async (token: string) => ask(`Bearer ${token}`, 'DELETE', '/orders/5')
    assert.deepEqual(await remove(await app.token(ann)), [
      403,
      { error: 'Access denied' },
      'Bearer error="insufficient_scope"',
    ])
    const deleted = { deleted: '5', by: 'admin' }
    assert.deepEqual(await remove(await app.token(app.admin)), [200, deleted, null])
  }

  /** Starts the Node listings against a Gatehouse; resolves when they listen. */
  async function serve(gatehouse: string, ports: readonly number[]): Promise<void> {
    const script = join(import.meta.dirname, 'listing-server.mjs')
    const child = spawn(process.execPath, [script, folder, ...ports.map(String)], {
      env: { ...process.env, GATEHOUSE_URL: gatehouse },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    after(() => child.kill())
    let [output, isOver] = ['', false]
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    child.on('exit', () => (isOver = true))
    await until(() => isOver || output.includes('ready\n'))
    assert.ok(!isOver, output)
  }

  await serve(url, ports)
  for (const [index, name] of ['Express', 'Fastify', 'Hono'].entries()) {
    test(`${name} verifies tokens`, () => assertVerifies(ports[index]))
  }

})
