import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

interface Row {
  readonly ids: readonly string[]
  /** Of ASVS; undefined in the table of the API Security Top 10. */
  readonly level: string | undefined
  readonly shown: string
}

/** The rows of all tables of docs/asvs.md. */
function rowsOf(document: string): Row[] {
  return document.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    const [, ids = '', level] = cells
    if (!/^(?:\d|API\d)/.test(ids)) return []
    assert.ok(cells.length === 5 || cells.length === 6, line)
    const ofAsvs = cells.length === 6
    return [
      {
        ids: ids.split(', '),
        level: ofAsvs ? level : undefined,
        shown: cells.at(-2) ?? '',
      },
    ]
  })
}

const reference = /`([\w./-]+)` "([^"]+)"/g

/** What is wrong with the last column of a row. */
function mistakesOf({ ids, shown }: Row): string[] {
  const references = [...shown.matchAll(reference)]
  const mistakes = references.flatMap(([, path = '', title = '']) => {
    if (!existsSync(join(import.meta.dirname, '..', path))) return [`no file ${path}`]
    return read(path).includes(title) ? [] : [`${path} has no ${title}`]
  })
  if (shown.replace(reference, '').includes('"')) mistakes.push('a title without a file')
  const isSaid = /^(?:not applicable|deviation): /.test(shown)
  if (!isSaid && references.length === 0) mistakes.push('nothing shows it')
  return mistakes.map((mistake) => `${ids}: ${mistake}`)
}

// The lines of level 1 and 2 in each chapter of ASVS 5.0.0.
const linesOfChapters: readonly (readonly [level1: number, level2: number])[] = [
  [8, 19],
  [4, 7],
  [8, 11],
  [2, 8],
  [4, 5],
  [13, 22],
  [6, 12],
  [4, 3],
  [4, 3],
  [5, 24],
  [3, 11],
  [3, 6],
  [1, 12],
  [2, 7],
  [3, 10],
  [0, 16],
  [0, 7],
]

suite('docs/asvs.md', () => {
  const rows = rowsOf(read('docs/asvs.md'))

  test('names files that exist, and titles that they have', () => {
    assert.deepEqual(rows.flatMap(mistakesOf), [])
  })

  test('has each line of levels 1 and 2, and each risk of the API Security Top 10, once', () => {
    const ids = rows.flatMap((row) => row.ids)
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    )
    const ofAsvs = rows.filter((row) => row.level !== undefined)
    const counted = linesOfChapters.map((_, index) =>
      ['1', '2'].map((level) => {
        const ofLevel = ofAsvs.filter((row) => row.level === level).flatMap((row) => row.ids)
        return ofLevel.filter((id) => id.startsWith(`${index + 1}.`)).length
      }),
    )
    assert.deepEqual(counted, linesOfChapters)
    const risks = rows.filter((row) => row.level === undefined).flatMap((row) => row.ids)
    assert.deepEqual(
      risks,
      Array.from({ length: 10 }, (_, index) => `API${index + 1}:2023`),
    )
  })

  test('a wrong row is found', () => {
    const [row] = rowsOf('| 1.1.1 | 2 | asks | `test/none.test.ts` "a"; `docs/asvs.md` "\0" |')
    assert.ok(row)
    assert.deepEqual(mistakesOf(row), [
      '1.1.1: no file test/none.test.ts',
      '1.1.1: docs/asvs.md has no \0',
    ])
    assert.deepEqual(mistakesOf({ ...row, shown: 'soon' }), ['1.1.1: nothing shows it'])
    assert.deepEqual(mistakesOf({ ...row, shown: 'deviation: "a"' }), [
      '1.1.1: a title without a file',
    ])
  })
})
