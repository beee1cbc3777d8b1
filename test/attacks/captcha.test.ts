import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import { type Answer, type TestApp, testApp } from '../app.ts'
import { payload, presentClock, solve, solved } from '../captcha.ts'
import { refuseChanges } from '../database.ts'
import { countHashes } from '../hashes.ts'
import { doors, eventsNamed, guess, newHost, tally, tryTimes, visible } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'

const env = { LOGIN_PROOF_OF_WORK_AFTER: '3', LOGIN_LOCK_AFTER: '0', DATABASE_TIMEOUT_MS: '10000' }

suite('a login that needs a captcha', async () => {
  const app = await testApp(env, { clock: presentClock() })
  const ann = await app.account('ann')
  const { directory, clock } = app
  const onSameData = () => testApp(env, { directory, clock })
  const other = await onSameData()
  const challenge = async (from = app) => (await from.call('GET', '/api/public/captcha')).body

  /** An address whose next login needs a captcha. */
  const suspect = async () => {
    const from = newHost()
    assert.deepEqual(await tryTimes(3, () => guess(app, ann, from)), [401, 401, 401])
    return from
  }
  const logIn = (on: TestApp, from: string, captcha?: unknown, password = ann.password) =>
    on.call('POST', '/login', { from, json: { username: 'ann', password, captcha } })
  const assertAsked = (answer: Answer, about = '') => {
    const { captcha } = answer.body
    assert.ok(captcha, about)
    assertRefusal(answer, 401, 'Captcha required', about, { captcha })
  }

  test('50 parallel logins with one solution, at two processes, count once', async () => {
    const from = await suspect()
    const solution = await solve(await challenge())
    const verdicts = () => [app, other].map((on) => eventsNamed(on, 'authn_login_fail'))
    const before = verdicts()
    const result = await Promise.all(
      Array.from({ length: 50 }, (_, n) => logIn(n % 2 ? app : other, from, solution, 'wrong')),
    )
    const judged = verdicts().reduce((sum, count, n) => sum + count - (before[n] ?? 0), 0)
    const errors = Map.groupBy(result, ({ body }) => body.error)
    assert.deepEqual(
      [errors.get('Invalid credentials')?.length, errors.get('Captcha required')?.length, judged],
      [1, 49, 1],
    )
    assertAsked(await logIn(app, await suspect(), solution), 'another address')
  })

  test('T25: parallel guesses without a solution get 3 verifications, and no hint of the password', async () => {
    const from = newHost()
    const { hashes, result } = await countHashes(() =>
      Promise.all(Array.from({ length: 50 }, () => guess(app, ann, from))),
    )
    assert.equal(hashes, 3)
    const asked = result.filter(({ body }) => body.error === 'Captcha required')
    assert.equal(asked.length, 47)
    const right = await logIn(app, from)
    const wrong = await logIn(app, from, undefined, 'wrong')
    for (const answer of [right, wrong]) assertAsked(answer)
    assert.deepEqual(
      { ...visible(right), text: right.text.length },
      { ...visible(wrong), text: wrong.text.length },
    )
  })

  test('20 parallel right logins are asked for nothing', async () => {
    const from = newHost()
    const logins = Array.from({ length: 20 }, () => doors.JSON(app, ann, { from }))
    assert.deepEqual(tally(await Promise.all(logins)), { 200: 20 })
  })

  test('an unknown username is asked as well', async () => {
    const from = newHost()
    await tryTimes(3, () => guess(app, { username: 'nobody' }, from))
    assertAsked(await guess(app, { username: 'nobody' }, from))
  })

  test('a solution that is forged, of another key or no solution at all is refused, and nothing changes', async () => {
    const from = await suspect()
    const elsewhere = await testApp(env, { clock, seed: 9 })
    const genuine = await challenge()
    const { parameters, signature } = genuine
    const solution = await solved(genuine)
    const easy = { ...parameters, keyPrefix: '0', cost: 1 }
    const signed = (own: object, key: string) => ({
      parameters: own,
      signature: createHmac('sha256', key).update(JSON.stringify(own)).digest('hex'),
    })
    const { expiresAt: _, ...endless } = parameters
    const forged: Record<string, unknown> = {
      'the challenge of another installation': await solve(await challenge(elsewhere)),
      'an easier challenge': payload({ parameters: easy, signature }, solution),
      'signed with no key': payload(signed(easy, ''), await solved({ parameters: easy })),
      'signed with a guessed key': payload(signed(easy, 'gatehouse captcha'), solution),
      'not signed': payload({ parameters }, solution),
      'signed with an empty text': payload({ parameters, signature: '' }, solution),
      'signed with a list': payload({ parameters, signature: [signature] }, solution),
      'a later end': payload(
        { parameters: { ...parameters, expiresAt: parameters.expiresAt + 1 }, signature },
        solution,
      ),
      'no end': payload({ parameters: endless, signature }, solution),
      'another nonce': payload(
        { parameters: { ...parameters, nonce: parameters.salt }, signature },
        solution,
      ),
      'another counter': payload(genuine, { ...solution, counter: solution.counter + 1 }),
      'another key': payload(genuine, { ...solution, derivedKey: '00'.repeat(32) }),
      'a counter that is text': payload(genuine, { ...solution, counter: `${solution.counter}` }),
      'no solution': payload(genuine, null),
      'a server signature': Buffer.from(
        JSON.stringify({ verificationData: 'verified=true', verified: true, signature }),
      ).toString('base64'),
      'an empty object': payload({}, {}),
      'a prototype': Buffer.from('{"__proto__":{"verified":true}}').toString('base64'),
      'a nested list': Buffer.from(`${'['.repeat(1500)}${']'.repeat(1500)}`).toString('base64'),
      'JSON null': Buffer.from('null').toString('base64'),
      'no JSON': Buffer.from('solution').toString('base64'),
      'no base64': '****',
      nothing: '',
    }
    const before = await app.rows()
    for (const [name, captcha] of Object.entries(forged)) {
      const { hashes, result } = await countHashes(() => logIn(app, from, captcha))
      assertAsked(result, name)
      assert.ok(hashes <= 1, name) // at most the derivation of a challenge that is ours
    }
    for (const captcha of [7, ['x'], {}, true, 'x'.repeat(5000)]) {
      const answer = await logIn(app, from, captcha)
      assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'])
    }
    assert.deepEqual(await app.rows(), before)
    assert.equal((await logIn(app, from, payload(genuine, solution))).status, 200)
  })

  test('a challenge is over after 10 minutes, and forgotten where it was used', async () => {
    const [from, late] = [await suspect(), await suspect()]
    const [used, unused] = [await solve(await challenge()), await solve(await challenge())]
    const purge = app.app.jobs.find(({ name }) => name === 'used captchas')
    const rows = async () => (await app.rows()).used_challenges?.length
    await app.deps.db.deleteFrom('used_challenges').execute()
    assert.equal((await logIn(app, from, used)).status, 200)
    clock.advance(599)
    await purge?.run()
    assert.equal(await rows(), 1)
    clock.advance(1)
    await purge?.run()
    assert.equal(await rows(), 0)
    assertAsked(await logIn(app, late, unused))
    assertAsked(await logIn(app, late, used))
    assert.equal(await rows(), 0)
  })

  test('a solution whose use cannot be stored is not accepted', async () => {
    const from = await suspect()
    const solution = await solve(await challenge())
    const allow = await refuseChanges(app, 'insert on used_challenges')
    const { hashes, result } = await countHashes(() => logIn(app, from, solution))
    await allow()
    assert.ok(result.status >= 500)
    assert.ok(hashes <= 1)
    assert.equal((await logIn(app, from, solution)).status, 200)
  })

  test('a restart forgets neither the used solutions nor the challenges given out', async () => {
    const [used, unused] = [await solve(await challenge()), await solve(await challenge())]
    assert.equal((await logIn(app, await suspect(), used)).status, 200)
    const from = await suspect()
    for (const running of [app, other]) await running.app.server.close()
    const restarted = await onSameData()
    assertAsked(await logIn(restarted, from, used))
    assert.equal((await logIn(restarted, from, unused)).status, 200)
  })
})
