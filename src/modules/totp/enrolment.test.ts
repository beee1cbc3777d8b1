import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { seededRandom } from '../../../test/random.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { fromBase32 } from '../../core/crypto/base32.ts'
import type { Account } from '../authentication/account.ts'
import type { NewFactor } from '../factors/factors.ts'
import { createTotp, type TotpDeps } from './enrolment.ts'
import { createTotpKind } from './kind.ts'
import { totpStore } from './store.ts'
import { codeOfStep } from './totp.ts'

const account = (userId: number, more: object = {}) =>
  ({
    userId,
    username: 'ann',
    refreshVersion: 1,
    secondFactor: false,
    ...more,
  }) as unknown as Account

suite('the enrolment of an authenticator app', async () => {
  const db = await databaseWithAccounts(3)
  const clock = fixedClock()
  const keys = { dataKey: Buffer.alloc(32, 1) }
  const reread: unknown[] = []
  let ended = false
  const deps: TotpDeps = {
    ...{ db, clock, keys, random: seededRandom(1) },
    accounts: {
      async reread(trx, { userId }) {
        reread.push([trx.isTransaction, userId])
        if (ended) throw new Error('all logins have ended')
        return account(userId)
      },
    },
    factors: {
      async add({ userId }, verify, options) {
        const factor: NewFactor = await verify()
        await factor.store(db)
        return [`${userId} ${factor.id} ${factor.amr} ${options.keepSession}`]
      },
    },
  }
  const totp = createTotp(deps)
  const step = Math.floor(clock.now() / 30_000)
  const wrong = (userId: number) => ({
    ...{ row: 'invalidCredentials' },
    reason: { code: 'enrolment_code_wrong', facts: { user_id: userId } },
  })
  const guard = {
    lockNames: () => [],
    authorize: async () => {
      throw new Error('refused')
    },
  }

  test('begins with a new secret of 160 bits, in the transaction that reads the account again', async () => {
    const { secret, uri } = await totp.begin(account(1))
    assert.match(secret, /^[A-Z2-7]{32}$/)
    assert.equal(uri, `otpauth://totp/Gatehouse:ann?secret=${secret}&issuer=Gatehouse`)
    assert.deepEqual(reread.splice(0), [[true, 1]])
    const before = await totpStore(db).of(1)
    assert.equal(before?.sealed, null)
    ended = true
    await assert.rejects(totp.begin(account(1)), /all logins have ended/)
    ended = false
    await assert.rejects(totp.begin(account(1), guard), /refused/)
    assert.deepEqual(await totpStore(db).of(1), before)
    await totp.abandon(account(1))
    assert.equal(await totpStore(db).of(1), null)
  })

  test('ends with the first code of the secret, which counts once', async () => {
    const { secret } = await totp.begin(account(1))
    const bytes = fromBase32(secret) as Uint8Array
    const code = codeOfStep(bytes, step)
    for (const empty of [undefined, null, '']) {
      await assert.rejects(totp.confirm(account(1), empty, {}), { row: 'validationFailed' })
    }
    await assert.rejects(totp.confirm(account(1), codeOfStep(bytes, step + 2), {}), wrong(1))
    await assert.rejects(totp.confirm(account(2), code, {}), wrong(2))
    const later = account(1, { refreshVersion: 2 })
    await assert.rejects(totp.confirm(later, code, {}), wrong(1))
    assert.equal((await totpStore(db).of(1))?.sealed, null)
    const own = { secondFactor: true }
    assert.equal(await totp.isOn(account(1, own)), false)
    const confirmed = await totp.confirm(account(1), code, { keepSession: 's' })
    assert.deepEqual(confirmed, ['1 totp otp,mfa s'])
    assert.equal((await totpStore(db).of(1))?.confirmedAt, clock.now())
    await assert.rejects(totp.confirm(account(1), code, {}), wrong(1))
    const kind = createTotpKind(deps)
    await assert.rejects(kind.prove(db, account(1), code))
    assert.deepEqual(await kind.prove(db, account(1), codeOfStep(bytes, step + 1)), ['otp', 'mfa'])
    assert.equal(await totp.isOn(account(1, own)), true)
    assert.equal(await totp.isOn(account(1)), false)
    assert.equal(await totp.isOn(account(2, own)), false)
    await totp.abandon(account(1))
    assert.equal(await totp.isOn(account(1, own)), true)
  })

  test('ends once, where two requests confirm the same secret', async () => {
    const { secret } = await totp.begin(account(3))
    const bytes = fromBase32(secret) as Uint8Array
    const both = await Promise.allSettled([
      totp.confirm(account(3), codeOfStep(bytes, step), {}),
      totp.confirm(account(3), codeOfStep(bytes, step + 1), {}),
    ])
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  })

  test('is abandoned if its guard allows', async () => {
    await totp.begin(account(2))
    await assert.rejects(totp.abandon(account(2), guard), /refused/)
    assert.notEqual(await totpStore(db).of(2), null)
    await totp.abandon(account(2))
    assert.equal(await totpStore(db).of(2), null)
  })
})
