import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Module } from '../../core/module/module.ts'
import { addedRequirements, cellsByStage, describeRequirements } from './requirement-cells.ts'
import { requirementTable, stages } from './requirement-table.ts'

const terms = {
  'x-terms': { isMet: () => false, cells: { login: 'accessDenied' }, otherwise: 'anonymous' },
} as const
const door = { 'x-door': Object.fromEntries(Object.keys(requirementTable).map((n) => [n, ''])) }
const moduleWith = (name: string, added: object) =>
  ({ name, requirements: async () => added }) as unknown as Module

test('requirements and stages of modules are joined', async () => {
  const modules = [
    { name: 'none' } as Module,
    moduleWith('first', { stages: door }),
    moduleWith('second', { requirements: terms }),
  ]
  assert.deepEqual(await addedRequirements(modules), { stages: door, requirements: terms })
})

test('two modules add no stage and no requirement of one name', async () => {
  for (const [kind, added] of [
    ['stage', { stages: door }],
    ['requirement', { requirements: terms }],
  ] as const) {
    const [name] = Object.keys(Object.values(added)[0] ?? {})
    await assert.rejects(addedRequirements([moduleWith('a', added), moduleWith('b', added)]), {
      message: `the ${kind} ${name} is named by the modules a and b`,
    })
  }
})

test('the description has a line for each stage, in the words of operators', () => {
  const added = { stages: door, requirements: terms } as unknown as Parameters<
    typeof describeRequirements
  >[0]
  const [head = '', ...lines] = describeRequirements(added).trimEnd().split('\n')
  const words = (line = '') => line.split(/\s+/)
  assert.deepEqual(words(head), ['ASKED', 'OF', ...Object.keys(requirementTable), 'x-terms'])
  assert.equal(lines.length, stages.length + 1)
  const shown: Record<string, string> = {
    challenge: 'ask',
    unauthenticated: 'absent',
    'enrolment-only': 'enrols',
    anonymous: 'guest',
    '': '-',
  }
  for (const [index, stage] of stages.entries()) {
    const cells = Object.values(requirementTable).map((row) => row[index] ?? '')
    const last = stage === 'login' ? 'accessDenied' : 'guest'
    const expected = [...cells.map((cell) => shown[cell] ?? cell), last]
    assert.deepEqual(words(lines[index]), [stage, ...expected])
  }
  const none = Object.keys(requirementTable).map(() => '-')
  assert.deepEqual(words(lines.at(-1)), ['x-door', ...none, 'guest'])
})

test('without additions the stages ask the table alone', () => {
  const cells = cellsByStage()
  assert.deepEqual([...cells.keys()], [...stages])
  for (const row of cells.values()) assert.equal(row.length, Object.keys(requirementTable).length)
})
