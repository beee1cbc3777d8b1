// A database makes a difference: the schema of the version before is migrated.
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { type KyselyPlugin, sql } from 'kysely'
import type { Database } from '../../src/core/database/database.ts'
import { latestSchema, migrate, migrateTo, schemaVersion } from '../../src/core/database/migrate.ts'
import { transact } from '../../src/core/database/transactions.ts'
import type { Username } from '../../src/core/lib/username.ts'
import { backup } from '../../src/extras/backup/backup.ts'
import { restore } from '../../src/extras/backup/restore.ts'
import { accountStore } from '../../src/modules/accounts/store.ts'
import { modules } from '../../src/modules.ts'
import { passwordOf, type TestApp, testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { folder, place, restoring } from '../copies.ts'
import { connectTo, type TestConnected, testDatabase } from '../database.ts'
import { masterKey } from '../master-key.ts'
import { assertRefusal } from '../refusal.ts'
import { fillOldPostgres, oldRows, placeOldFile, shown, writtenAt } from './old-database.ts'

const env = { MASTER_KEY: masterKey, REFRESH_ROTATION: 'on', TOKEN_ALGORITHM: '' }

/** A database of schema 13, and the connection that created it. */
async function oldDatabase(): Promise<TestConnected> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  if (testDatabase === 'sqlite') placeOldFile(directory)
  const connected = await connectTo({ directory, isEmpty: true })
  if (testDatabase === 'postgres') await connected.db.transaction().execute(fillOldPostgres)
  return connected
}

async function startedOnOld(): Promise<TestApp> {
  const { db, directory } = await oldDatabase()
  await db.destroy()
  return testApp(env, { directory, clock: fixedClock(writtenAt), seed: 2 })
}

type Rows = Record<string, Record<string, unknown>[]>

