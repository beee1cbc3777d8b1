import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { copyPackage } from '../../tools/build-packages.ts'
import { freePort } from '../../tools/free-port.ts'
import { testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { accessClaims, forge, headerOf, hs256, type Json, rs256, segment } from '../forge.ts'
import {
  folderOf,
  goProgram,
  listingsOf,
  missing,
  pythonProgram,
  startProgram,
} from './listings.ts'

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [ours, foreign] = [rsa(), rsa()]
const pem = (key: typeof ours.privateKey) => key.export({ format: 'pem', type: 'pkcs8' }).toString()

/** Answers status, body and challenge. */
async function ask(port: number, authorization?: string, method = 'GET', path = '/orders') {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: authorization === undefined ? {} : { authorization },
  })
  return [answer.status, await answer.json(), answer.headers.get('www-authenticate')]
}

suite('docs/use-it.md and packages/verify/README.md', async () => {
  const listings = listingsOf('docs/use-it.md')
  const built = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(built, { recursive: true }))
  await copyPackage('verify', built)
  const packages = { 'gatehouse-verify': built }
  const folder = folderOf(listings, packages)
  const packaged = folderOf(listingsOf('packages/verify/README.md'), packages)
  const [port = 0, ...nodePorts] = await Promise.all(Array.from({ length: 9 }, freePort))
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
  const ann = await app.account('ann', ['USER'])
  const eve = await app.account('eve', ['USER'], { roles: ['BILLING'] })

  const token = await app.token(ann)
  const { kid } = headerOf(token)
  const adminToken = await app.token(app.admin)
  const pair = await app.pair(ann)
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
    'a refresh token': pair.refresh_token,
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
  async function assertVerifies(port: number): Promise<void> {
    const get = (authorization: string | undefined) => ask(port, authorization)
    const customer = { customer: String(ann.userId), orders: [] }
    assert.deepEqual(await get(`Bearer ${token}`), [200, customer, null])
    assert.deepEqual(await get(`bearer ${pair.access_token}`), [200, customer, null])
    const soon = Math.floor(Date.now() / 1000) + 4
    const early = signed({ nbf: soon, iat: soon, sub: '7' })
    const other = { customer: '7', orders: [] }
    assert.deepEqual(await get(`Bearer ${early}`), [200, other, null], 'clocks may differ')

    const noToken = [401, { error: 'No token provided' }, 'Bearer']
    for (const header of [undefined, '', 'Bearer', 'Bearer ', app.basic(ann).authorization]) {
      assert.deepEqual(await get(header), noToken, String(header))
    }
    const refused = [401, { error: 'Invalid token' }, 'Bearer error="invalid_token"']
    for (const [what, given] of Object.entries(bad)) {
      assert.deepEqual(await get(`Bearer ${given}`), refused, what)
    }

    const remove = (given: string) => ask(port, `Bearer ${given}`, 'DELETE', '/orders/5')
    const denied = [403, { error: 'Access denied' }, 'Bearer error="insufficient_scope"']
    assert.deepEqual(await remove(token), denied)
    assert.deepEqual(await remove(adminToken), [200, { deleted: '5', by: 'admin' }, null])
  }

  const env = { GATEHOUSE_URL: url }
  const script = join(import.meta.dirname, 'node-server.mjs')
  for (const [folderOfListings, ports] of [
    [folder, nodePorts.slice(0, 3)],
    [packaged, nodePorts.slice(3, 7)],
  ] as const) {
    const nodeCommand = [process.execPath, script, folderOfListings, ...ports.map(String)] as const
    await startProgram(nodeCommand, { folder: folderOfListings, env, ports })
  }
  const shopPort = nodePorts[7] ?? 0
  const shopEnv = { ...env, PORT: String(shopPort) }
  await startProgram([process.execPath, 'shop.js'], { folder, env: shopEnv, ports: [shopPort] })
  const python = pythonProgram()
  const pythonPort = await freePort()
  const pythonEnv = { ...env, PORT: String(pythonPort) }
  if (!python.missing) {
    await startProgram(python.command, { folder, env: pythonEnv, ports: [pythonPort] })
  }
  const withoutPackage = ['Express', 'Fastify', 'Hono']
  const withPackage = [...withoutPackage, 'Next'].map((name) => `${name} with gatehouse-verify`)
  const verifiers = [...withoutPackage, ...withPackage, 'shop.js', 'Python'].map((name, index) => ({
    name,
    port: nodePorts[index] ?? pythonPort,
    skip: name === 'Python' && python.missing,
  }))

  const askAll = () =>
    Promise.all(verifiers.map(({ port, skip }) => skip || ask(port, `Bearer ${token}`)))
  const whileAway = await askAll()
  const broken = createServer((_, response) => {
    response.writeHead(500, { connection: 'close' }).end()
  })
  await once(broken.listen(port, '127.0.0.1'), 'listening')
  const whileBroken = await askAll()
  await once(broken.close(), 'close')
  await app.app.server.listen({ host: '127.0.0.1', port })

  for (const [index, { name, port, skip }] of verifiers.entries()) {
    test(`${name} verifies tokens, once it can fetch the keys`, { skip }, async () => {
      const unavailable = [503, { error: 'Service unavailable' }, null]
      assert.deepEqual([whileAway[index], whileBroken[index]], [unavailable, unavailable])
      await assertVerifies(port)
    })
  }

  const go = goProgram(folder)
  test('Go verifies tokens', { skip: go.missing }, async () => {
    const own = await freePort()
    await startProgram(go.command, { folder, env: { ...env, PORT: String(own) }, ports: [own] })
    await assertVerifies(own)
  })

  test('the listing in Python is Python', { skip: missing(['python3', '--version']) }, () => {
    const program = 'import ast, sys; ast.parse(sys.stdin.read())'
    const input = listings.get('orders.py') ?? ''
    const { status, stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  })
})
