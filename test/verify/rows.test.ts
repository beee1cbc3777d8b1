import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isReadOnly, rowsOf } from '../../src/extras/verify/check.ts'
import { allChecks } from '../../src/extras/verify/checks.ts'
import { notCheckable } from '../../src/extras/verify/not-checkable.ts'
import { rows, rowTexts } from '../../src/extras/verify/rows.ts'
import { imports, loadedBy } from '../imports.ts'

const folder = 'src/extras/verify/'

suite('rows and checks of gatehouse verify', () => {
  test('every section of the contract with rows is there', () => {
    const sections = Object.keys(rows)
    const expected = '1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 3.1 3.2 3.3 3.4 4.1 4.2 4.3 4.4 4.5'
    const rest = '5.1 5.2 5.3 5.4 5.5 5.6 5.7 7 8 9' // section 6 has no rows
    assert.deepEqual(sections.toSorted(), `${expected} ${rest}`.split(' ').toSorted())
    assert.ok(rowTexts.size > 130, String(rowTexts.size))
  })

  test('every row has a check, or a reason why there is none', () => {
    const met = new Set([...allChecks, ...notCheckable].flatMap(rowsOf))
    assert.deepEqual(
      [...rowTexts.keys()].filter((row) => ![...met].some((one) => one === row)),
      [],
    )
  })

  test('every check has its own id, and rows that there are', () => {
    const ids = [...allChecks, ...notCheckable].map(({ id }) => id)
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    )
    const unknown = [...allChecks, ...notCheckable]
      .flatMap(rowsOf)
      .filter((row) => !rowTexts.has(row))
    assert.deepEqual(unknown, [])
  })

  test('a check of decisions alone is named d-...', () => {
    const wrong = allChecks.filter((check) => {
      const isOfDecisions = rowsOf(check)[0]?.startsWith('decisions ') === true
      return isOfDecisions !== check.id.startsWith('d-')
    })
    assert.deepEqual(wrong, [])
  })

  test('checks for production send safe requests, and need no value of the run', () => {
    const safe = allChecks.filter(isReadOnly)
    assert.ok(safe.length > 30, String(safe.length))
    assert.deepEqual(
      safe.filter(({ request }) => request.method !== 'GET'),
      [],
    )
    assert.ok(!safe.some(({ id }) => id === '4.2-list-200'))
  })

  test('the module is a black box: it imports the frame of commands, and no part of the service', () => {
    const own = imports.filter(({ from }) => from.startsWith(folder))
    assert.ok(own.length > 50)
    const frame =
      /^(?:src\/extras\/verify\/|src\/core\/cli\/|src\/core\/(?:lib\/clock|addresses\/loopback)\.ts$|src\/core\/crypto\/random\.ts$|node:)/
    const outlaws = own.filter(
      ({ from, to, typesOnly }) =>
        !frame.test(to) &&
        !(from === `${folder}module.ts` && typesOnly && to.endsWith('/module.ts')),
    )
    assert.deepEqual(outlaws, [])
    const { packages } = loadedBy([`${folder}run.ts`, `${folder}command.ts`])
    assert.deepEqual(
      [...packages].filter((name) => !name.startsWith('node:')),
      [],
    )
  })
})
