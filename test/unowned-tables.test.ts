// A database makes a difference: tables are found in its catalog, and dropped by its rules.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { latestSchema, migrate } from '../src/core/database/migrate.ts'
import { unownedTables } from '../src/core/database/unowned-tables.ts'
import type { Module } from '../src/core/module/module.ts'
import { modules } from '../src/modules.ts'
import { testApp } from './app.ts'
import { type Surroundings, gatehouse as withModules } from './cli/gatehouse.ts'
import { folder, passphrase, place } from './copies.ts'
import { postgresOnly } from './database.ts'
import { module as notes } from './example-module/module.ts'

/** The modules whose tables the shared migrations make; others are abandoned by their names. */
const ours = modules.filter(({ migrations = [] }) => migrations.length === 0)
const without = (...names: string[]) => ours.filter(({ name }) => !names.includes(name))
const gatehouse = (directory: string, words: string, more: Surroundings = {}) =>
  withModules(directory, words, { modules: ours, ...more })
const call = 'npm run -s gatehouse --'

/** The database of a service, whose webhooks have two rows in two tables. */
async function usedDatabase() {
  const { deps, directory } = await testApp({}, { modules: ours })
  const endpoint = { id: 'e', sealed: 's', events: '[]', content: 'ids' as const, created_at: 1 }
  await deps.db
    .insertInto('webhook_endpoints')
    .values({ ...endpoint, state: 'enabled', updated_at: 1 })
    .execute()
  await deps.db
    .insertInto('webhook_queues')
    .values({ endpoint: 'e', lane: 'new', due_at: null, locked_by: null })
    .execute()
  const run = (words: string, more = {}) =>
    gatehouse(directory, words, { modules: without('webhooks'), ...more })
  return { db: deps.db, clock: deps.clock, directory, run }
}

const found = 'webhook_endpoints (1 row), webhook_queues (1 row)'
const names = 'webhook_endpoints,webhook_queues'

