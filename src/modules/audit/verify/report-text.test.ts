import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { generalProblem, type Problem, type Verification } from './report.ts'
import { recordOf, textOfReport, verdict } from './report-text.ts'

suite('the text of a verification', () => {
  const now = Date.parse('2026-01-15T12:00:00Z')
  const time = (ago: number) => new Date(now - ago).toISOString()
  const found: Verification = {
    ...{ first: null, problems: [], problemCount: 0, fork: null, erased: 0, notes: [] },
    checked: { records: 0, chains: 0, checkpoints: 0, tombstones: 0, outside: null },
    ...{ lastCheckpoint: null, lastOutside: null, uncovered: { records: 0, since: null } },
  }
  const linesOf = (more: Partial<Verification> = {}, file: string | null = null) =>
    textOfReport({ ...found, ...more }, { file, now }).split('\n')
  const problem: Problem = {
    ...{ what: 'changed', chain: 'c', place: 2, number: 3, id: 'i', detail: 'it was changed' },
  }
  const sentence = 'number 3, id i, chain c, place 2: it was changed'

  test('of an empty log', () => {
    assert.deepEqual(linesOf(), [
      '0 records in 0 chains, 0 checkpoints and 0 tombstones checked',
      'there is no checkpoint yet: a running service makes one within AUDIT_CHECKPOINT_SECONDS',
      'no checkpoints outside the database were given: a cut tail or an old copy cannot be seen',
      'checkpoints cover every record',
    ])
  })

  test('has counts and ages', () => {
    const one = { records: 1, chains: 1, checkpoints: 1, tombstones: 1, outside: 1 }
    const more = {
      ...{ checked: one, erased: 1, notes: ['a note'] },
      lastCheckpoint: { number: 5, at: now - 1499 },
      lastOutside: { number: 4, at: now - 1500 },
      uncovered: { records: 1, since: now - 9 },
    }
    assert.deepEqual(linesOf(more, '/f'), [
      '1 record in 1 chain, 1 checkpoint and 1 tombstone checked',
      `last checkpoint: 5 of ${time(1499)}, 1 second old`,
      `last checkpoint outside: 4 of ${time(1500)}, 2 seconds old, in /f (1 line)`,
      `1 record since ${time(9)} not covered by a checkpoint yet`,
      '1 record of erased persons',
      'a note',
    ])
    const lines = linesOf({ lastCheckpoint: { number: 5, at: now + 5000 } }, '/f')
    assert.equal(lines[1], `last checkpoint: 5 of ${time(-5000)}, 0 seconds old`)
    assert.equal(lines[2], 'last checkpoint outside: none, in /f (0 lines)')
    assert.equal(
      linesOf({ uncovered: { records: 2, since: 0 } })[3],
      '2 records since 1970-01-01T00:00:00.000Z not covered by a checkpoint yet',
    )
  })

  test('names each problem by what there is, and how many more there are', () => {
    const general = generalProblem('key', 'a key is gone')
    const problems = [
      problem,
      general,
      { ...problem, number: null, id: null },
      { ...general, place: 7 },
    ]
    assert.deepEqual(linesOf({ problems, problemCount: 4 }).slice(4), [
      `BAD ${sentence}`,
      'BAD a key is gone',
      'BAD chain c, place 2: it was changed',
      'BAD place 7: a key is gone',
    ])
    assert.deepEqual(linesOf({ problems: [general], problemCount: 3 }).slice(4), [
      'BAD a key is gone',
      'and 2 more',
    ])
    const steering = { ...problem, chain: '\u001b[2J' }
    assert.equal(linesOf({ problems: [steering], problemCount: 1 })[4]?.includes('\u001b'), false)
  })

  test('advises what to do about a fork', () => {
    const fork = { from: 2, to: 2, lines: 1, at: now, restore: null }
    const advice = (more: object) => linesOf({ fork: { ...fork, ...more } }).slice(4)
    const lacks = (range: string) =>
      `The database lacks ${range}, the newest of ${time(0)}, and no restore of a backup is recorded after it: records were cut off, or an older copy has replaced the database. Keep the file outside and a copy of the database as evidence.`
    assert.deepEqual(advice({}), [lacks('checkpoint 2')])
    assert.deepEqual(advice({ to: 3 }), [lacks('checkpoints 2 to 3')])
    const restored = (range: string, of: string) =>
      `A FORK BY A RESTORE: the database lacks ${range}, the newest of ${time(0)}, because of the restore that was recorded at ${time(5)} (record i): ${of}. If you know of that restore, move the file outside away and keep it: it proves what was lost, and the service begins a new one. If not, an older copy has replaced the database.`
    const restore = { id: 'i', at: now - 5, file: null, created_at: null }
    assert.deepEqual(advice({ restore }), [restored('checkpoint 2', 'of a file')])
    const named = { ...restore, file: 'b.gz', created_at: 'yesterday' }
    assert.deepEqual(advice({ to: 4, restore: named }), [
      restored('checkpoints 2 to 4', 'b.gz, a backup of yesterday'),
    ])
  })

  test('gives the first problem as the reason', () => {
    const reason = `the audit log is not whole: ${sentence}`
    assert.equal(verdict(problem, { ...found, problemCount: 1 }), reason)
    const more = `${reason} (the first of 2 problems)`
    assert.equal(verdict(problem, { ...found, problemCount: 2 }), more)
  })

  test('as JSON has ages and the file', () => {
    const { last_checkpoint, last_outside, outside_file, ok } = recordOf(
      { ...found, lastCheckpoint: { number: 5, at: now - 2000 } },
      { file: '/f', now },
    )
    assert.deepEqual([last_outside, outside_file, ok], [null, '/f', true])
    assert.deepEqual(last_checkpoint, { number: 5, at: time(2000), age_seconds: 2 })
    const outside = { ...found, lastOutside: { number: 4, at: now - 3000 } }
    const record = recordOf(outside, { file: null, now })
    assert.deepEqual(record.last_outside, { number: 4, at: time(3000), age_seconds: 3 })
    assert.deepEqual([record.last_checkpoint, record.outside_file], [null, null])
    assert.deepEqual(Object.keys(record).slice(-4), [
      'last_outside',
      'outside_file',
      'uncovered',
      'notes',
    ])
  })
})
