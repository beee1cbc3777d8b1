import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { seededRandom } from '../../../test/random.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { createRecoveryCodes, recoveryCodesIn } from './recovery-codes.ts'

suite('recovery codes', async () => {
  const db = await databaseWithAccounts(2)
  const codes = recoveryCodesIn(db)

  test('are ten of 80 bits each, in groups', () => {
    const made = createRecoveryCodes(seededRandom(1))
    assert.equal(new Set(made).size, 10)
    assert.equal(made.length, 10)
    for (const code of made) assert.match(code, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/)
  })

  test('are used once, in any case, with or without dashes, and of one account', async () => {
    await codes.replace(1, ['ABCD-EFGH', 'IJKL-MNOP', 'QRST-UVWX'], 500)
    await codes.replace(2, ['ABCD-EFGH'], 500)
    assert.equal(await codes.use(1, 'ABCD-EFGX'), false)
    assert.equal(await codes.use(2, 'IJKL-MNOP'), false)
    assert.equal(await codes.use(1, ' abcd efgh'), true)
    assert.equal(await codes.use(1, 'ABCD-EFGH'), false)
    assert.equal(await codes.use(1, 'IJKLMNOP'), true)
    assert.deepEqual([await codes.count(1), await codes.count(2)], [1, 1])
    const rows = await db.selectFrom('recovery_codes').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes('ABCD'))
  })

  test('are replaced, and removed since a time, of one account', async () => {
    await codes.replace(1, ['AAAA'], 500)
    assert.equal(await codes.count(1), 1)
    assert.equal(await codes.use(1, 'QRST-UVWX'), false)
    await codes.removeSince(1, 501)
    assert.equal(await codes.count(1), 1)
    await codes.removeSince(1, 500)
    assert.deepEqual([await codes.count(1), await codes.count(2)], [0, 1])
    await codes.replace(1, ['AAAA'], 500)
    await codes.removeAll(1)
    assert.deepEqual([await codes.count(1), await codes.count(2)], [0, 1])
  })
})
