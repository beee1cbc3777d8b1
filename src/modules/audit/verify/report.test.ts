import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createFindings, generalProblem, type Verification } from './report.ts'
import { shownVerification } from './shown.ts'

suite('the report of a verification', () => {
  const problem = (detail: string, number: number | null = null) => ({
    ...generalProblem('key', detail),
    number,
  })

  test('lists problems in the order of records, and problems without a record last', () => {
    const findings = createFindings()
    assert.deepEqual([findings.count(), findings.list()], [0, []])
    findings.add(problem('late', 9))
    findings.add(problem('general'))
    findings.add(problem('early', 2))
    findings.add(problem('gap'), 5)
    findings.add(problem('first'), 0)
    findings.add(problem('late as well', 9))
    assert.deepEqual(
      findings.list().map(({ detail }) => detail),
      ['first', 'early', 'gap', 'late', 'late as well', 'general'],
    )
  })

  test('keeps the first twenty, and counts all', () => {
    const findings = createFindings()
    for (let number = 25; number > 0; number -= 1) findings.add(problem('p', number))
    assert.equal(findings.count(), 25)
    assert.deepEqual(
      findings.list().map(({ number }) => number),
      Array.from({ length: 20 }, (_, at) => at + 1),
    )
  })

  const found: Verification = {
    ...{ first: null, problems: [], problemCount: 0, fork: null, erased: 3, notes: ['n'] },
    checked: { records: 1, chains: 2, checkpoints: 3, tombstones: 4, outside: null },
    ...{ lastCheckpoint: null, lastOutside: null, uncovered: { records: 0, since: null } },
  }
  const shown = {
    ...{ ok: true, first: null, problem_count: 0, problems: [], fork: null, erased: 3 },
    checked: { records: 1, chains: 2, checkpoints: 3, tombstones: 4, outside: null },
    ...{ last_checkpoint: null, last_outside: null, uncovered: { records: 0, since: null } },
    notes: ['n'],
  }

  test('is shown without what there is not', () => {
    assert.deepEqual(shownVerification(found), shown)
  })

  test('is shown with times of ISO 8601', () => {
    const first = generalProblem('outside', 'd', 'c')
    const at = Date.parse('2026-01-15T12:00:00Z')
    const time = '2026-01-15T12:00:00.000Z'
    const fork = { from: 1, to: 2, lines: 3, at, restore: null }
    const report = {
      ...{ ...found, first, problems: [first], problemCount: 7, fork },
      ...{ lastCheckpoint: { number: 1, at }, lastOutside: { number: 2, at: 0 } },
      uncovered: { records: 4, since: 0 },
    }
    const problems = {
      ...{ ...shown, ok: false, first, problems: [first], problem_count: 7 },
      fork: { ...fork, at: time },
      last_checkpoint: { number: 1, at: time },
      last_outside: { number: 2, at: '1970-01-01T00:00:00.000Z' },
      uncovered: { records: 4, since: '1970-01-01T00:00:00.000Z' },
    }
    assert.deepEqual(shownVerification(report), problems)
    const restore = { id: 'i', at, file: null, created_at: 'x' }
    assert.deepEqual(shownVerification({ ...report, fork: { ...fork, restore } }), {
      ...problems,
      fork: { ...problems.fork, restore: { ...restore, at: time } },
    })
  })
})
