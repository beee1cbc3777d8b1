import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { solve } from '../captcha.ts'
import { asClient, entry } from '../clients.ts'
import { fromBase32 } from '../factor.ts'
import type { Reply } from './http.ts'
import { admin, basic, basicOf, bearer, cookieOf } from './node.ts'
import { databases, startWorkers, statusesOf, type WorkersNode, workerOf } from './workers.ts'

const password = 'quiet melons roll downhill'
const person = { name: 'Ada', email: 'ada@example.org' }

/** One journey per section of the contract, at two workers: each request meets the other one. */
for (const database of databases) {
  suite(`two workers, ${database}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const CLIENTS_FILE = join(folder, 'clients.json')
    writeFileSync(CLIENTS_FILE, JSON.stringify({ clients: [entry('shop')] }), { mode: 0o600 })
    let starting: Promise<WorkersNode> | undefined
    const place = () => {
      starting ??= startWorkers({ database, env: { CLIENTS_FILE, LOGIN_ATTEMPTS: '5' } })
      return starting
    }
    after(async () => {
      await (await starting)?.remove()
      rmSync(folder, { recursive: true, force: true })
    })

    const account = async (username: string, roles: readonly string[] = ['USER']) => {
      const { call } = await place()
      const json = { username, password, roles, ...person }
      const made = await call('POST', '/api/admin/accounts', { headers: basic, json })
      assert.equal(made.status, 201)
      return { username, password, userId: Number(made.body.user_id) }
    }
    const logIn = async (who: object, mode: string) =>
      (await place()).call('POST', '/login', { form: { ...who, mode } as Record<string, string> })
    const tokenOf = async (who: object = admin) => {
      const { status, body } = await logIn(who, 'token')
      assert.equal(status, 200)
      return bearer(body.token)
    }
    const sessionOf = async (who: object) => {
      const answer = await logIn(who, 'session')
      assert.equal(answer.status, 200)
      return { cookie: cookieOf(answer), 'x-csrf-token': String(answer.body.csrf_token) }
    }
    const statusAtEach = async (path: string, headers: Record<string, string>) =>
      (await (await place()).atEach('GET', path, { headers })).map(({ status }) => status)

    test('2: a user, an account, and its token are those of both', async () => {
      const { call, atEach } = await place()
      const headers = await tokenOf()
      const made = await call('POST', '/users', { headers, json: person })
      assert.deepEqual([made.status, made.body], [201, { id: made.body.id, ...person }])
      for (const { status, body } of await atEach('GET', `/users/${made.body.id}`, { headers })) {
        assert.deepEqual([status, body], [200, made.body])
      }
      for (const { body } of await atEach('GET', '/users?page=1&limit=2', { headers })) {
        assert.deepEqual([body.page, body.limit, body.data.length], [1, 2, 2])
      }
    })

    test('3.1: a session lives at both, and a logout at one ends it at the other at once', async () => {
      const { call } = await place()
      const ada = await account('session-ada')
      for (let round = 0; round < 6; round += 1) {
        const headers = await sessionOf(ada)
        assert.deepEqual(await statusAtEach('/api/protected', headers), [200, 200])
        assert.equal((await call('POST', '/logout', { headers })).status, 200)
        assert.deepEqual(await statusAtEach('/api/protected', headers), [401, 401])
      }
    })

    test('3.2: a token that was revoked at one is refused by the other at once', async () => {
      const { call } = await place()
      for (let round = 0; round < 6; round += 1) {
        const headers = await tokenOf()
        assert.deepEqual(await statusAtEach('/api/me', headers), [200, 200])
        assert.equal((await call('POST', '/logout', { headers })).status, 200)
        assert.deepEqual(await statusAtEach('/api/me', headers), [401, 401])
      }
    })

    test('3.3: parallel wrong passwords get five verdicts, and a captcha nonce is used once', async () => {
      const { call, atEach } = await place()
      const { username } = await account('throttled')
      const wrong = { form: { username, password: 'not the password' } }
      const guesses = Array.from({ length: 30 }, () => call('POST', '/login', wrong))
      assert.deepEqual(statusesOf(await Promise.all(guesses)), { 401: 5, 429: 25 })
      for (const { status } of await atEach('POST', '/login', wrong)) assert.equal(status, 429)
    })

    test('3.4: a lock ends sessions and tokens of both before it is answered', async () => {
      const { call } = await place()
      const ada = await account('locked-ada')
      const [session, token] = [await sessionOf(ada), await tokenOf(ada)]
      assert.deepEqual(await statusAtEach('/api/me', token), [200, 200])
      assert.deepEqual(await statusAtEach('/api/account', basicOf(ada)), [200, 200])
      const path = `/api/admin/accounts/${ada.username}`
      const locked = await call('PUT', path, { headers: basic, json: { locked: true } })
      assert.equal(locked.status, 200)
      assert.deepEqual(await statusAtEach('/api/me', token), [401, 401])
      assert.deepEqual(await statusAtEach('/api/protected', session), [401, 401])
      assert.deepEqual(await statusAtEach('/api/account', basicOf(ada)), [401, 401])
    })

    test('4.1: a pair is refreshed at both; its end at one is the end at the other', async () => {
      const { call, atEach } = await place()
      const { body: pair } = await logIn(admin, 'pair')
      const form = { refresh_token: String(pair.refresh_token) }
      for (const { status, body } of await atEach('POST', '/refresh', { form })) {
        assert.deepEqual([status, body.expires_in], [200, 900])
        assert.deepEqual(await statusAtEach('/api/me', bearer(body.access_token)), [200, 200])
      }
      const access = bearer(pair.access_token)
      assert.equal((await call('POST', '/logout', { headers: access, form })).status, 200)
      assert.deepEqual(await statusAtEach('/api/me', access), [401, 401])
      for (const { body } of await atEach('POST', '/refresh', { form })) {
        assert.deepEqual(body, { error: 'Invalid refresh token' })
      }
    })

    test('4.2: a user that was changed or deleted at one is so at the other', async () => {
      const { call, atEach } = await place()
      const headers = await tokenOf()
      const { body } = await call('POST', '/users', { headers, json: person })
      const path = `/users/${body.id}`
      const json = { name: 'Augusta' }
      assert.equal((await call('PUT', path, { headers, json })).body.name, 'Augusta')
      for (const { body } of await atEach('GET', path, { headers })) {
        assert.deepEqual([body.name, body.email], ['Augusta', person.email])
      }
      assert.equal((await call('DELETE', path, { headers })).status, 200)
      for (const { status, body } of await atEach('GET', path, { headers })) {
        assert.deepEqual([status, body], [404, { error: 'User not found' }])
      }
      const all = await call('GET', '/users', { headers })
      assert.equal(String(all.body.length), all.headers['x-total-count'])
    })

    test('4.3: new roles and posts hold at both', async () => {
      const { call, atEach } = await place()
      const ada = await account('editor-ada', ['USER', 'EDITOR'])
      const headers = await tokenOf(ada)
      const made = await call('POST', '/api/posts', { headers, json: { title: 'On doors' } })
      assert.equal(made.status, 201)
      for (const { body } of await atEach('GET', `/api/posts/${made.body.id}`, { headers })) {
        assert.deepEqual(body, made.body)
      }
      assert.deepEqual(await statusAtEach('/api/editor/posts', headers), [200, 200])
      const path = `/api/admin/accounts/${ada.username}`
      assert.equal(
        (await call('PUT', path, { headers: basic, json: { roles: ['USER'] } })).status,
        200,
      )
      assert.deepEqual(await statusAtEach('/api/editor/posts', headers), [401, 401])
      const again = await tokenOf(ada)
      assert.deepEqual(await statusAtEach('/api/editor/posts', again), [403, 403])
    })

    test('4.4: other services ask either worker, and both know of an end', async () => {
      const { call, atEach } = await place()
      const { authorization = '' } = await tokenOf()
      const form = { token: authorization.replace('Bearer ', '') }
      const asked = { headers: asClient('shop') as Record<string, string>, form }
      const introspect = async () =>
        (await atEach('POST', '/oauth/introspect', asked)).map(({ body }) => body.active)
      assert.deepEqual(await introspect(), [true, true])
      assert.equal((await call('POST', '/oauth/revoke', asked)).status, 200)
      assert.deepEqual(await introspect(), [false, false])
      for (const { body } of await atEach('GET', '/.well-known/jwks.json')) {
        assert.equal(body.keys.length, 1)
      }
    })

    test('5.1 and 5.6: a password that was changed at one no longer opens the other', async () => {
      const { call, atEach } = await place()
      const ada = await account('basic-ada')
      const headers = await tokenOf(ada)
      const session = await sessionOf(ada)
      assert.deepEqual(await statusAtEach('/api/account', basicOf(ada)), [200, 200])
      const json = { current_password: password, new_password: 'another quiet melon' }
      const changed = await call('PUT', '/api/account/password', { headers: session, json })
      assert.equal(changed.status, 200)
      const challenges = await atEach('GET', '/api/account', { headers: basicOf(ada) })
      for (const { status, body } of challenges) {
        assert.deepEqual([status, body], [401, { error: 'Authentication required' }])
      }
      assert.deepEqual(await statusAtEach('/api/me', headers), [401, 401])
      assert.deepEqual(await statusAtEach('/api/protected', session), [200, 200])
    })

    test('5.2: the CSRF token of a session is that of both', async () => {
      const { atEach } = await place()
      const headers = await sessionOf(await account('csrf-ada'))
      const { 'x-csrf-token': _, ...without } = headers
      const statuses = async (sent: Record<string, string>) =>
        (await atEach('POST', '/api/transfer', { headers: sent, json: {} })).map(
          (one) => one.status,
        )
      assert.deepEqual(await statuses(headers), [200, 200])
      assert.deepEqual(await statuses(without), [403, 403])
    })

    test('5.3: a forged token is refused by both', async () => {
      const { authorization = '' } = await tokenOf()
      const [header, payload] = authorization.replace('Bearer ', '').split('.')
      const signature = createHmac('sha256', 'guess')
        .update(`${header}.${payload}`)
        .digest('base64url')
      const forged = bearer(`${header}.${payload}.${signature}`)
      assert.deepEqual(await statusAtEach('/api/me', forged), [401, 401])
    })

    test('5.5: a code of the second factor is accepted once, at one of them', async () => {
      const { call } = await place()
      const ada = await account('factor-ada')
      const headers = await tokenOf(ada)
      const proof = { current_password: password }
      const { body } = await call('POST', '/api/account/totp', { headers, json: proof })
      const step = Math.floor(Date.now() / 1000 / stepSeconds)
      const codeOf = (wanted: number) => codeOfStep(fromBase32(body.secret), wanted)
      const json = { totp: codeOf(step) }
      assert.equal((await call('PUT', '/api/account/totp', { headers, json })).status, 200)
      const form = { username: ada.username, password, totp: codeOf(step + 1) }
      const tries = Array.from({ length: 10 }, () => call('POST', '/login', { form }))
      const answers = await Promise.all(tries)
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    })

    test('5.7 and 7: both answer with the same headers and errors', async () => {
      const { atEach } = await place()
      const [one, two] = (await atEach('GET', '/nothing')) as [Reply, Reply]
      const named = ({ headers }: Reply) => {
        const { date: _, 'x-request-id': __, ...same } = headers
        return same
      }
      assert.notEqual(workerOf(one), workerOf(two))
      assert.deepEqual(one.body, { error: 'Route not found' })
      assert.deepEqual([two.status, two.body, named(two)], [404, one.body, named(one)])
    })

    test('9: the versions stand side by side at both', async () => {
      const headers = await tokenOf()
      for (const path of ['/api/v1/users', '/api/v2/users', '/users']) {
        assert.deepEqual(await statusAtEach(path, headers), [200, 200])
      }
    })
  })

  suite(`8: the limits of two workers are those of one, ${database}`, () => {
    let starting: Promise<WorkersNode> | undefined
    const place = () => {
      const env = { RATE_LIMIT_MAX: '40', LOGIN_PROOF_OF_WORK_AFTER: '3', LOGIN_ATTEMPTS: '10' }
      starting ??= startWorkers({ database, env })
      return starting
    }
    after(async () => (await starting)?.remove())

    test('a solved captcha is good for one login, at whichever worker', async () => {
      const { call } = await place()
      const form = { username: 'stranger', password: 'not the password' }
      const guesses = Array.from({ length: 3 }, () => call('POST', '/login', { form }))
      assert.deepEqual(statusesOf(await Promise.all(guesses)), { 401: 3 })
      const captcha = await solve((await call('GET', '/api/public/captcha')).body)
      const tries = Array.from({ length: 10 }, () =>
        call('POST', '/login', { form: { ...form, captcha } }),
      )
      const errors = (await Promise.all(tries)).map(({ body }) => body.error)
      assert.equal(errors.filter((error) => error === 'Invalid credentials').length, 1)
      assert.equal(errors.filter((error) => error === 'Captcha required').length, 9)
    })

    test('the general rate limit admits as many requests as one process', async () => {
      const { call, atEach, lines } = await place()
      // 14 were made above.
      const calls = Array.from({ length: 60 }, () => call('GET', '/api/public/status'))
      assert.deepEqual(statusesOf(await Promise.all(calls)), { 200: 26, 429: 34 })
      for (const { body, headers } of await atEach('GET', '/api/public/status')) {
        assert.deepEqual(body, { error: 'Too many requests' })
        assert.ok(Number(headers['retry-after']) > 800)
      }
      assert.equal(lines('event', 'excess_rate_limit_exceeded').length, 1)
    })
  })
}
