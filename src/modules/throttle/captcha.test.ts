// A database makes a difference: a used challenge is a row.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { payload, presentClock, solve, solved } from '../../../test/captcha.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import type { OfflineContext } from '../../core/checks/context.ts'
import { type CaptchaDeps, createCaptcha, purgeChallenges } from './captcha.ts'
import { checks } from './checks.ts'

suite('proofs of work', async () => {
  const { db } = await ownDatabase()
  const clock = presentClock()
  const captchaWith = (byte: number) =>
    createCaptcha({
      db,
      clock,
      keys: { dataKey: Buffer.alloc(32, byte) } as unknown as CaptchaDeps['keys'],
    })
  const captcha = captchaWith(1)
  const used = async () => (await db.selectFrom('used_challenges').selectAll().execute()).length

  test('a challenge has a signature, expires in 10 minutes and is not stored', async () => {
    const { parameters, signature } = await captcha.challenge()
    const { nonce, salt, ...fixed } = parameters
    assert.deepEqual(fixed, {
      algorithm: 'PBKDF2/SHA-256',
      cost: 2000,
      expiresAt: Math.floor(clock.now() / 1000) + 600,
      keyLength: 32,
      keyPrefix: '00',
    })
    assert.match(signature, /^[0-9a-f]{64}$/)
    assert.notEqual(nonce, (await captcha.challenge()).parameters.nonce)
    assert.ok(salt.length >= 16)
    assert.equal(await used(), 0)
  })

  test('a solution counts once, at the service of the challenge alone', async () => {
    const challenge = await captcha.challenge()
    const solution = await solve(challenge)
    assert.equal(await captchaWith(2).accepts(solution), false)
    assert.equal(await used(), 0)
    const answers = await Promise.all([captcha.accepts(solution), captcha.accepts(solution)])
    assert.deepEqual(answers.toSorted(), [false, true])
    assert.equal(await captcha.accepts(solution), false)
    assert.equal(await used(), 1)
    assert.equal(await purgeChallenges({ db, clock }, 9), 0)
    clock.advance(600)
    assert.equal(await purgeChallenges({ db, clock }, 9), 1)
    clock.advance(-600)
  })

  test('a solution counts until the challenge expires', async () => {
    const solutions = [
      await solve(await captcha.challenge()),
      await solve(await captcha.challenge()),
    ]
    const before = Math.floor(clock.now() / 1000) * 1000 + 600_000 - clock.now()
    clock.advance((before - 1) / 1000)
    assert.equal(await captcha.accepts(solutions[0]), true)
    clock.advance(0.001)
    assert.equal(await captcha.accepts(solutions[1]), false)
    clock.advance(-before / 1000)
  })

  test('no other text is a solution', async () => {
    const challenge = await captcha.challenge()
    const solution = await solved(challenge)
    const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
    const later = { ...challenge.parameters, expiresAt: challenge.parameters.expiresAt + 1 }
    for (const text of [
      undefined,
      '',
      '{}',
      ...[null, 1, 'a', {}, [], { challenge }].map(base64),
      payload(challenge, { ...solution, derivedKey: '00' }),
      payload({ ...challenge, parameters: later }, solution),
      payload({ ...challenge, signature: 'a'.repeat(64) }, solution),
    ]) {
      assert.equal(await captcha.accepts(text), false, String(text))
    }
    assert.equal(await captcha.accepts(payload(challenge, solution)), true)
  })
})

test('a limit of logins that is off is a warning of the doctor', () => {
  const [check] = checks.offline ?? []
  const found = (attempts: number) =>
    check?.find({ config: { login: { perUsername: { attempts } } } } as OfflineContext)
  assert.deepEqual(found(1), [])
  assert.deepEqual(found(0), [
    {
      what: {
        en: 'LOGIN_ATTEMPTS is 0: no limit for each username and address.',
        de: 'LOGIN_ATTEMPTS ist 0: keine Grenze je Benutzername und Adresse.',
      },
    },
  ])
})
