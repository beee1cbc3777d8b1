// A database makes a difference: attempts are rows, and an attempt counts in several limits.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { ApiError } from '../../core/errors.ts'
import type { Username } from '../../core/lib/username.ts'
import type { Attempt } from './attempt.ts'
import { nameOfEmail, readThrottleKey } from './keys.ts'
import {
  createClientLimits,
  createLoginLimits,
  createPasskeyLimits,
  type LoginAttempt,
  type LoginLimitsDeps,
} from './limits.ts'

const wrong = new ApiError('invalidCredentials', { reason: { code: 'x-wrong' } })
const ann = 'ann' as Username
const ben = 'ben' as Username
const annByMail = { username: nameOfEmail('ann@a.example'), account: ann }
const address = '192.0.2.1'

suite('the limits of logins', async () => {
  const { db } = await ownDatabase()
  const clock = fixedClock()
  const noted: unknown[] = []
  let accepts = false

  const stubs = {
    keys: { dataKey: Buffer.alloc(32, 1) },
    captcha: {
      challenge: async () => 'challenge',
      accepts: async (solution: string | undefined) => accepts && solution === 'solved',
    },
    events: {
      emit: ({ name }: { name: string }, _payload: object, more?: unknown) =>
        void noted.push([name, more]),
      emitInTransaction: async (
        { isTransaction }: { isTransaction: boolean },
        { name }: { name: string },
        payload: object,
      ) => void noted.push([name, payload, isTransaction]),
    },
    failures: {
      async failed(_trx: unknown, username: string) {
        noted.push(['failed', username])
        return username === 'ben' ? 2 : null
      },
      succeeded: async (_trx: unknown, username: string) =>
        void noted.push(['succeeded', username]),
    },
  }
  function depsOf(env: Readonly<Record<string, string>>): LoginLimitsDeps {
    const config = loadConfig({ NODE_ENV: 'test', BASE_URL: 'https://auth.example', ...env })
    return { ...(stubs as unknown as LoginLimitsDeps), db, clock, config }
  }
  const few = {
    LOGIN_ATTEMPTS: '2',
    LOGIN_IP_ATTEMPTS: '3',
    LOGIN_PROOF_OF_WORK_AFTER: '0',
    LOGIN_WINDOW_SECONDS: '60',
    LOGIN_ADDRESS_WINDOW_SECONDS: '60',
  }
  const login = createLoginLimits(depsOf(few))
  const many = createLoginLimits(depsOf({ ...few, LOGIN_IP_ATTEMPTS: '99' }))
  const solving = createLoginLimits(
    depsOf({ ...few, LOGIN_ATTEMPTS: '9', LOGIN_PROOF_OF_WORK_AFTER: '1' }),
  )
  const unlimited = createLoginLimits(
    depsOf({ ...few, LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '0' }),
  )

  beforeEach(async () => {
    await db.deleteFrom('throttle_places').execute()
    noted.length = 0
    accepts = false
  })

  const fails = async (): Promise<never> => Promise.reject(wrong)
  const succeeds = async ({ usedUp }: Attempt) => (usedUp ? 'can only fail' : 'admitted')

  /** The result, or the row and the code of the refusal. */
  async function outcome(work: Promise<unknown>): Promise<unknown> {
    return work.catch((error: ApiError) => `${error.row} ${error.reason.code}`)
  }
  const attempt = (more: Partial<LoginAttempt> = {}, on = login, work: typeof succeeds = fails) =>
    outcome(on.attempt({ username: ann, address, ...more }, work))
  const left = async () => {
    const rows = await db.selectFrom('throttle_places').selectAll().orderBy('id').execute()
    return rows.map((row) => readThrottleKey(row).count).join(' ')
  }
  const wrongCode = 'invalidCredentials x-wrong'
  const full = 'tooManyLoginAttempts limit_username_address'
  const fullAddress = 'tooManyLoginAttempts limit_address'

  test('count a failure for the username and for the address, and for the account', async () => {
    assert.equal(await attempt(), wrongCode)
    assert.equal(await left(), 'login address')
    assert.deepEqual(noted, [['failed', 'ann']])
    assert.equal(await attempt(), wrongCode)
    noted.length = 0
    assert.equal(await attempt({}, login, succeeds), full)
    assert.deepEqual(noted, [['authn_login_fail_max', { typed: 'ann' }]])
    assert.equal(await attempt({ address: '192.0.2.2' }), wrongCode)
    assert.equal(await attempt({ username: ben }), wrongCode)
    assert.equal(await attempt({ username: ben }), fullAddress)
    assert.equal(await attempt({ username: null, address: '192.0.2.3' }), wrongCode)
    assert.deepEqual(noted.at(-1), ['authn_login_fail_max', { typed: 'ben' }])
  })

  test('a failure that locks the account is recorded in its transaction', async () => {
    assert.equal(await attempt({ username: ben }), wrongCode)
    assert.deepEqual(noted, [
      ['failed', 'ben'],
      ['authn_login_lock', { user_id: 2 }, true],
    ])
  })

  test('a success resets the username, and the address goes on', async () => {
    await attempt()
    noted.length = 0
    assert.equal(await attempt({}, login, succeeds), 'admitted')
    assert.equal(await left(), 'address')
    assert.deepEqual(noted, [['succeeded', 'ann']])
    await attempt({ username: null })
    assert.equal(await left(), 'address login address')
    assert.equal(await attempt({ username: null }, many, succeeds), 'admitted')
    assert.equal(await left(), 'address address')
  })

  test('an attempt without a password counts here, and not for the account', async () => {
    assert.equal(await attempt({ isIncomplete: true }), wrongCode)
    assert.equal(await left(), 'login address')
    assert.equal(await attempt({ username: null }), wrongCode)
    assert.equal(await left(), 'login address login address')
    assert.deepEqual(noted, [])
  })

  test('an email address and the username of its account share a quota, which is not shown', async () => {
    for (const _ of [1, 2]) await attempt({}, many)
    noted.length = 0
    let read: unknown
    const work = async ({ usedUp }: Attempt) => {
      read = usedUp?.used
      return fails()
    }
    assert.equal(await attempt(annByMail, many, work), wrongCode)
    assert.equal(read, 2)
    assert.deepEqual(noted, [['failed', 'mailto:']], 'no failure in a row of the account')
    const code = outcome(many.attemptCode({ ...annByMail, address }, succeeds))
    assert.equal(await code, full)
    assert.equal(await attempt(annByMail, many), wrongCode)
    assert.equal(await attempt(annByMail, many), full, 'by its own spelling')
  })

  test('a success by email resets the username too', async () => {
    await attempt({}, many)
    assert.equal(await attempt(annByMail, many, succeeds), 'admitted')
    assert.equal(await left(), 'address')
    await attempt(annByMail, many)
    assert.equal(await left(), 'address login address login_by_email')
    assert.equal(await attempt({}, many, succeeds), 'admitted')
    assert.equal(await left(), 'address login address')
  })

  test('a known device has a quota of its own in place of a full address', async () => {
    const device = { userId: 1, digest: 'd' }
    for (const name of ['x', 'y', 'z']) await attempt({ username: name as Username })
    assert.equal(await attempt(), fullAddress)
    assert.equal(await attempt({ device }), wrongCode)
    assert.equal(await attempt({ device: { ...device, digest: 'e' } }), wrongCode)
    assert.match(await left(), /login address login device login device$/)
    assert.equal(await attempt({ device: null }), full)
    assert.equal(await attempt({ device }), full)
  })

  test('a proof of work is asked for, with a challenge, and lets further attempts in', async () => {
    assert.equal(await attempt({}, solving), wrongCode)
    assert.equal(await attempt({}, solving), 'captchaRequired captcha_absent')
    assert.equal(await attempt({ captcha: 'solved' }, solving), 'captchaRequired captcha_wrong')
    const refusal = await solving.attempt({ username: ann, address }, fails).catch((error) => error)
    assert.deepEqual(refusal.extra, { captcha: 'challenge' })
    const frees_at = clock.now() + 60_000
    assert.deepEqual(refusal.reason.facts, { used: 1, attempts: 1, window_seconds: 60, frees_at })
    accepts = true
    assert.equal(await attempt({ captcha: 'other' }, solving), 'captchaRequired captcha_wrong')
    assert.equal(await attempt({ captcha: 'solved' }, solving), wrongCode)
    assert.equal(await left(), 'login address captcha login address captcha')
    await attempt({ captcha: 'solved' }, solving)
    assert.equal(await attempt({ captcha: 'solved' }, solving), fullAddress)
  })

  test('a code needs no proof of work, and counts towards it', async () => {
    const code = () => outcome(solving.attemptCode({ username: ann, address }, fails))
    assert.equal(await code(), wrongCode)
    assert.equal(await code(), wrongCode)
    assert.equal(await attempt({}, solving), 'captchaRequired captcha_absent')
    assert.equal(await code(), wrongCode)
    assert.equal(await code(), fullAddress)
  })

  test('a password that is known is admitted without an attempt', async () => {
    const admit = (on = login) => outcome(on.admit({ username: ann, address }))
    await attempt()
    assert.equal(await admit(), undefined)
    assert.equal(await left(), 'address')
    for (const _ of [1, 2]) await attempt()
    assert.equal(await admit(), full)
    assert.equal(await admit(solving), fullAddress)
    await db.deleteFrom('throttle_places').execute()
    await attempt({}, solving)
    assert.equal(await admit(solving), 'captchaRequired captcha_absent')
  })

  test('of 0 limit nothing', async () => {
    for (let times = 0; times < 5; times += 1) assert.equal(await attempt({}, unlimited), wrongCode)
    const code = outcome(unlimited.attemptCode({ username: ann, address }, fails))
    assert.equal(await code, wrongCode)
    assert.equal(await left(), '')
  })

  test('of clients and of passkeys are apart from these, and no success resets the address', async () => {
    const clients = createClientLimits(depsOf(few))
    const passkeys = createPasskeyLimits(depsOf(few))
    const byClient = (id: string, work = fails) => outcome(clients.attempt({ id, address }, work))
    const byPasskey = (work = fails) => outcome(passkeys.attempt({ address }, work))
    const done = async (): Promise<never> => 'done' as never
    assert.equal(await byClient('app'), wrongCode)
    assert.equal(await byClient('app', done), 'done')
    assert.equal(await left(), 'client_address')
    assert.equal(await byClient('app'), wrongCode)
    assert.equal(await byClient('app'), wrongCode)
    noted.length = 0
    assert.equal(await byClient('app'), 'tooManyLoginAttempts limit_client')
    assert.equal(await byClient('other'), 'tooManyLoginAttempts limit_client_address')
    assert.deepEqual(noted, Array(2).fill(['authn_client_fail_max', undefined]))
    for (const _ of [1, 2]) assert.equal(await byPasskey(), wrongCode)
    assert.equal(await byPasskey(done), 'done')
    assert.equal(await byPasskey(), wrongCode)
    assert.equal(await byPasskey(), 'tooManyLoginAttempts limit_passkey_address')
    assert.deepEqual(noted.at(-1), ['authn_login_fail_max', undefined])
    assert.equal(await attempt(), wrongCode)
  })
})
