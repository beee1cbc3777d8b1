import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Count } from '../test/counted-database.ts'

/**
 * Counts the statements and transactions of requests on both databases, and the
 * round trips to PostgreSQL, and writes them to a table in docs/request-costs.md; a test compares the table
 * with the code.
 */
const page = join(import.meta.dirname, '../docs/request-costs.md')
const [start, end] = ['<!-- journeys -->\n', '<!-- end of journeys -->\n']
const databases = ['sqlite', 'postgres'] as const
const head = `| | SQLite: statements | transactions | PostgreSQL: statements | transactions | round trips |
|-|-|-|-|-|-|
`

type Journeys = readonly (readonly [string, Count])[]

/** Reads the counts of one database from docs/request-costs.md. */
export function readJourneys(database: (typeof databases)[number]): [string, Count][] {
  const [, , ...lines] = (partsOf(readFileSync(page, 'utf8'))[1] ?? '').trim().split('\n')
  return lines.map((line) => {
    const [, name = '', ...cells] = line.split('|').map((cell) => cell.trim())
    const ours = cells.slice(2 * databases.indexOf(database)).map(Number)
    const [statements = NaN, transactions = NaN, trips = NaN] = ours
    return [name, { statements, transactions, roundTrips: database === 'sqlite' ? 0 : trips }]
  })
}

function tableOf(sqlite: Journeys, postgres: Journeys): string {
  const rows = sqlite.map(([name, one], index) => {
    const [, other] = postgres[index] ?? []
    const cells = [one, other].flatMap((count) => [count?.statements, count?.transactions])
    return `| ${[name, ...cells, other?.roundTrips].join(' | ')} |\n`
  })
  return head + rows.join('')
}

function partsOf(text: string): [string, string, string] {
  const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)]
  if (from < start.length || to < from)
    throw new Error('docs/request-costs.md has no place for the table')
  return [text.slice(0, from), text.slice(from, to), text.slice(to)]
}

/** Counts in a process of its own, because the test helpers choose their database at import. */
function countOn(database: string): Journeys {
  const output = execFileSync(process.execPath, [import.meta.filename, 'count'], {
    env: { ...process.env, TEST_DATABASE: database },
    encoding: 'utf8',
  })
  return JSON.parse(output)
}

if (import.meta.main && process.argv[2] === 'count') {
  const { countJourneys } = await import('../test/journeys.ts')
  writeFileSync(process.stdout.fd, JSON.stringify(await countJourneys()))
  process.exit() // otherwise the test runner would report that there are no tests
} else if (import.meta.main) {
  const [before, , after] = partsOf(readFileSync(page, 'utf8'))
  const [sqlite = [], postgres = []] = databases.map(countOn)
  writeFileSync(page, before + tableOf(sqlite, postgres) + after)
}
