import { parseArgs } from 'node:util'
import { imports } from './import.ts'
import { logins } from './logins.ts'
import { posts } from './posts.ts'
import { guarded, me } from './requests.ts'
import type { Row } from './rounds.ts'
import { pages, stream } from './users.ts'

const parts = {
  me,
  protected: guarded,
  login: logins,
  users: pages,
  posts,
  stream,
  import: imports,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // For the service's own Node, for instance --node-option=--cpu-prof.
  options: { 'node-option': { type: 'string', multiple: true, default: [] } },
})
const names = Object.keys(parts) as (keyof typeof parts)[] // the keys of a literal
const unknown = positionals.filter((name) => !names.some((known) => known === name))
if (unknown.length > 0) {
  process.stderr.write(`no such part: ${unknown.join(', ')}; there are ${names.join(', ')}\n`)
  process.exit(2)
}

const rows: Row[] = []
for (const name of names) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  process.stderr.write(`${name} ...\n`)
  rows.push(...(await parts[name](values['node-option'])))
}
print(rows)
process.exit(rows.every(({ ok }) => ok) ? 0 : 1)

function print(rows: readonly Row[]): void {
  const table = [
    ['what', 'ours', 'peer', 'ratio', 'goal', 'ok'],
    ...rows.map((row) => [
      row.what,
      row.ours,
      row.peer,
      row.ratio,
      row.goal,
      row.ok ? 'yes' : 'NO',
    ]),
  ]
  const widths = table[0]?.map((_, column) =>
    Math.max(...table.map((cells) => cells[column]?.length ?? 0)),
  )
  for (const cells of table) {
    const line = cells.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join('  ')
    process.stdout.write(`${line.trimEnd()}\n`)
  }
}
