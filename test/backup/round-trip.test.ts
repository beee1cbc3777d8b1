// A database makes a difference: a copy goes from each database to each.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect } from '../../src/core/database/connect.ts'
import { latestSchema, migrate, migrateTo, schemaVersion } from '../../src/core/database/migrate.ts'
import { inSnapshot } from '../../src/core/database/snapshot.ts'
import { assertUnused } from '../../src/core/database/sqlite/exclusive-access.ts'
import { tombstoneText } from '../../src/modules/audit/checkpoint-form.ts'
import { checkpointKey } from '../../src/modules/audit/checkpoint-key.ts'
import { readAuditKeys } from '../../src/modules/keys/audit-keys.ts'
import { loadKeySet } from '../../src/modules/keys/key-set.ts'
import { createFindUsers } from '../../src/modules/users/users.ts'
import { modules } from '../../src/modules.ts'
import { testApp } from '../app.ts'
import {
  backup,
  copiedTables,
  leftOutTables,
  loadDump,
  move,
  restore,
  takeDump,
} from '../backups.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { backupOf, folder, passphrase, place, restoring, rowsOf } from '../copies.ts'
import { databaseSettings, postgresOnly, sqliteOnly } from '../database.ts'
import { enrolled } from '../factor.ts'
import { verifyAddress } from '../mail.ts'
import { importLines, line } from '../transfer.ts'
import { seedUsers } from '../users.ts'
import { addDeliveries, newWebhook } from '../webhooks.ts'

type Rows = Awaited<ReturnType<typeof rowsOf>>

/** The rows without the signatures of tombstones, which a restore makes anew. */
function unsigned({ audit_tombstones = [], ...rows }: Rows): Rows {
  const signed = { key_id: '', signature: '' }
  const tombstones = audit_tombstones.map((row) => ({ ...(row as object), ...signed }))
  return { ...rows, audit_tombstones: tombstones } as Rows
}

/** Rows of a copy without the record of the copy itself, which is asserted. */
function withoutNews({ audit_records = [], audit_chains = [], ...rows }: Rows): Rows {
  const news = /^(backup_made|backup_restored|database_moved)$/
  const [made, others] = [true, false].map((isNew) =>
    audit_records.filter(({ type }) => news.test(String(type)) === isNew),
  )
  assert.ok(made?.length, 'the copy itself is recorded')
  const chains = new Set(others?.map(({ chain }) => chain))
  return {
    ...rows,
    audit_records: others ?? [],
    audit_chains: audit_chains.filter(({ chain }) => chains.has(chain)),
  }
}

