// A database makes a difference: triggers count, and the plans of the statements are asserted.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from 'kysely'
import type { Database } from '../../src/core/database/database.ts'
import { loadKeySet } from '../../src/modules/keys/key-set.ts'
import { createThrottleOverview, maxListedAttempts } from '../../src/modules/throttle/overview.ts'
import { testApp } from '../app.ts'
import { testDatabase } from '../database.ts'
import { guess } from '../logins.ts'

const attempts = 20_000
const isValue = (parameter: unknown) => typeof parameter !== 'object'

/** What an administrator reads of the limits, while many attempts count. */
suite('the figures of the login limits', async () => {
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '20' })
  const { db, clock } = app.deps
  const keys = await loadKeySet(app.deps)
  const overviewOf = (database: Database) =>
    createThrottleOverview({ ...app.deps, keys, db: database })
  const overview = overviewOf(db)
  const admin = async (path: string) =>
    app.call('GET', path, { headers: await app.bearer(app.admin) })
  const statistics = async () => (await admin('/api/admin/statistics')).body.blocked
  const throttle = async (query = '') => (await admin(`/api/admin/throttle${query}`)).body.counts
  const forget = () => db.deleteFrom('throttle_places').execute()

  /** As if so many logins of different names at different addresses had failed, one a millisecond. */
  async function pretend(count: number, length: number) {
    const numbers =
      testDatabase === 'sqlite'
        ? sql`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)}) select i from n)`
        : sql`(select i from generate_series(1, ${sql.lit(count)}) as i)`
    const text = (prefix: string) => sql`substr(${sql.lit(prefix + '0'.repeat(43))} || i, -43)`
    const name = testDatabase === 'sqlite' ? text('n') : sql`lpad('n' || i, 43, '0')`
    const from = clock.now()
    await sql`insert into throttle_places (username, address, taken_at, pending, expires_at)
      select ${length === 0 ? sql`''` : name}, 'address ' || i, ${sql.lit(from)} + i, 0,
        ${sql.lit(from + 900_000)} + i from ${numbers} as numbers`.execute(db)
  }

  test('a limit is blocked from its last attempt until the first of its window expires', async () => {
    const blocked = async () => [await overview.blocked('login'), await overview.blocked('address')]
    for (let tries = 1; tries <= 5; tries += 1) {
      assert.deepEqual(await blocked(), [0, 0], `before attempt ${tries}`)
      await guess(app, { username: 'ann' }, '192.0.2.1')
      app.clock.advance(1)
    }
    assert.deepEqual(await blocked(), [1, 0])
    for (let tries = 0; tries < 15; tries += 1) {
      await guess(app, { username: `other-${tries}` }, '192.0.2.1')
    }
    assert.deepEqual(await blocked(), [1, 1])
    app.clock.advance(894)
    assert.deepEqual(await blocked(), [1, 1])
    app.clock.advance(1)
    assert.deepEqual(await blocked(), [0, 1], 'the first of the five has expired')
    app.clock.advance(2705)
    assert.deepEqual(await blocked(), [0, 0])
    await forget()
  })

  test('a success frees the limit, and an attempt that is given back does not count', async () => {
    const ann = await app.account('eva')
    for (let tries = 0; tries < 4; tries += 1) await guess(app, ann, '192.0.2.2')
    await guess(app, ann, '192.0.2.2')
    assert.equal((await statistics()).logins, 1)
    const last = await db
      .selectFrom('throttle_places')
      .select((eb) => eb.fn.min('id').as('id'))
      .executeTakeFirstOrThrow()
    await db.deleteFrom('throttle_places').where('id', '=', last.id).execute()
    assert.equal((await statistics()).logins, 0)
    await forget()
  })

  test('a node of the version before inserts neither column, and its attempts count', async () => {
    const key = { username: 'k'.repeat(43), address: '192.0.2.9', pending: 0 }
    for (let place = 1; place <= 5; place += 1) {
      const taken_at = clock.now() + place
      await db
        .insertInto('throttle_places')
        .values({ ...key, taken_at, expires_at: taken_at + 900_000 })
        .execute()
    }
    const rows = await db
      .selectFrom('throttle_places')
      .select(['nth', 'frees_at'])
      .orderBy('id')
      .execute()
    assert.deepEqual(
      rows,
      [1, 2, 3, 4, 5].map((nth) => ({ nth, frees_at: clock.now() + 1 + 900_000 })),
    )
    app.clock.advance(1)
    assert.equal(await overview.blocked('login'), 1)
    await forget()
  })

  test('the list ends with the limits of the last attempts, and the command lists all', async () => {
    await pretend(attempts, 43)
    const first = await throttle()
    assert.equal(first.total, maxListedAttempts)
    assert.deepEqual(
      first.data.map(({ address }: { address: string }) => address),
      Array.from({ length: 10 }, (_, index) => `address ${attempts - index}`),
    )
    const last = await throttle(`?limit=100&page=${maxListedAttempts / 100}`)
    assert.deepEqual(
      last.data.map(({ address }: { address: string }) => address),
      Array.from({ length: 100 }, (_, index) => `address ${attempts - 1900 - index}`),
    )
    assert.deepEqual((await throttle(`?limit=100&page=${maxListedAttempts / 100 + 1}`)).data, [])
    let listed = 0
    for await (const states of overview.all(1000)) listed += states.length
    assert.equal(listed, attempts)
  })

  test('no figure and no page reads the table of attempts as a whole', async () => {
    if (testDatabase === 'sqlite') await sql`analyze`.execute(db)
    else await sql`analyze throttle_places`.execute(db)
    const { watched, plans } = plansOf(db)
    const read = overviewOf(watched)
    await read.page({ page: 1, limit: 100 })
    await read.blocked('login')
    await read.blocked('address')
    const found = await plans()
    assert.ok(found.length >= 5)
    for (const { text, plan } of found) {
      // The last attempts are read by the primary key, backwards, up to a limit.
      const isLimited = /order by "id" desc limit/.test(text)
      const scan = testDatabase === 'sqlite' ? /SCAN (?!some|keys|last)/ : /Seq Scan on throttle_/
      if (!isLimited) assert.doesNotMatch(plan, scan, `${text}\n${plan}`)
      if (isLimited && testDatabase === 'postgres') {
        assert.match(plan, /Index Scan Backward using throttle_places_pkey/, `${text}\n${plan}`)
      }
      assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER BY/, `${text}\n${plan}`)
    }
    const indexes = found.map(({ plan }) => plan).join('\n')
    assert.match(indexes, /throttle_places_full_logins/)
    assert.match(indexes, /throttle_places_full_addresses/)
    await forget()
  })

  test('of very many blocked limits the index has the number', async () => {
    await pretend(300, 43)
    for (let place = 2; place <= 5; place += 1) await pretend(300, 43)
    app.clock.advance(1)
    assert.equal(await overview.blocked('login'), 300)
    await forget()
  })

  test('one page is read at a time, and few wait for it', async () => {
    const headers = await app.bearer(app.admin)
    const many = await Promise.all(
      Array.from({ length: 80 }, () => app.call('GET', '/api/admin/throttle', { headers })),
    )
    const statuses = many.map(({ status }) => status)
    assert.deepEqual([...new Set(statuses)].toSorted(), [200, 503])
    const refused = many.find(({ status }) => status === 503)
    assert.deepEqual(
      [refused?.body, refused?.headers['retry-after']],
      [{ error: 'Service unavailable' }, '1'],
    )
  })

  /** A database that keeps its statements, and their plans. */
  function plansOf(database: Database) {
    const nodes: { node: RootOperationNode; queryId: { readonly queryId: string } }[] = []
    const plugin: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        nodes.push({ node, queryId })
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const explain = testDatabase === 'sqlite' ? 'explain query plan' : 'explain'
    return {
      watched: database.withPlugin(plugin) as Database,
      async plans() {
        const executor = database.getExecutor()
        const all = nodes.map(({ node, queryId }) => executor.compileQuery(node, queryId))
        // The attempts of one key are read by a prepared statement, whose parameters are no values.
        const compiled = all.filter(({ parameters }) => parameters.every(isValue))
        return Promise.all(
          compiled.map(async ({ sql: text, parameters }) => {
            const query = CompiledQuery.raw(`${explain} ${text}`, [...parameters])
            const { rows } = await database.executeQuery<Record<string, string>>(query)
            return { text, plan: rows.map((row) => row['QUERY PLAN'] ?? row.detail).join('\n') }
          }),
        )
      },
    }
  }
})
