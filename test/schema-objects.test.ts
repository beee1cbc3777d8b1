// A database makes a difference: each has catalogs of its own for the schema.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { postgresObjects } from '../src/core/database/postgres/schema-catalog.ts'
import { postgresExpected } from '../src/core/database/postgres/schema-expected.ts'
import type { SchemaObjects } from '../src/core/database/schema-object.ts'
import { schemaDifferences } from '../src/core/database/schema-objects.ts'
import { modules } from '../src/modules.ts'
import { testApp } from './app.ts'
import { postgresOnly, testDatabase } from './database.ts'
import { module as notes } from './example-module/module.ts'

const none = { missing: [], changed: [], additional: [] }

suite('the objects of the schema', async () => {
  const { deps } = await testApp()
  const { db } = deps
  const run = (text: string) => sql.raw(text).execute(db)

  postgresOnly('equal the file that `npm run docs` writes', async () => {
    const made = (objects: SchemaObjects) => Object.fromEntries(objects)
    assert.deepEqual(
      made(await postgresObjects(db)),
      made(postgresExpected(new Set(modules.map(({ name }) => name)))),
    )
  })

  test('do not differ after the migrations', async () => {
    assert.deepEqual(await schemaDifferences(db, modules), none)
  })

  test('of a module with migrations of its own are expected too', async () => {
    const all = [...modules, notes]
    const app = await testApp({}, { modules: all })
    assert.deepEqual(await schemaDifferences(app.deps.db, all), none)
    await sql`drop index notes_by_owner`.execute(app.deps.db)
    const { missing } = await schemaDifferences(app.deps.db, all)
    // The file for PostgreSQL has the modules of src/modules.ts alone.
    const expected = testDatabase === 'sqlite' ? ['index notes_by_owner'] : []
    assert.deepEqual(
      missing.map(({ name }) => name),
      expected,
    )
  })

  test('differ where a table, an index or a trigger is missing or changed', async () => {
    const names = async () => {
      const { missing, changed, additional } = await schemaDifferences(db, modules)
      const named = (objects: readonly { readonly name: string }[]) =>
        objects.map(({ name }) => name)
      return { missing: named(missing), changed: named(changed), additional: named(additional) }
    }
    const empty = { missing: [], changed: [], additional: [] }
    await run('drop index audit_records_by_actor_index')
    assert.deepEqual(await names(), { ...empty, missing: ['index audit_records_by_actor_index'] })
    await run('create index audit_records_by_actor_index on audit_records (actor_index)')
    assert.deepEqual(await names(), { ...empty, changed: ['index audit_records_by_actor_index'] })
    const [lost] = (await schemaDifferences(db, modules)).changed
    await run('drop index audit_records_by_actor_index')
    await run(lost?.definition ?? '')
    assert.deepEqual(await names(), empty, 'its definition makes it again')

    await run('create index mine on users (name)')
    assert.deepEqual(await names(), { ...empty, additional: ['index mine'] })
    await run('drop index mine')
    await run('create table of_somebody_else (id integer)')
    assert.deepEqual(await names(), empty)
    await run('drop table audit_verifications')
    assert.deepEqual(await names(), { ...empty, missing: ['table audit_verifications'] })

    const [table, trigger] =
      testDatabase === 'postgres'
        ? ['users', 'trigger users.users_counted_in']
        : ['', 'trigger users_counted_in']
    await run(`drop trigger users_counted_in${table && ` on ${table}`}`)
    assert.ok((await names()).missing.includes(trigger))
  })
})