suite('a copy of everything', async () => {
  const app = await testApp({ REFRESH_ROTATION: 'on' })
  await enrolled(app, 'ann')
  await seedUsers(app, 1201, (index) => ({
    name: `Zoë \u2028 "${index}"`,
    email: `user${index}@example.org`,
  }))
  const { refresh_token } = await app.pair(app.admin)
  for (let use = 0; use < 2; use += 1) {
    await app.call('POST', '/refresh', { form: { refresh_token } })
    app.clock.advance(60)
  }
  const ended = await app.bearer(app.admin)
  await app.call('POST', '/logout', { headers: ended })
  await app.call('POST', '/login', { form: { username: 'ann', password: 'wrong phrase of ann' } })
  const made = await app.call('POST', '/users', {
    headers: { ...app.basic(app.admin), 'idempotency-key': 'once' },
    json: { name: 'Once', email: 'once@example.org' },
  })
  assert.equal(made.status, 201)
  await app.deps.db.insertInto('used_challenges').values({ nonce: 'n', expires_at: 5 }).execute()
  await importLines(app, app.basic(app.admin), [line('imported')])
  await app.call('POST', '/api/posts', { headers: app.basic(app.admin), json: { title: 'Kept' } })
  await app.deps.db
    .insertInto('known_devices')
    .values({ user_id: 1, device: 'd', first_seen_at: 1, last_seen_at: 1 })
    .execute()
  const seen = { created_at: 1, last_used_at: 1, address: '192.0.2.1', user_agent: 'u' }
  await app.deps.db
    .insertInto('remembered_devices')
    .values({ user_id: 1, device: 'd', ...seen })
    .execute()
  await app.deps.db
    .insertInto('passkeys')
    .values({
      ...{ id: 'd', credential_id: 'c', user_id: 1, public_key: 'k', algorithm: -7, counter: 2 },
      ...{ backup_eligible: 1, backed_up: 0, rp_id: 'example.org', name: 'phone' },
      ...{ transports: 'internal', created_at: 1, used_at: 2 },
    })
    .execute()
  await app.deps.db
    .insertInto('used_passkey_challenges')
    .values({ id: 'c', expires_at: 5 })
    .execute()
  await app.deps.db
    .insertInto('api_keys')
    .values({
      ...{ id: 'k', user_id: 1, digest: 'd', kind: 'key', name: 'robot', scopes: 'users:read' },
      ...{ roles: 'USER', created_by: 1, created_at: 1, expires_at: 5 },
      ...{ told_at: null, last_used_at: 2 },
    })
    .execute()
  const identity = { user_id: 1, issuer: 'https://idp.example.org', subject: 's', created_at: 1 }
  await app.deps.db.insertInto('identities').values(identity).execute()
  await app.deps.db
    .insertInto('imported_ids')
    .values({ source: 'keycloak', external_id: 'an-id', user_id: identity.user_id })
    .execute()
  await app.deps.db
    .insertInto('profile_values')
    .values({ user_id: identity.user_id, field: 'team', value: '"Blue"', unique_key: 'blue' })
    .execute()
  await verifyAddress(app, app.admin, 'admin@example.org', 'de')
  const headers = await app.session(app.admin)
  const mailed = await app.call('PUT', '/api/account/email', {
    headers,
    json: { email: 'other@example.org', current_password: app.admin.password },
  })
  assert.equal(mailed.status, 202)
  const invited = await app.call('POST', '/api/admin/invitations', {
    headers,
    json: { email: 'new@example.org', roles: ['USER'], name: 'Zoë' },
  })
  assert.equal(invited.status, 201)
  const client = await app.call('POST', '/api/admin/clients', {
    headers,
    json: { id: 'wiki', type: 'web', redirect_uris: ['https://wiki.example.org/callback'] },
  })
  assert.equal(client.status, 201)
  const registration = await app.call('POST', '/api/admin/clients/registration-tokens', {
    headers,
    json: { name: 'assistants', scopes: ['openid'], redirect_hosts: ['localhost'] },
  })
  assert.equal(registration.status, 201)
  const signed = { at: 5, key_id: 'k', signature: 's' }
  await app.deps.db
    .insertInto('audit_checkpoints')
    .values({ number: 1, previous: 'p', heads: '[]', records: 0, ...signed })
    .execute()
  await app.deps.db
    .insertInto('audit_tombstones')
    .values({ chain: 'c', place: 1, mac: 'm', records: 1, closed: '[4]', ...signed })
    .execute()
  const turned = { key_id: 'k', public_key: 'x', successor: 'l', number: 1, digest: 'd', at: 5 }
  await app.deps.db
    .insertInto('audit_checkpoint_keys')
    .values({ ...turned, own_signature: 's', signature: 's' })
    .execute()
  await verifyAddress(app, { userId: 1 }, 'keeper@example.org')
  for (const host of ['192.0.2.1', '198.51.100.1']) {
    const { username, password } = app.admin
    await app.call('POST', '/login', { json: { username, password }, from: host })
  }
  const sealed = { address_index: 'a', sealed: 's', created_at: 1, expires_at: 5 }
  await app.deps.db
    .insertInto('confirmations')
    .values({ id: 'c', purpose: 'invitation', user_id: null, version: 0, flow: null, ...sealed })
    .execute()
  await app.deps.db
    .insertInto('invitations')
    .values({ confirmation: 'c', roles: 'USER', invited_by: 1, user_id: null, ...sealed })
    .execute()
  const { id: session_id } = await app.deps.db
    .selectFrom('sessions')
    .select('id')
    .executeTakeFirstOrThrow()
  await app.deps.db
    .insertInto('forward_sessions')
    .values({ id: 'f', session_id, origin: 'https://wiki.example.org', created_at: 1 })
    .execute()
  const webhook = await newWebhook(app)
  await addDeliveries(app, webhook.id, [{ state: 'failed' }])
  await app.deps.db
    .insertInto('webhook_events')
    .values({ message: 'm', type: 'user_created', at: 1 })
    .execute()
  await app.deps.db
    .insertInto('erasures')
    .values({ user_id: 9999, pseudonym: 'p', actor_index: 'a', target_index: 't', at: 1 })
    .execute()
  await app.deps.db.insertInto('audit_erasures_unlisted').values({ through: 7 }).execute()
  await app.deps.db
    .insertInto('provider_artifacts')
    .values({
      ...{ id: 'd', kind: 'RefreshToken', client: 'notes', user_id: 1, session_id: null },
      ...{ grant_id: 'g', uid: null, address: '', sealed: 's', consumed_at: null, expires_at: 5 },
    })
    .execute()
  await app.deps.db
    .insertInto('provider_consents')
    .values({ user_id: 1, client: 'notes', scopes: 'openid', given_at: 1 })
    .execute()
  await app.deps.db
    .insertInto('statistics_buckets')
    .values({ step: 60, at: 0, series: 'logins|password|success', count: 3 })
    .execute()
  const before = await rowsOf(app)

  test('every table has rows here, so that none is compared empty', () => {
    // A module with migrations of its own has a test of its own, as test/example-module has.
    const added = modules.flatMap(({ migrations, tables = [] }) => (migrations ? tables : []))
    const empty = Object.entries(before).filter(
      ([name, rows]) => rows.length === 0 && !added.some((table) => table.name === name),
    )
    assert.deepEqual(
      empty.map(([name]) => name),
      [],
    )
  })

  test('backup and restore with logins: every table is the same, but for the seal of the keys', async () => {
    const path = await backupOf(app)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const { deps } = await place()
    const told: string[] = []
    const { counts } = await restore(deps, path, {
      ...restoring,
      keepLogins: true,
      onProgress: (table, done, total) => told.push(`${table} ${done}/${total}`),
    })
    const after = withoutNews(await rowsOf({ deps }))
    const [tombstone] = await deps.db.selectFrom('audit_tombstones').selectAll().execute()
    assert.ok(tombstone)
    const key = checkpointKey((await readAuditKeys(deps.db, deps)).checkpointSeed)
    assert.equal(tombstone.key_id, key.id, 'signed anew by this master key')
    assert.ok(key.verifies(tombstoneText(tombstone), tombstone.signature))
    const unsealed = (rows: typeof before) => ({
      ...unsigned(rows),
      keys: rows.keys?.map((key) => ({ ...(key as object), sealed: '' })),
    })
    assert.deepEqual(unsealed(after), unsealed(before))
    assert.notDeepEqual(after.keys, before.keys)
    assert.equal(counts.get('users'), before.users?.length)
    const ofUsers = told.filter((line) => line.startsWith('users '))
    assert.deepEqual(ofUsers, ['users 500/1205', 'users 1000/1205', 'users 1205/1205'])
    const { total } = await deps.db
      .selectFrom('row_counts')
      .select('total')
      .where('name', '=', 'users')
      .executeTakeFirstOrThrow()
    assert.equal(total, before.users?.length)
  })

  test('by default what signs in or would be sent again stays behind, and nothing else', async () => {
    const { deps } = await place()
    await restore(deps, await backupOf(app), restoring)
    const { keys, ...others } = unsigned(withoutNews(await rowsOf({ deps })))
    const { keys: _, ...expected } = unsigned(before)
    // What signs in, and what would be mailed again.
    const logins = {
      sessions: [],
      forward_sessions: [],
      confirmations: [],
      mails: [],
      webhook_events: [],
      webhook_deliveries: [],
      remembered_devices: [],
      api_keys: [],
      registration_tokens: [],
      provider_artifacts: [],
      provider_consents: [],
    }
    assert.deepEqual(others, { ...expected, ...logins })
    const kept = keys as { id: string; usage: string; algorithm: string }[] // rows of the table
    const known = new Set(before.keys?.map((key) => (key as { id: string }).id))
    assert.deepEqual(
      kept.map(({ id, usage, algorithm }) => [usage, algorithm, known.has(id)]).toSorted(),
      [
        ['data', 'A256GCM', true],
        ['signing', 'HS256', false], // a new one: the installation keeps its algorithm
      ],
    )
  })

  test('an installation keeps its algorithm through a restore, and gets no shorter key', async () => {
    const rsa = await testApp({ TOKEN_ALGORITHM: 'RS256', TOKEN_RSA_BITS: '2304' })
    const path = await backupOf(rsa)
    const old = (await loadKeySet(rsa.deps)).current
    for (const withoutKeys of [false, true]) {
      const { deps } = await place()
      await restore(deps, path, { ...restoring, withoutKeys })
      const { current } = await loadKeySet(deps)
      assert.notEqual(current.kid, old.kid)
      const { modulusLength } = current.verifyWith.asymmetricKeyDetails ?? {}
      assert.deepEqual([current.algorithm, modulusLength], ['RS256', 2304])
    }
    const { deps } = await place()
    await restore(deps, await backupOf(app), restoring)
    assert.equal((await loadKeySet(deps)).current.algorithm, 'HS256')
  })

  sqliteOnly(
    'move: every table is the same, sealed keys too, and ids go on where they were',
    async () => {
      const { deps } = await place()
      const counts = await move({
        ...app.deps,
        from: app.deps,
        to: deps.db,
        target: 'elsewhere',
      })
      assert.deepEqual(withoutNews(await rowsOf({ deps })), before)
      assert.equal(counts.get('sessions'), before.sessions?.length)
      const insert = { name: 'n', email: 'e', name_key: 'n', email_key: 'e' }
      const { id } = await deps.db
        .insertInto('users')
        .values(insert)
        .returning('id')
        .executeTakeFirstOrThrow()
      assert.equal(id, (made.body.id as number) + 2) // one was imported in between
    },
  )

  sqliteOnly(
    'move: what another process writes meanwhile stops it, and nothing is moved',
    async () => {
      const other = await place({}, app.directory)
      const { deps, tables } = await place()
      const moving = move({
        ...app.deps,
        from: app.deps,
        to: deps.db,
        target: 'elsewhere',
        onProgress: (table, done) => {
          if (table !== 'users' || done !== 500) return
          writing = other.deps.db
            .insertInto('used_challenges')
            .values({ nonce: 'meanwhile', expires_at: 5 })
            .execute()
        },
      })
      let writing: Promise<unknown> | undefined
      await assert.rejects(moving, /changed meanwhile/)
      await writing
      assert.deepEqual(await tables(), [])
      await app.deps.db.deleteFrom('used_challenges').where('nonce', '=', 'meanwhile').execute()
    },
  )

  sqliteOnly(
    'move: a database that a service has open is told from one that no process has open',
    async () => {
      assert.throws(() => assertUnused(app.directory), /is in use/)
      assert.throws(() => assertUnused(folder()), /there is no database/)
      const { deps, directory } = await place()
      await migrate(deps.db, deps.clock, { modules })
      assert.throws(() => assertUnused(directory), /is in use/)
      await deps.db.destroy()
      assertUnused(directory)
    },
  )

  postgresOnly(
    'gatehouse move takes a SQLite database to PostgreSQL, and says what to do next',
    async () => {
      const directory = folder()
      const file = connect({ dataDirectory: directory, timeoutMs: 2000, synchronous: 'off' })
      await migrate(file.db, app.clock)
      const values = { name: 'n', email: 'e', name_key: 'n', email_key: 'e' }
      await file.db.insertInto('users').values([values, values, values]).execute()
      const target = folder()
      const { DATABASE_URL: url = '' } = await databaseSettings(target, { isEmpty: true })
      const env = { DATA_DIR: directory, DATABASE_URL: '', MASTER_KEY: '' }
      const move = (to: string) => gatehouse(directory, `move ${to}`, { env })
      assert.match((await move('')).stderr, /where to\?/)
      assert.match((await move('--to mysql://x@y/z')).stderr, /must be empty, or postgres:/)
      const secret = 'postgres://ann:hidden@127.0.0.1/x'
      const refused = await move(`--to ${secret}`)
      assert.equal(refused.code, 2)
      assert.ok(!refused.stderr.includes('hidden'))
      assert.match(
        (await move(`--to ${url}`)).stderr,
        /is in use: stop the service first: database is locked\n/,
      )
      await file.db.destroy()
      const { code, stdout, stderr } = await move(`--to ${url} --verbose`)
      assert.equal(code, 0)
      assert.match(stderr, /"event":"database_moved","to":"[^"]+","users":3,"uid":\d+,"by":"cli"/)
      assert.match(stdout, /^moved: 3 rows in \d+ tables, 3 users\n.*same master key/)
      const { deps } = await place({}, target)
      const ids = await deps.db.selectFrom('users').select('id').orderBy('id').execute()
      assert.deepEqual(
        ids.map(({ id }) => id),
        [1, 2, 3],
      )
      const again = await move(`--to ${url}`)
      assert.match(again.stderr, /the database is not empty/)
    },
  )

  test('a backup while others write holds all that was acknowledged before it, and no half', async () => {
    const { db } = app.deps
    const insertBoth = (name: string) =>
      db.transaction().execute(async (trx) => {
        const values = { name, email: name, name_key: name, email_key: name }
        const { id } = await trx
          .insertInto('users')
          .values(values)
          .returning('id')
          .executeTakeFirstOrThrow()
        await setImmediate()
        await trx
          .insertInto('accounts')
          .values({ user_id: id, username: name, locked: 0, active: 1, created_at: 1 })
          .execute()
        await trx.insertInto('role_assignments').values({ account: id, role: 'USER' }).execute()
        return id
      })
    const acknowledged: number[] = []
    let isDone = false
    const writing = (async () => {
      for (let index = 0; !isDone; index += 1) acknowledged.push(await insertBoth(`w${index}`))
    })()
    while (acknowledged.length < 20) await setImmediate()
    const own = await place({}, app.directory)
    const path = `${folder()}/backup`
    const starting = acknowledged.slice()
    await backup({ ...own.deps, config: app.deps.config }, path, { passphrase: undefined })
    const ending = acknowledged.length
    isDone = true
    await writing
    assert.ok(ending > starting.length, 'they wrote while it was read')

    const { deps } = await place()
    await restore(deps, path, { ...restoring, withoutKeys: true, unverified: true })
    const users = (await deps.db.selectFrom('users').select('id').execute()).map(({ id }) => id)
    for (const id of starting) assert.ok(users.includes(id), `user ${id}`)
    assert.ok(!users.includes(acknowledged.at(-1) ?? 0))
    const halves = await deps.db
      .selectFrom('users')
      .leftJoin('role_assignments', 'role_assignments.account', 'users.id')
      .select('users.id')
      .where('users.name', 'like', 'w%')
      .where('role_assignments.account', 'is', null)
      .execute()
    assert.deepEqual(halves, [])
  })

  sqliteOnly('a mistyped DATA_DIR is told, and nothing is made there', async () => {
    const nowhere = folder()
    const copy = join(folder(), 'copy')
    const lost = await gatehouse(nowhere, `backup ${copy}`, { stdin: passphrase })
    assert.equal(lost.code, 3)
    assert.match(lost.stderr, /there is no database at/)
    assert.deepEqual([readdirSync(nowhere), existsSync(copy)], [[], false])
  })
})

