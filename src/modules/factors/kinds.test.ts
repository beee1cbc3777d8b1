import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isSent } from './factors.ts'
import { type FactorKind, factorOfForm, factorsIn, type StoredFactor } from './kinds.ts'

const factor = (id: string, createdAt: number | null): StoredFactor => ({
  ...{ id, createdAt, name: null, isConfirmed: true, lastUsedAt: null },
})
const kind = (
  name: string,
  factors: StoredFactor[],
  more: Partial<FactorKind> = {},
): FactorKind => ({
  ...{ name, tables: [], of: async () => factors, prove: async () => [] },
  ...{ remove: async () => {}, removeSince: async () => false, ...more },
})

suite('kinds of factors', () => {
  test('together have the factors of an account, the oldest first', async () => {
    const kinds = [
      kind('one', [factor('a', 3), factor('b', 1)]),
      kind('two', [factor('c', 2), factor('d', null), factor('e', 1)]),
    ]
    const found = await factorsIn(null as never, kinds, 7) // no kind reads it
    assert.deepEqual(
      found.map(({ kind, id }) => `${kind} ${id}`),
      [...['two d', 'one b', 'two e', 'two c', 'one a']],
    )
  })

  test('are proved by the fields of a form, as each is typed', () => {
    const kinds = [kind('one', []), kind('two', [], { typed: (text) => text.toUpperCase() })]
    const typed: Record<string, string> = { one: ' a ', two: ' b ', recovery_code: ' c ' }
    const sent = factorOfForm(kinds, (name) => typed[name] ?? '')
    assert.deepEqual(sent, { one: ' a ', two: ' B ', recovery_code: 'c' })
  })

  test('are not proved by an empty field', () => {
    for (const value of [undefined, null, '']) assert.equal(isSent(value), false)
    for (const value of [' ', 0, false, {}]) assert.equal(isSent(value), true)
  })
})
