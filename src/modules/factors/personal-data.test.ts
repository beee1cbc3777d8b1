import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databaseWithAccounts } from '../../../test/stores.ts'
import type { FactorKind, StoredFactor } from './kinds.ts'
import { sectionsOf } from './personal-data.ts'
import { recoveryCodesIn } from './recovery-codes.ts'

suite('second factors in the personal data', async () => {
  const db = await databaseWithAccounts(1)
  const factors: StoredFactor[] = []
  const kind = { name: 'app', tables: ['second_factors'], of: async () => factors }
  const [section] = sectionsOf([kind as unknown as FactorKind]) // what it calls
  const read = async () => {
    const items = []
    for await (const batch of section?.read(db, 1) ?? []) items.push(...batch)
    return items
  }

  test('come from all tables, without their ids', async () => {
    assert.deepEqual(section?.tables, ['second_factors', 'recovery_codes'])
    assert.deepEqual(await read(), [])
    await recoveryCodesIn(db).replace(1, ['AAAA', 'BBBB'], 0)
    const factor = { name: 'Phone', createdAt: 1000, lastUsedAt: null }
    factors.push({ ...factor, id: 'a', isConfirmed: false })
    const shown = {
      ...{ kind: 'app', name: 'Phone', created_at: '1970-01-01T00:00:01.000Z' },
      last_used_at: null,
    }
    const body = { is_confirmed: false, recovery_codes_left: 2, factors: [shown] }
    assert.deepEqual(await read(), [body])
    factors.push({ ...factor, id: 'b', isConfirmed: true })
    assert.deepEqual(await read(), [{ ...body, is_confirmed: true, factors: [shown, shown] }])
  })
})