suite('the list of tables', () => {
  sqliteOnly('every table of the schema is copied, or left out with a reason', async () => {
    const { deps, tables } = await place()
    await migrate(deps.db, deps.clock, { modules })
    const listed = [...copiedTables.map(({ name }) => name), ...Object.keys(leftOutTables)]
    const ours = (await tables()).filter((name) => !name.startsWith('sqlite_'))
    assert.deepEqual(listed.toSorted(), ours.toSorted())
    for (const reason of Object.values(leftOutTables)) assert.ok(reason.length > 10)
  })

  sqliteOnly('each names its whole primary key, and whether it gives out ids', async () => {
    const { deps } = await place()
    await migrate(deps.db, deps.clock, { modules })
    for (const { name, key, givesIds } of copiedTables) {
      const { rows: columns } = await sql<{ name: string; pk: number }>`
        select name, pk from pragma_table_info(${name}) where pk > 0 order by pk`.execute(deps.db)
      assert.deepEqual(
        columns.map((column) => column.name),
        key,
        name,
      )
      const { rows } = await sql<{ sql: string }>`
        select sql from sqlite_master where type = 'table' and name = ${name}`.execute(deps.db)
      assert.equal(/autoincrement/.test(rows[0]?.sql ?? ''), givesIds === true, name)
    }
  })

  sqliteOnly('comes in an order that no foreign key contradicts', async () => {
    const { deps } = await place()
    await migrate(deps.db, deps.clock, { modules })
    const names: string[] = copiedTables.map(({ name }) => name)
    for (const [index, name] of names.entries()) {
      const { rows } = await sql<{ table: string }>`
        select "table" from pragma_foreign_key_list(${name})`.execute(deps.db)
      for (const { table } of rows) assert.ok(names.indexOf(table) < index, `${name} -> ${table}`)
    }
  })
})