suite('a start on the schema of the version before', async () => {
  const app = await startedOnOld()
  const headers = app.basic(app.admin)
  const login = (username: string, more: object = {}) =>
    app.call('POST', '/login', {
      json: { username, password: passwordOf(username), mode: 'token', ...more },
    })

  test('keeps every row, and takes roles and passwords out of accounts', async () => {
    const { db } = await oldDatabase()
    await transact(db, [], (trx) => migrateTo(trx, fixedClock(writtenAt), 14))
    const rowsOf = async (name: string) =>
      byText((await sql`select * from ${sql.table(name)}`.execute(db)).rows)
    for (const [name, before] of oldRows()) {
      const isAccount = name === 'accounts'
      const expected = before.map((row) => {
        const { password_hash, roles, must_change, ...rest } = row
        return isAccount ? rest : row
      })
      assert.deepEqual(await rowsOf(name), byText(expected), name)
    }
    const accounts = oldRows().get('accounts') ?? []
    const roles = accounts.flatMap(({ user_id, roles }) =>
      String(roles)
        .split(',')
        .filter((role) => role !== '')
        .map((role) => ({ account: user_id, role })),
    )
    assert.deepEqual(await rowsOf('role_assignments'), byText(roles))
    const passwords = accounts.map(({ user_id, password_hash, must_change }) => ({
      ...{ account: user_id, hash: password_hash, changed_at: null, must_change },
    }))
    assert.deepEqual(await rowsOf('passwords'), byText(passwords))
    await db.destroy()
  })

  test('every kind of hash logs in, and every state is what it was', async () => {
    for (const username of ['ann', 'bob', 'pam', 'none', 'second-admin']) {
      assert.equal((await login(username)).status, 200, username)
    }
    for (const username of ['locked', 'disabled', 'fay', 'ida', 'staged-1']) {
      assertRefusal(await login(username), 401, 'Invalid credentials', username)
    }
    assertRefusal(await login('due'), 403, 'Password change required')
    const fresh = { new_password: 'a garden of forking paths' }
    assert.equal((await login('due', fresh)).status, 200)
    assertRefusal(await login('tom'), 401, 'Second factor required', 'tom', {
      second_factor: 'totp',
    })
    assert.equal((await login('tom', { recovery_code: shown.recoveryCode })).status, 200)
  })

  test('sessions, tokens and answers that are given again go on', async () => {
    const session = await app.call('GET', '/api/session', { headers: { ...shown.session } })
    assert.deepEqual(
      [session.status, session.body.username, session.body.roles],
      [200, 'ann', ['USER', 'EDITOR']],
    )
    const me = (token: string) =>
      app.call('GET', '/api/me', { headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual((await me(shown.token)).body.roles, ['USER', 'EDITOR'])
    assertRefusal(await me(shown.revokedToken), 401, 'Invalid token')
    const refresh = (refresh_token: string) =>
      app.call('POST', '/refresh', { json: { refresh_token } })
    const refreshed = refresh(shown.refreshToken)
    app.clock.advance(2) // the key of refresh tokens, which the start has made, is known to all
    const { status, body } = await refreshed
    assert.equal(status, 200)
    const [old, access, successor] = [
      shown.refreshToken,
      body.access_token,
      body.refresh_token,
    ].map((token) => decodeProtectedHeader(token))
    assert.deepEqual([access?.alg, access?.kid], ['HS256', old?.kid], 'the algorithm is kept')
    assert.equal(successor?.alg, 'HS256')
    assert.notEqual(successor?.kid, old?.kid)
    const again = await app.call('POST', '/users', {
      headers: { ...headers, 'idempotency-key': shown.idempotencyKey },
      json: { name: 'Once', email: 'once@example.org' },
    })
    assert.deepEqual([again.status, again.body], [201, shown.idempotentAnswer])
  })

  test('lists, totals and rules are by the new tables', async () => {
    const { body } = await app.call('GET', '/api/admin/accounts?limit=50', { headers })
    const shownRoles = (body.data as { username: string; roles: string[] }[]).map(
      ({ username, roles }) => `${username} ${roles.join(' ')}`,
    )
    assert.deepEqual(shownRoles.slice(0, 3), [
      'admin USER EDITOR ADMIN',
      'ann USER EDITOR',
      'second-admin ADMIN',
    ])
    assert.equal(body.total, 12)
    const statistics = await app.call('GET', '/api/admin/statistics', { headers })
    assert.deepEqual(statistics.body.accounts, {
      total: 12,
      by_role: { USER: 8, EDITOR: 4, ADMIN: 2 },
      ...{ locked: 1, disabled: 1, second_factor: 1, must_change: 0 },
    })
    const remove = (name: string) => app.call('DELETE', `/api/admin/accounts/${name}`, { headers })
    assert.equal((await remove('second-admin')).status, 200)
    assertRefusal(await remove('admin'), 409, 'Last administrator')
  })

  test('an import that was half-way is given up, and ids are not given twice', async () => {
    app.clock.advance(301)
    await app.app.jobs.find(({ name }) => name === 'dead imports')?.run()
    const { accounts, row_counts, imports } = (await app.rows()) as Rows
    assert.deepEqual(imports, [])
    assert.ok(!accounts?.some(({ username }) => String(username).startsWith('staged')))
    assert.ok(!row_counts?.some(({ name }) => String(name).startsWith('import')))
    const json = { name: 'New', email: 'new@example.org' }
    const made = await app.call('POST', '/users', { headers, json })
    assert.equal(made.body.id, 17)
  })
})

suite('the step from schema 13', () => {
  const parts = 4 // each is a test of its own, which has its own minute
  for (const part of Array(parts).keys()) {
    test(`fails whole at any of its statements, part ${part + 1} of ${parts}`, async () => {
      const { db } = await oldDatabase()
      const before = await printOf(db)
      const clock = fixedClock(writtenAt)
      let ran = 0
      for (let at = part + 1; ; at += parts) {
        let left = at
        const dying: KyselyPlugin = {
          transformQuery: ({ node }) => node,
          async transformResult({ result }) {
            left -= 1
            if (left === 0) throw new Error('died')
            return result
          },
        }
        const done = await migrate(db.withPlugin(dying), clock).then(
          () => true,
          (error: Error) => {
            assert.equal(error.message, 'died')
            return false
          },
        )
        if (done) break
        ran = at
        assert.equal(await printOf(db), before, `statement ${at}`)
      }
      assert.ok(ran > 20, `${ran} statements`)
      assert.equal(await schemaVersion(db), latestSchema)
      await db.destroy()
    })
  }

  test('takes roles that were written by hand, a name twice and what is no name', async () => {
    const { db } = await oldDatabase()
    const written = `USER,ROLE_ADMIN,ADMIN,,USER,"x\\`
    await sql`update accounts set roles = ${written} where username = 'ann'`.execute(db)
    await migrate(db, fixedClock(writtenAt))
    const ann = await accountStore(db).byUsername('ann' as Username)
    assert.deepEqual(ann?.roles, ['USER', 'ADMIN'])
    assert.equal(await accountStore(db).hasRole(ann.userId, 'ADMIN'), true)
    await db.destroy()
  })

  for (const schema of [13, latestSchema]) {
    test(`a backup of schema ${schema} is restored, but for the import that was under way`, async () => {
      const { db: old, directory } = await oldDatabase()
      await transact(old, [], (trx) => migrateTo(trx, fixedClock(writtenAt), schema))
      const source = await place({ MASTER_KEY: masterKey }, directory)
      const path = `${folder()}/backup`
      await backup({ ...source.deps, modules }, path, { passphrase: undefined })
      const { deps } = await place()
      await restore({ ...deps, modules }, path, {
        ...restoring,
        withoutKeys: true,
        unverified: true,
      })
      const { db } = deps
      assert.equal(await schemaVersion(db), latestSchema)
      const roles = await db
        .selectFrom('role_assignments')
        .innerJoin('accounts', 'user_id', 'account')
        .select(['username', 'role'])
        .where('role', '=', 'ADMIN')
        .orderBy('user_id')
        .execute()
      assert.deepEqual(
        roles.map(({ username }) => username),
        ['admin', 'second-admin'], // what an import under way has made stays behind
      )
      const { count } = await db
        .selectFrom('passwords')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      assert.equal(count, 12)
      assert.equal(await accountStore(db).count(), 12)
      await old.destroy()
    })
  }
})

test('a schema of the future is refused before anything is changed', async () => {
  const { db } = await connectTo({ isEmpty: true })
  await migrate(db, fixedClock())
  const version = latestSchema + 1
  await db.insertInto('schema_version').values({ version, applied_at: 1 }).execute()
  const before = await printOf(db)
  await assert.rejects(migrate(db, fixedClock()), {
    message: `the database has schema ${version}, this program knows ${latestSchema}: start a newer Gatehouse`,
  })
  assert.equal(await printOf(db), before)
  await db.destroy()
})

/** Reads the tables, and every row of them. */
async function printOf(db: Database): Promise<string> {
  const names = await (testDatabase === 'sqlite'
    ? sql<{ name: string; what: string }>`select name, sql as what from sqlite_master order by 1`
    : sql<{ name: string; what: string }>`
        select table_name as name, column_name || data_type as what
        from information_schema.columns where table_schema = 'public' order by 1, 2`
  ).execute(db)
  const rows: unknown[] = []
  for (const name of [...oldRows().keys(), 'schema_version']) {
    rows.push(byText((await sql`select * from ${sql.table(name)}`.execute(db)).rows))
  }
  return JSON.stringify([names.rows, rows])
}

/** Sorts rows, because the queries have no order. */
function byText(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(Object.entries(row as object).toSorted())).toSorted()
}
