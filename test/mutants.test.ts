import assert from 'node:assert/strict'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { hasMutantName, instrumented } from '../lab/mutate/instrumented.ts'
import { mutantsOf } from '../lab/mutate/mutants.ts'

const source = `
const limit = 3
let log = []
const note = (text: string) => log.push(text)
function calm(list: number[] | undefined, other?: { min(a: number): number }) {
  if (list === undefined || !list[0]) return 'none'
  else note('some')
  const few = list.filter((n) => n > limit && n !== 5).slice(1)
  return [few.some((n) => n % 2 === 0), other?.min(4).toString().trim(), few.length ? +1 : 2]
}
[
  calm(undefined), calm([0]), calm([3, 4, 5, 6, 7, 9]), calm([8], Math), calm([1, 2], { min: (a) => a }),
  ...log, log?.length ?? 0, log.concat('x ').at(-1)?.trim() ?? 1,
]
`

test('a source with all its mutants behaves as the source with the chosen one', () => {
  const mutants = mutantsOf(source)
  assert.ok(mutants.length > 25)
  const text = instrumented(source, mutants, 100)
  const resultOf = (code: string, chosen: number) => {
    try {
      const context = { [hasMutantName]: (id: number) => id === chosen, Math }
      return JSON.stringify(runInNewContext(stripTypeScriptTypes(code), context))
    } catch (error) {
      return String(error)
    }
  }
  const expected = resultOf(source, -1)
  assert.equal(resultOf(text, -1), expected)
  const changed = mutants.filter((mutant, index) => {
    const replaced = source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end)
    const result = resultOf(replaced, -1)
    assert.equal(resultOf(text, 100 + index), result, replaced)
    return result !== expected
  })
  assert.ok(changed.length > mutants.length / 2)
})
