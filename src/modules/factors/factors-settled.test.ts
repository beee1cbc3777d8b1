// A database makes a difference: the limit and the proof change in one transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestApp } from '../../../test/app.ts'
import { fixedClock } from '../../../test/clock.ts'
import { refuseChanges } from '../../../test/database.ts'
import { seededRandom } from '../../../test/random.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { transact } from '../../core/database/transactions.ts'
import type { Account } from '../authentication/account.ts'
import { createFactors, type FactorsDeps } from './factors.ts'
import { recoveryCodesIn } from './recovery-codes.ts'

suite('second factors whose attempt cannot be settled', async () => {
  const db = await databaseWithAccounts(1)
  const account = { userId: 1, roles: [] } as unknown as Account // what it reads
  const codes = recoveryCodesIn(db)
  const kind = { name: 'app', of: async () => [] }
  const factors = createFactors({
    ...{ db, clock: fixedClock(), random: seededRandom(1), factorKinds: () => [kind] },
    events: { emit() {}, async emitInTransaction() {} },
    accounts: {
      changeSecondFactor: async (_userId: number, { work }: { work: () => Promise<boolean> }) =>
        void (await transact(db, [], work)),
    },
  } as unknown as FactorsDeps) // what it calls

  async function whileRefused(work: () => Promise<unknown>): Promise<void> {
    const allow = await refuseChanges({ deps: { db } } as TestApp, 'delete on throttle_places')
    await assert.rejects(work(), /refused/)
    await allow()
  }

  test('a recovery code stays, and counts later', async () => {
    await codes.replace(1, ['AAAA', 'BBBB'], 0)
    const prove = () => factors.prove(account, { recovery_code: 'AAAA' })
    await whileRefused(prove)
    assert.equal(await codes.count(1), 2)
    assert.deepEqual(await prove(), ['otp', 'mfa'])
    assert.equal(await codes.count(1), 1)
  })

  test('a factor is not added', async () => {
    await codes.removeAll(1)
    const verify = async () => ({
      ...{ id: 'a', amr: ['otp', 'mfa'] as const },
      store: async () => {},
    })
    const add = () => factors.add(account, verify, {})
    await whileRefused(add)
    assert.equal(await codes.count(1), 0)
    assert.equal((await add()).length, 10)
    assert.equal(await codes.count(1), 10)
  })
})