suite('tables that belong to no module of the program', () => {
  test('a program without a module starts on a database that never had a row of it', async () => {
    const { deps } = await place()
    await migrate(deps.db, deps.clock, { modules: ours })
    for (const { name } of ours.filter((module) => !['core', 'audit'].includes(module.name))) {
      await migrate(deps.db, deps.clock, { modules: without(name) })
    }
  })

  test('full ones stop the start, which names them and both ways out', async () => {
    const { run, db, clock } = await usedDatabase()
    const message =
      `the database has tables that belong to no module of this program: ${found}: start a program ` +
      `that has their module, or drop what they hold: \`${call} migrate --abandon ${names}\``
    await assert.rejects(migrate(db, clock, { modules: without('webhooks') }), { message })
    const migrated = await run('migrate')
    assert.deepEqual([migrated.code, migrated.stderr], [1, `error: ${message}\n`])
    await migrate(db, clock, { modules: ours })
  })

  test('migrate --abandon asks, and drops what the named tables hold', async () => {
    const { run, db, clock } = await usedDatabase()
    const asked = await run(`migrate --abandon ${names}`)
    assert.equal(asked.code, 2)
    const refused = await run(`migrate --abandon ${names}`, { typed: ['n\r'] })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /webhook_endpoints \(1 row\), webhook_queues \(1 row\)\? \[y\/N\]/)
    assert.equal((await unownedTables(db, without('webhooks'))).size, 2)
    const one = await run('migrate --abandon webhook_queues --yes')
    assert.match(one.stderr, /no module of this program: webhook_endpoints \(1 row\): start/)
    assert.equal((await unownedTables(db, without('webhooks'))).size, 2)
    const { code, stdout } = await run(`migrate --abandon ${names} --yes --json`)
    assert.equal(code, 0)
    const abandoned = names.split(',')
    assert.deepEqual(JSON.parse(stdout), { from: latestSchema, to: latestSchema, abandoned })
    await migrate(db, clock, { modules: without('webhooks') })
    // A program with the module finds its tables, empty.
    await migrate(db, clock, { modules: ours })
    assert.deepEqual(await db.selectFrom('webhook_endpoints').selectAll().execute(), [])
  })

  test('a table of a module of the program, or an unknown one, cannot be abandoned', async () => {
    const { run, db } = await usedDatabase()
    for (const name of ['users', 'schema_version', 'webhook_health', 'nothing', 'sessions', '']) {
      const { code, stderr } = await run(`migrate --abandon ${name},webhook_queues --yes`)
      const message = `${name} is no table with rows, and no module, that this program lacks`
      assert.deepEqual([code, stderr], [1, `error: ${message}\n`])
    }
    assert.equal((await unownedTables(db, without('webhooks'))).size, 2)
  })

  test('a backup says which tables it leaves out, and so do its check and its restore', async () => {
    const { run } = await usedDatabase()
    const path = join(folder(), 'backup')
    const line = `left out, of no module of the program: ${found}`
    const left_out = { webhook_endpoints: 1, webhook_queues: 1 }
    const stdin = `${passphrase}\n`
    const made = await run(`backup ${path}`, { stdin })
    assert.equal(made.code, 0, made.stderr)
    assert.ok(made.stdout.includes(line), made.stdout)
    const verified = await run(`backup verify ${path} --json`, { stdin })
    assert.deepEqual(JSON.parse(verified.stdout).left_out, left_out)
    const { directory } = await place()
    const restored = await gatehouse(directory, `restore ${path}`, { stdin })
    assert.equal(restored.code, 0, restored.stderr)
    assert.ok(restored.stdout.includes(line), restored.stdout)
  })

  test('a backup of a program with the module is restored without it if the tables are empty', async () => {
    const { db, directory } = await usedDatabase()
    const stdin = `${passphrase}\n`
    const [full, empty] = [join(folder(), 'full'), join(folder(), 'empty')]
    await gatehouse(directory, `backup ${full}`, { stdin })
    await db.deleteFrom('webhook_queues').execute()
    await db.deleteFrom('webhook_endpoints').execute()
    await gatehouse(directory, `backup ${empty}`, { stdin })
    const to = async (path: string) =>
      gatehouse((await place()).directory, `restore ${path}`, {
        stdin,
        modules: without('webhooks'),
      })
    const refused = await to(full)
    assert.match(refused.stderr, /a table that this program does not know: webhook_endpoints/)
    assert.equal((await to(empty)).code, 0)
  })

  test('a module with migrations of its own is abandoned by its name and its tables', async () => {
    const { deps, directory } = await place()
    const all = [...ours, notes]
    await migrate(deps.db, deps.clock, { modules: all })
    await sql`insert into users (name, email, name_key, email_key) values ('a', 'a', 'a', 'a')`.execute(
      deps.db,
    )
    await sql`insert into notes (owner_id, text, created_at) values (1, 'x', 1)`.execute(deps.db)
    const run = (words: string) => gatehouse(directory, words)
    const gone = await run('migrate')
    assert.equal(
      gone.stderr,
      'error: the database has the module notes, this program does not: start one that has it, ' +
        `or drop the module and its tables: \`${call} migrate --abandon notes,TABLE\`\n`,
    )
    assert.equal((await run('migrate --abandon note_keys --yes')).code, 1)
    const { code, stdout } = await run('migrate --abandon notes,note_keys --yes')
    assert.deepEqual([code, stdout.endsWith('dropped: notes, note_keys\n')], [0, true])
    await migrate(deps.db, deps.clock, { modules: all })
    const { rows } = await sql`select * from notes`.execute(deps.db)
    assert.deepEqual(rows, [])
  })

  postgresOnly('tables of another program in the same schema do not matter', async () => {
    const { deps } = await place()
    await sql`create table of_another (id integer)`.execute(deps.db)
    await sql`insert into of_another values (1)`.execute(deps.db)
    await migrate(deps.db, deps.clock, { modules: ours })
  })
})

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
    const { db, directory } = await usedDatabase()
    const { stdout } = await gatehouse(directory, 'migrate --json', { modules: more })
    assert.deepEqual(JSON.parse(stdout), {
      ...{ from: latestSchema, to: latestSchema, rooms: { webhooks: 2 } },
    })
    const { rows } = await sql`select id, colour from webhook_endpoints`.execute(db)
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

  test('two modules cannot have the same number: each name is there once', async () => {
    const { directory } = await place()
    const modules = [...more, { name: 'webhooks', migrations: [[]] }]
    const { code, stderr } = await gatehouse(directory, 'migrate', { modules })
    assert.deepEqual([code, stderr], [1, 'error: two modules are named webhooks\n'])
  })
})