suite('schemas of other versions', () => {
  for (const schema of [1, latestSchema - 1]) {
    test(`a backup of schema ${schema} is restored as it was, and brought up to date`, async () => {
      const { deps } = await place()
      await deps.db.transaction().execute((trx) => migrateTo(trx, deps.clock, schema))
      const values = { name: 'Old', email: 'old@example.org', name_key: 'old', email_key: 'old' }
      await deps.db.insertInto('users').values(values).execute()
      const path = `${folder()}/backup`
      await backup(deps, path, { passphrase: undefined })
      const target = await place()
      await restore(target.deps, path, { ...restoring, withoutKeys: true, unverified: true })
      assert.equal(await schemaVersion(target.deps.db), latestSchema)
      const find = createFindUsers(target.deps.db, target.deps.config.database)
      const search = { text: 'old', order: { key: 'id', descending: false }, limit: 2 } as const
      assert.equal((await find(search)).total, 1)
      const fresh = await place()
      await migrate(fresh.deps.db, fresh.deps.clock, { modules })
      assert.deepEqual((await target.tables()).toSorted(), (await fresh.tables()).toSorted())
      const users = await target.deps.db.selectFrom('users').select(['id', 'name']).execute()
      assert.deepEqual(
        users.map((user) => ({ ...user })),
        [{ id: 1, name: 'Old' }],
      )
    })
  }

  test('a newer schema is refused, and nothing is written', async () => {
    const source = await place()
    await migrate(source.deps.db, source.deps.clock)
    const { deps, tables } = await place()
    await inSnapshot(source.deps.db, async (snapshot) => {
      const dump = { ...(await takeDump(snapshot)), schema: latestSchema + 1 }
      const loading = deps.db
        .transaction()
        .execute((trx) => loadDump(trx, dump, { clock: deps.clock, keepLogins: true }))
      await assert.rejects(loading, /use a newer Gatehouse/)
    })
    const version = { version: latestSchema + 1, applied_at: 1 }
    await source.deps.db.insertInto('schema_version').values(version).execute()
    const path = `${folder()}/backup`
    await assert.rejects(backup(source.deps, path, { passphrase: undefined }), /use a newer/)
    assert.deepEqual(await tables(), [])
  })

  test('rows that are lost on the way, or come twice, stop it, and nothing is written', async () => {
    const source = await place()
    await migrate(source.deps.db, source.deps.clock)
    const { deps, tables } = await place()
    for (const expected of [0, 2]) {
      await inSnapshot(source.deps.db, async (snapshot) => {
        const dump = await takeDump(snapshot)
        const row = { table: 'used_challenges', columns: ['nonce', 'expires_at'] } as const
        const one = async function* () {
          yield { ...row, rows: [['n', 1]] }
        }
        const counts = new Map([...dump.counts, ['used_challenges', expected] as const])
        const loading = deps.db
          .transaction()
          .execute((trx) =>
            loadDump(
              trx,
              { ...dump, counts, batches: one() },
              { clock: deps.clock, keepLogins: true },
            ),
          )
        await assert.rejects(loading, /used_challenges: 1 rows where \S+ were expected/)
      })
    }
    assert.deepEqual(await tables(), [])
  })
})
