import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { seededRandom } from '../../../test/random.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import type { Account } from '../authentication/account.ts'
import { seal } from '../keys/seal.ts'
import { storeImportedSecrets } from './imported.ts'
import { contextOf, createTotpKind, withoutSpaces } from './kind.ts'
import { provision } from './provisioning.ts'
import { totpStore } from './store.ts'
import { codeOfStep } from './totp.ts'

const keys = { dataKey: Buffer.alloc(32, 1) }
const random = seededRandom(1)
const secret = Buffer.from('12345678901234567890')
const of = (userId: number) => ({ userId }) as unknown as Account // what it reads

suite('the factor of an authenticator app', async () => {
  const db = await databaseWithAccounts(3)
  const clock = fixedClock()
  const kind = createTotpKind({ clock, keys })
  const step = Math.floor(clock.now() / 30_000)
  const wrong = (userId: number) => ({
    ...{ row: 'invalidCredentials' },
    reason: { code: 'second_factor_wrong', facts: { user_id: userId } },
  })
  const now = clock.now()
  await storeImportedSecrets(db, [{ userId: 1, secret }], { random, keys, now })

  test('is one of an account, confirmed or not', async () => {
    assert.deepEqual(await kind.of(db, 2), [])
    await totpStore(db).begin(2, 'p')
    const factor = { id: 'totp', name: null }
    const unconfirmed = { ...factor, isConfirmed: false, createdAt: null, lastUsedAt: null }
    assert.deepEqual(await kind.of(db, 2), [unconfirmed])
    const confirmed = { ...factor, isConfirmed: true, createdAt: now, lastUsedAt: 0 }
    assert.deepEqual(await kind.of(db, 1), [confirmed])
  })

  test('is proved by each code once, within one step of the clock', async () => {
    const prove = (code: unknown, userId = 1) => kind.prove(db, of(userId), code)
    await assert.rejects(prove(codeOfStep(secret, step - 2)), wrong(1))
    await assert.rejects(prove(codeOfStep(secret, step + 2)), wrong(1))
    await assert.rejects(prove(undefined), wrong(1))
    await assert.rejects(prove(codeOfStep(secret, step), 2), wrong(2))
    await assert.rejects(prove(codeOfStep(secret, step), 3), wrong(3))
    assert.deepEqual(await prove(codeOfStep(secret, step - 1)), ['otp', 'mfa'])
    assert.equal((await kind.of(db, 1))[0]?.lastUsedAt, (step - 1) * 30_000)
    assert.deepEqual(await prove(codeOfStep(secret, step + 1)), ['otp', 'mfa'])
    assert.equal((await kind.of(db, 1))[0]?.lastUsedAt, clock.now())
    assert.deepEqual(await prove(codeOfStep(secret, step)), ['otp', 'mfa'])
    for (const used of [step - 1, step, step + 1]) {
      await assert.rejects(prove(codeOfStep(secret, used)), wrong(1))
    }
  })

  test('opens no secret of another account', async () => {
    const foreign = seal(random, keys.dataKey, contextOf(1), secret)
    await totpStore(db).remove(2)
    await totpStore(db).insertConfirmed([{ userId: 2, sealed: foreign }], now)
    await assert.rejects(kind.prove(db, of(2), codeOfStep(secret, step)), /authenticate/)
  })

  test('is removed', async () => {
    assert.equal(await kind.removeSince(db, 1, now + 1), false)
    assert.equal((await kind.of(db, 1)).length, 1)
    assert.equal(await kind.removeSince(db, 1, now), true)
    assert.deepEqual(await kind.of(db, 1), [])
    await kind.remove(db, 2, 'totp')
    assert.deepEqual(await kind.of(db, 2), [])
  })

  test('is typed in groups, and provisioned by a URI and its image', async () => {
    assert.equal(withoutSpaces(' 123\u00a0456\n'), '123456')
    assert.equal(kind.typed?.('123 456'), '123456')
    const { qr, ...text } = await provision(Buffer.from('foobar'), 'änn&b')
    const uri = 'otpauth://totp/Gatehouse:%C3%A4nn%26b?secret=MZXW6YTBOI&issuer=Gatehouse'
    assert.deepEqual(text, { secret: 'MZXW6YTBOI', uri })
    assert.match(qr, /^<svg/)
  })
})
