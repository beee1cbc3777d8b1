import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { solve } from '../captcha.ts'
import { fromBase32 } from '../factor.ts'
import { type RestartableCluster, startCluster } from './cluster.ts'
import type { Reply } from './http.ts'
import { admin, basic, bearer, cookieOf, type ServiceNode, startNode } from './node.ts'

const password = 'quiet melons roll downhill'

/** What one node knows the other knows: two processes, each with a port and a memory of its own. */
suite('R14: two processes on one PostgreSQL', () => {
  let starting: Promise<Place> | undefined
  const place = () => {
    starting ??= startNodes()
    return starting
  }
  after(async () => (await starting)?.remove())

  test('G6: wrong guesses at both get five verdicts, and a captcha is good for one', async () => {
    const { one, crowd, account } = await place()
    const form = { ...(await account('guessed')), password: 'not the password' }
    const guess = (captcha?: string) => (node: ServiceNode) =>
      node.caller.call('POST', '/login', { form: { ...form, ...(captcha && { captcha }) } })
    const solution = async () => solve((await one.caller.call('GET', '/api/public/captcha')).body)
    assert.deepEqual(errorsOf(await crowd(40, guess())), {
      'Invalid credentials': 3,
      'Captcha required': 37,
    })
    assert.deepEqual(errorsOf(await crowd(20, guess(await solution()))), {
      'Invalid credentials': 1,
      'Captcha required': 19,
    })
    const last = [await solution(), await solution()]
    assert.deepEqual(errorsOf(await crowd(2, (node, n) => guess(last[n])(node))), {
      'Invalid credentials': 1,
      'Too many login attempts': 1,
    })
    for (const answer of await crowd(2, guess(await solution()))) assert.equal(answer.status, 429)
  })

  test('G7: a code of the second factor is accepted once', async () => {
    const { one, crowd, account } = await place()
    const form = await account('enrolled')
    const headers = bearer((await one.caller.call('POST', '/login', { json: form })).body.token)
    const proof = { current_password: form.password }
    const { body } = await one.caller.call('POST', '/api/account/totp', { headers, json: proof })
    const step = Math.floor(Date.now() / 1000 / stepSeconds)
    const codeOf = (wanted: number) => codeOfStep(fromBase32(body.secret), wanted)
    const json = { totp: codeOf(step) }
    const confirmed = await one.caller.call('PUT', '/api/account/totp', { headers, json })
    assert.equal(confirmed.status, 200)
    const next = { ...form, totp: codeOf(step + 1) } // within the window of 30 seconds either way
    const answers = await crowd(20, (node) => node.caller.call('POST', '/login', { form: next }))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test('a session, and its CSRF token, are those of both', async () => {
    const { one, two } = await place()
    const [session, other] = [await sessionAt(one), await sessionAt(two)]
    const transfer = (headers: Record<string, string>) =>
      two.caller.call('POST', '/api/transfer', { headers, json: {} })
    assert.equal((await two.caller.call('GET', '/api/session', { headers: session })).status, 200)
    assert.equal((await transfer({ cookie: session.cookie })).status, 403)
    assert.equal((await transfer({ ...other, cookie: session.cookie })).status, 403)
    assert.equal((await transfer(session)).status, 200)
    assert.equal((await one.caller.call('POST', '/logout', { headers: session })).status, 200)
    assert.equal((await two.caller.call('GET', '/api/session', { headers: session })).status, 401)
    assert.equal((await transfer(session)).status, 401)
  })

  test('a token that was revoked at one is refused by the other, and stays so', async () => {
    const { one, two, crowd } = await place()
    const headers = bearer(await one.token())
    const use = (node: ServiceNode) => node.caller.call('GET', '/api/me', { headers })
    assert.equal((await use(two)).status, 200)
    assert.equal((await one.caller.call('POST', '/logout', { headers })).status, 200)
    assert.equal((await use(one)).status, 401)
    assert.equal((await use(two)).status, 401)
    for (const { status } of await crowd(20, use)) assert.equal(status, 401)
  })

  test('a refresh token has one successor, and a second use ends the family at both', async () => {
    const { one, two, crowd } = await place()
    const pair = await one.caller.call('POST', '/login', { form: { ...admin, mode: 'pair' } })
    const refresh = (refresh_token: string) => (node: ServiceNode) =>
      node.caller.call('POST', '/refresh', { form: { refresh_token } })
    const answers = await crowd(10, refresh(pair.body.refresh_token))
    const won = answers.filter(({ status }) => status === 200)
    assert.equal(won.length, 1)
    for (const node of [one, two]) {
      assert.equal((await refresh(won[0]?.body.refresh_token)(node)).status, 401)
    }
  })

  test('an Idempotency-Key is done once', async () => {
    const { one, crowd } = await place()
    const headers = { ...bearer(await one.token()), 'idempotency-key': 'both' }
    const json = { name: 'Once', email: 'once@example.org' }
    const answers = await crowd(10, (node) => node.caller.call('POST', '/users', { headers, json }))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
  })
})

interface Place {
  readonly one: ServiceNode
  readonly two: ServiceNode
  /** So many calls at once, every second one at the other node. */
  crowd(count: number, call: (node: ServiceNode, index: number) => Promise<Reply>): Promise<Reply[]>
  account(username: string): Promise<{ username: string; password: string }>
  remove(): Promise<void>
}

async function startNodes(): Promise<Place> {
  const cluster: RestartableCluster = await startCluster()
  const env = {
    DATABASE_URL: cluster.url(await cluster.createDatabase()),
    DATABASE_TIMEOUT_MS: '20000', // what is asked here is not how fast the machine is
    LOGIN_ATTEMPTS: '5',
    LOGIN_PROOF_OF_WORK_AFTER: '3',
    REFRESH_ROTATION: 'on',
    REFRESH_GRACE_SECONDS: '0',
  }
  const one = await startNode({ env })
  const two = await startNode({ env })
  return {
    one,
    two,
    crowd: (count, call) =>
      Promise.all(Array.from({ length: count }, (_, n) => call(n % 2 ? two : one, n))),
    async account(username) {
      const person = { name: username, email: 'someone@example.org' }
      const json = { username, password, roles: ['USER'], ...person }
      const made = await one.caller.call('POST', '/api/admin/accounts', { headers: basic, json })
      assert.equal(made.status, 201)
      return { username, password }
    },
    async remove() {
      for (const node of [one, two]) await node.remove()
      await cluster.remove()
    },
  }
}

async function sessionAt(node: ServiceNode) {
  const session = await node.login('session')
  return { cookie: cookieOf(session), 'x-csrf-token': String(session.body.csrf_token) }
}

/** How often each error was answered. */
function errorsOf(answers: readonly Reply[]): Record<string, number> {
  const groups = Map.groupBy(answers, ({ body }) => String(body.error))
  return Object.fromEntries([...groups].map(([error, { length }]) => [error, length]))
}
