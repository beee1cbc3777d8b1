import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run schema` writes the objects that the migrations create on PostgreSQL, read from its catalogs,
 * for the doctor: `test/schema-objects.test.ts` compares the file with a database.
 */
const file = join(import.meta.dirname, '../src/core/database/postgres/schema-expected.ts')
const head = `// biome-ignore-all lint/complexity/noUselessStringRaw: a later definition may hold a backslash.
import type { SchemaObject, SchemaObjects } from '../schema-object.ts'

// Made by \`npm run schema\`: what the migrations make on PostgreSQL. A line is the name of an object, its
// table and its definition.
const lines = String.raw\`
`
const tail = `\`

/** What the migrations make in an empty database. */
export function postgresExpected(): SchemaObjects {
  return new Map(
    lines
      .trim()
      .split('\\n')
      .map((line): [string, SchemaObject] => {
        const [name, table, definition]: [string, string, string] = JSON.parse(line)
        return [name, { definition, table }]
      }),
  )
}
`

// In a process of its own, because the test helpers choose their database at import.
if (process.env.TEST_DATABASE === 'postgres') {
  const { connectTo } = await import('../test/database.ts')
  const { postgresObjects } = await import('../src/core/database/postgres/schema-catalog.ts')
  const { migrate } = await import('../src/core/database/migrate.ts')
  const { systemClock } = await import('../src/core/lib/clock.ts')
  const { modules } = await import('../src/modules.ts')
  const { db } = await connectTo()
  await migrate(db, systemClock, { modules })
  const objects = [...(await postgresObjects(db))].sort(([one], [other]) => (one < other ? -1 : 1))
  const lines = objects.map(
    ([name, { definition, table }]) => `${JSON.stringify([name, table, definition])}\n`,
  )
  if (/`|\$\{/.test(lines.join(''))) throw new Error('a definition would end the text of the file')
  writeFileSync(file, head + lines.join('') + tail)
  process.exit() // otherwise the test runner would report that there are no tests
}
execFileSync(process.execPath, [import.meta.filename], {
  env: { ...process.env, TEST_DATABASE: 'postgres' },
  stdio: 'inherit',
})
const biome = join(import.meta.dirname, '../node_modules/.bin/biome')
execFileSync(biome, ['check', '--write', file], { stdio: 'inherit' })
