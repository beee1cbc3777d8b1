// A database makes a difference: a migration runs statements of its own on each.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { latestSchema } from '../src/core/database/migrate.ts'
import { schemaDifferences } from '../src/core/database/schema-objects.ts'
import type { Module } from '../src/core/module/module.ts'
import { examineInside } from '../src/extras/doctor/inside.ts'
import { modules } from '../src/modules.ts'
import { testApp } from './app.ts'
import { gatehouse } from './cli/gatehouse.ts'
import { folder, passphrase, place } from './copies.ts'
import { sqliteOnly } from './database.ts'
import { newWebhook } from './webhooks.ts'

/** The modules without migrations of their own. */
const ours = modules.filter(({ migrations = [] }) => migrations.length === 0)

suite('migrations of a module of the service', () => {
  const more: readonly Module[] = ours.map((module) =>
    module.name === 'webhooks'
      ? {
          ...module,
          migrations: [
            ['alter table webhook_endpoints add column colour text'],
            ['create table webhook_notes (id integer primary key, text text not null) strict'],
          ],
          tables: [...(module.tables ?? []), { name: 'webhook_notes', key: ['id'] }],
        }
      : module,
  )

  test('run on a database that has the tables, in numbers of their own', async () => {
    const { directory, deps } = await testApp({}, { modules: ours })
    const endpoint = { id: 'e', sealed: 's', events: '[]', content: 'ids' as const, created_at: 1 }
    await deps.db
      .insertInto('webhook_endpoints')
      .values({ ...endpoint, state: 'enabled', updated_at: 1 })
      .execute()
    const { stdout } = await gatehouse(directory, 'migrate --json', { modules: more })
    assert.deepEqual(JSON.parse(stdout), {
      ...{ from: latestSchema, to: latestSchema, modules: { webhooks: 2 }, rooms: { webhooks: 2 } },
    })
    const { rows } = await sql`select id, colour from webhook_endpoints`.execute(deps.db)
    assert.deepEqual(
      rows.map((row) => ({ ...(row as object) })),
      [{ id: 'e', colour: null }],
    )
  })

  test('a start runs them, and a backup has their tables', async () => {
    const app = await testApp({}, { modules: more })
    await sql`insert into webhook_notes values (1, 'x')`.execute(app.deps.db)
    const path = join(folder(), 'backup')
    const stdin = `${passphrase}\n`
    const made = await gatehouse(app.directory, `backup ${path}`, { stdin, modules: more })
    assert.equal(made.code, 0, made.stderr)
    const { deps, directory } = await place()
    const restored = await gatehouse(directory, `restore ${path}`, { stdin, modules: more })
    assert.equal(restored.code, 0, restored.stderr)
    const { rows } = await sql<{ text: string }>`select text from webhook_notes`.execute(deps.db)
    assert.equal(rows[0]?.text, 'x')
  })

  for (const known of [0, 1]) {
    test(`an older program, which knows ${known} of them, works on, and makes no backup`, async () => {
      const older = more.map((module) => {
        const { migrations = [] } = module
        return { ...module, migrations: migrations.slice(0, known) }
      })
      const { directory, deps } = await testApp({}, { modules: more })
      const app = await testApp({}, { directory, modules: older })
      await newWebhook(app)
      const run = (words: string) =>
        gatehouse(directory, words, { modules: older, stdin: `${passphrase}\n` })
      assert.equal((await run('account list')).code, 0)
      const versions = {
        from: latestSchema,
        to: latestSchema,
        modules: { webhooks: 2 },
        rooms: { webhooks: 2 },
      }
      assert.deepEqual(JSON.parse((await run('migrate --json')).stdout), versions)
      const newer = `schema 2 of the module webhooks, this program knows ${known}`
      const { code, stderr } = await run(`backup ${join(folder(), 'backup')}`)
      assert.deepEqual([code, stderr], [1, `error: the database has ${newer}: start a newer one\n`])
      const { findings } = await examineInside({ ...deps, ...app.deps }, { modules: older })
      const told = findings.filter(({ check }) => ['schema', 'schema_objects'].includes(check))
      assert.deepEqual(
        told.map(({ check, level, what }) => [check, level, what.en]),
        [['schema', 'warning', `The database has ${newer}: another node is newer.`]],
      )
    })
  }

  sqliteOnly('belong to the schema that the doctor expects', async () => {
    const { deps } = await testApp({}, { modules: more })
    const none = { missing: [], changed: [], additional: [] }
    assert.deepEqual(await schemaDifferences(deps.db, more), none)
  })

  test('two modules cannot have the same number: each name is there once', async () => {
    const { directory } = await place()
    const modules = [...more, { name: 'webhooks', migrations: [[]] }]
    const { code, stderr } = await gatehouse(directory, 'migrate', { modules })
    assert.deepEqual([code, stderr], [1, 'error: two modules are named webhooks\n'])
  })
})
