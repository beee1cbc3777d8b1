// A database makes a difference: tables are found in its catalog, and dropped by its rules.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { latestSchema, migrate } from '../src/core/database/migrate.ts'
import { connectionOf } from '../src/core/database/postgres/address.ts'
import {
  existingTables,
  unownedTables,
  versionsInUse,
} from '../src/core/database/unowned-tables.ts'
import { holdServiceLock } from '../src/core/workers/service-lock.ts'
import { modules } from '../src/modules.ts'
import { testApp } from './app.ts'
import { type Surroundings, gatehouse as withModules } from './cli/gatehouse.ts'
import { steppingClock } from './clock.ts'
import { folder, passphrase, place, withDigest } from './copies.ts'
import { connectTo, postgresOnly, sqliteOnly } from './database.ts'
import { module as notes } from './example-module/module.ts'
import { tables as noteTables } from './example-module/tables.ts'
import { newWebhook, webhooks } from './webhooks.ts'

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
const ofNotes = noteTables.map(({ name }) => name)

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
    const parent = await run('migrate --abandon webhook_endpoints --yes')
    const both = 'the table webhook_queues refers to webhook_endpoints: name both, or none'
    assert.deepEqual([parent.code, parent.stderr], [1, `error: ${both}\n`])
    assert.equal((await unownedTables(db, without('webhooks'))).size, 2)
    const { code, stdout } = await run(`migrate --abandon webhook_queues,${names} --yes --json`)
    assert.equal(code, 0)
    const abandoned = names.split(',').toReversed()
    assert.deepEqual(JSON.parse(stdout), { from: latestSchema, to: latestSchema, abandoned })
    const again = await run(`migrate --abandon ${names} --yes`)
    const nothing =
      'webhook_endpoints is no table with rows, and no module, that this program lacks'
    assert.deepEqual([again.code, again.stderr], [1, `error: ${nothing}\n`])
    await migrate(db, clock, { modules: without('webhooks') })
    // A program with the module finds its tables, empty.
    await migrate(db, clock, { modules: ours })
    assert.deepEqual(await db.selectFrom('webhook_endpoints').selectAll().execute(), [])
  })

  test('a table of a module of the program, or an unknown one, cannot be abandoned', async () => {
    const { run, db } = await usedDatabase()
    const known = ['users', 'schema_version', 'webhook_health', 'sessions']
    const odd = ['nothing', 'sqlite_master', 'pg_class', '"webhook_queues"', 'main.webhook_queues']
    for (const name of [...known, ...odd]) {
      const { code, stderr } = await run(`migrate --abandon ${name},webhook_queues --yes`)
      const message = `${name} is no table with rows, and no module, that this program lacks`
      assert.deepEqual([code, stderr], [1, `error: ${message}\n`])
    }
    for (const list of ["''", "' '", 'webhook_queues,', ',webhook_queues']) {
      const { code, stderr } = await run(`migrate --abandon ${list} --yes`)
      assert.equal(code, 2)
      assert.match(stderr, /^error: --abandon must have no empty name\n/)
    }
    assert.equal((await unownedTables(db, without('webhooks'))).size, 2)
  })

  test('a node that has the module goes on when its tables were emptied', async () => {
    const app = await testApp({}, { modules: ours })
    await newWebhook(app)
    const headers = await app.bearer(app.admin)
    const add = async (name: string) =>
      app.call('POST', '/users', { headers, json: { name, email: `${name}@example.org` } })
    await add('ann')
    const filled = [...(await unownedTables(app.deps.db, without('webhooks'))).keys()].join()
    assert.match(filled, /^webhook_endpoints,/)
    const { code, stdout } = await gatehouse(app.directory, `migrate --abandon ${filled} --yes`, {
      modules: without('webhooks'),
    })
    assert.equal(code, 0)
    assert.ok(
      stdout.endsWith(`\nemptied, the tables stay: ${filled.replaceAll(',', ', ')}\n`),
      stdout,
    )
    assert.equal((await add('bob')).status, 201)
    const listed = await app.call('GET', webhooks, { headers })
    assert.deepEqual([listed.status, listed.body.data], [200, []])
    await newWebhook(app)
  })

  sqliteOnly('nothing is abandoned while a service runs', async () => {
    const { run, db, directory } = await usedDatabase()
    holdServiceLock(directory)
    const { code, stderr } = await run(`migrate --abandon ${names} --yes`)
    const inUse = `${directory} is in use: stop the service first: database is locked`
    assert.deepEqual([code, stderr], [1, `error: ${inUse}\n`])
    assert.equal((await unownedTables(db, without('webhooks'))).size, 2)
  })

  postgresOnly('no table is dropped while another node is connected', async () => {
    const { deps, directory } = await place()
    await migrate(deps.db, deps.clock, { modules: [...ours, notes] })
    const { address } = await connectTo({ directory })
    assert.ok(address)
    const node = new pg.Client({ ...connectionOf(address), application_name: 'gatehouse' })
    await node.connect()
    const clock = steppingClock(deps.clock)
    const drop = `migrate --abandon ${ofNotes}`
    const refused = await gatehouse(directory, `${drop} --yes`, { clock })
    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      new RegExp(
        `^error: other nodes are connected to the database, from .+, and may use the tables: stop them; if none has the module, \`npm run -s gatehouse -- ${drop} --contract\`\n$`,
      ),
    )
    assert.ok((await existingTables(deps.db)).has('note_keys'))
    const { code, stdout } = await gatehouse(directory, `${drop} --contract --yes`, { clock })
    assert.deepEqual([code, stdout.endsWith(`\ndropped: ${ofNotes.join(', ')}\n`)], [0, true])
    await node.end()
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

  test('a backup that nothing authenticates cannot steer the terminal', async () => {
    const { run } = await usedDatabase()
    const path = join(folder(), 'backup')
    await run(`backup --without-keys ${path}`)
    const whole = readFileSync(path)
    const headerEnd = whole.indexOf('\n')
    const texts = { created_at: '\u202e\u001b[2J', left_out: { '\u001b[1A': 1 } }
    const header = { ...JSON.parse(whole.subarray(0, headerEnd).toString()), ...texts }
    const rows = whole.subarray(headerEnd, whole.lastIndexOf('\n{"sha256"') + 1)
    writeFileSync(path, withDigest(Buffer.concat([Buffer.from(JSON.stringify(header)), rows])))
    const { code, stderr, stdout } = await run(`backup verify ${path} --unverified`)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^good, as of \\u\{202e\}\\u\{1b\}\[2J: /)
    assert.ok(stdout.endsWith('of no module of the program: \\u{1b}[1A (1 row)\n'), stdout)
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
    for (const names of ['note_keys', 'notes,row_count_slots', 'notes,schema_version']) {
      assert.equal((await run(`migrate --abandon ${names} --yes`)).code, 1, names)
    }
    const { code, stdout } = await run(`migrate --abandon ${ofNotes} --yes`)
    assert.deepEqual([code, stdout.endsWith(`dropped: ${ofNotes.join(', ')}\n`)], [0, true])
    await migrate(deps.db, deps.clock, { modules: all })
    const { rows } = await sql`select * from notes`.execute(deps.db)
    assert.deepEqual(rows, [])
  })

  test('a module with migrations of its own is gone: empty tables do not stop the start', async () => {
    const { db, clock, directory } = await usedDatabase()
    const all = [...ours, notes]
    await migrate(db, clock, { modules: all })
    const [stdin, file] = [`${passphrase}\n`, join(folder(), 'without-notes')]
    const runs: readonly [string, string][] = [
      [directory, 'migrate'],
      [directory, `backup ${file}`],
      [(await place()).directory, `restore ${file}`],
    ]
    for (const [place, words] of runs) {
      const { code, stderr } = await gatehouse(place, words, { stdin })
      assert.equal(code, 0, `${words}: ${stderr}`)
    }
    await migrate(db, clock, { modules: all })
    assert.ok((await existingTables(db)).has('notes'))
  })

  postgresOnly('a table that the service may not read is none of a gone module', async () => {
    const { deps } = await place()
    await migrate(deps.db, deps.clock, { modules: [...ours, notes] })
    await sql`create table of_another (id integer)`.execute(deps.db)
    await sql`insert into of_another values (1)`.execute(deps.db)
    await assert.rejects(
      migrate(deps.db, deps.clock, { modules: ours }),
      /the database has the module notes, this program does not/,
    )
    const role = sql.id(`reader_${randomUUID()}`)
    await deps.db.transaction().execute(async (trx) => {
      await sql`create role ${role}`.execute(trx)
      await sql`grant select on room_schemas, notes, note_keys to ${role}`.execute(trx)
      await sql`set local role ${role}`.execute(trx)
      assert.deepEqual([...(await versionsInUse(trx, ours)).keys()], [])
      await sql`reset role`.execute(trx)
      await sql`drop owned by ${role}`.execute(trx)
      await sql`drop role ${role}`.execute(trx)
    })
  })

  postgresOnly('tables of another program in the same schema do not matter', async () => {
    const { deps } = await place()
    await sql`create table of_another (id integer)`.execute(deps.db)
    await sql`insert into of_another values (1)`.execute(deps.db)
    await migrate(deps.db, deps.clock, { modules: ours })
  })
})
