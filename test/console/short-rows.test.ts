import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { components } from '../../web/console/api/openapi.d.ts'
import { shortTime } from '../../web/console/components/short-time.ts'
import { foldReads } from '../../web/console/views/audit/fold-reads.ts'

type AuditRecord = components['schemas']['AuditRecord']

const now = Date.UTC(2026, 10, 27, 12)
const shown = (seconds: number, locale = 'en') =>
  shortTime(new Date(now + seconds * 1000), now, locale)

test('a time is short: how long ago it was, or when it is, and a date after a month', () => {
  const times: readonly (readonly [number, string])[] = [
    ...([
      [0, 'now'],
      [-59, 'now'],
      [-60, '1 min. ago'],
      [-3599, '59 min. ago'],
    ] as const),
    ...([
      [-3600, '1 hr. ago'],
      [-86_399, '23 hr. ago'],
      [-86_400, 'yesterday'],
    ] as const),
    ...([
      [-30 * 86_400, '30 days ago'],
      [-31 * 86_400, 'Oct 27, 2026'],
    ] as const),
    ...([
      [59, 'now'],
      [120, 'in 2 min.'],
      [3 * 86_400, 'in 3 days'],
    ] as const),
  ]
  for (const [seconds, text] of times) assert.equal(shown(seconds), text)
  assert.equal(shown(-7200, 'de'), 'vor 2 Std.')
})

test('reads of a person that follow each other are one row, and nothing else is folded', () => {
  const record = (id: string, type: string, username: string | null) =>
    ({ id, type, actor: { username } }) as AuditRecord // the rest of it is not looked at
  const records = [
    ...[record('1', 'sensitive_read', 'ann'), record('2', 'sensitive_read', 'ann')],
    ...[record('3', 'user_created', 'ann'), record('4', 'sensitive_read', 'bob')],
    ...[record('5', 'sensitive_read', 'bob'), record('6', 'sensitive_read', 'ann')],
    ...[record('7', 'sensitive_read', null), record('8', 'sensitive_read', null)],
  ]
  const rowsFor = (name: string | null) =>
    foldReads(records, name).map(({ count, first }) => `${first.id}x${count}`)
  assert.deepEqual(rowsFor('ann'), ['1x2', '3x1', '4x1', '5x1', '6x1', '7x1', '8x1'])
  assert.deepEqual(rowsFor('bob'), ['1x1', '2x1', '3x1', '4x2', '6x1', '7x1', '8x1'])
  assert.equal(rowsFor(null).length, records.length)
})
