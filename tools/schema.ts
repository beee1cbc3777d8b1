import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../src/core/crypto/digest.ts'
import { moduleStatements, schemaStatements } from '../src/core/database/all-migrations.ts'
import { migrateModules } from '../src/core/database/module-schemas.ts'
import type { SchemaObject } from '../src/core/database/schema-object.ts'
import { modules } from '../src/modules.ts'

/**
 * The last step of `npm run docs` writes the objects that the migrations create on PostgreSQL, read
 * from its catalogs, for the doctor: `test/schema-objects.test.ts` compares the file with a database.
 * The file has a digest of the migrations: PostgreSQL starts only after one was added or edited.
 */
const file = join(import.meta.dirname, '../src/core/database/postgres/schema-expected.ts')
const migrations = digest(
  JSON.stringify([...schemaStatements('postgres'), ...moduleStatements('postgres', modules)]),
)
const head = `// biome-ignore-all lint/complexity/noUselessStringRaw: a later definition may hold a backslash.
import type { SchemaObject, SchemaObjects } from '../schema-object.ts'

// Made by \`npm run docs\`: what the migrations make on PostgreSQL. A line is the name of an object, its
// table, its definition, and the module whose own migrations make it so.
// Digest of the migrations: ${migrations}
const lines = String.raw\`
`
const tail = `\`

/** What the migrations make in an empty database, with the own migrations of these modules. */
export function postgresExpected(modules: ReadonlySet<string>): SchemaObjects {
  return new Map(
    lines
      .trim()
      .split('\\n')
      .map((line): [string, string, string, string?] => JSON.parse(line))
      .filter(([, , , module]) => module === undefined || modules.has(module))
      .map(([name, table, definition]): [string, SchemaObject] => [name, { definition, table }]),
  )
}
`

// In a process of its own, because the test helpers choose their database at import.
if (process.env.TEST_DATABASE === 'postgres') {
  const lines = (await linesOfModules()).map((line) => `${JSON.stringify(line)}\n`)
  if (/`|\$\{/.test(lines.join(''))) throw new Error('a definition would end the text of the file')
  writeFileSync(file, head + lines.join('') + tail)
  process.exit() // otherwise the test runner would report that there are no tests
}
if (!readFileSync(file, 'utf8').includes(migrations)) {
  execFileSync(process.execPath, [import.meta.filename], {
    env: { ...process.env, TEST_DATABASE: 'postgres' },
    stdio: 'inherit',
  })
  const biome = join(import.meta.dirname, '../node_modules/.bin/biome')
  execFileSync(biome, ['check', '--write', file], { stdio: 'inherit' })
}

/** The objects of the shared migrations, then what the own migrations of each module add or change. */
async function linesOfModules(): Promise<(readonly (string | undefined)[])[]> {
  const { connectTo } = await import('../test/database.ts')
  const { postgresObjects } = await import('../src/core/database/postgres/schema-catalog.ts')
  const { db } = await connectTo()
  const clock = { now: () => 0, wait: async () => {} }
  const lines: (readonly (string | undefined)[])[] = []
  const known = new Map<string, SchemaObject>()
  const migrating = modules.filter(({ migrations: own }) => own)
  for (const [index, module] of [undefined, ...migrating].entries()) {
    if (module) await migrateModules(db, clock, migrating.slice(0, index))
    const objects = [...(await postgresObjects(db))].sort(([one], [other]) =>
      one < other ? -1 : 1,
    )
    for (const [name, { definition, table }] of objects) {
      if (known.get(name)?.definition === definition) continue
      known.set(name, { definition, table })
      lines.push([name, table, definition, ...(module ? [module.name] : [])])
    }
  }
  return lines
}
