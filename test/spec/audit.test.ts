// A database makes a difference: order, indexes and plans of queries.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Compilable, CompiledQuery, sql } from 'kysely'
import { numbersWith } from '../../src/modules/audit/indexes.ts'
import type { OpenedRecord } from '../../src/modules/audit/opened-record.ts'
import { typedName } from '../../src/modules/audit/persons.ts'
import { pageQuery, type Selection, waitingQuery } from '../../src/modules/audit/read-store.ts'
import { testApp } from '../app.ts'
import { recordSeeder } from '../audit-records.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { testDatabase } from '../database.ts'

const path = '/api/admin/audit'

suite('GET /api/admin/audit', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const ann = await app.account('ann')
  const { seed } = await recordSeeder(app.deps)
  const start = app.clock.now() - 1_000_000
  const annsId = String(ann.userId)
  const iss = 'https://id.example.org#7'

  const read = (query: string) => app.call('GET', `${path}?${query}`, { headers })
  const requestIds = async (query: string) => {
    const { status, body } = await read(`limit=1000&${query}`)
    assert.equal(status, 200)
    return body.data
      .map(({ request_id }: OpenedRecord) => request_id)
      .filter((id: string | null) => id?.startsWith('r-'))
  }

  await seed([
    {
      ...{ type: 'granted', at: start, requestId: 'r-1', reason: null as never },
      facts: {
        ...{ method: 'PUT', route: '/api/admin/accounts/:username', status: 200, version: '9.9.9' },
        actor: 'user',
        ...{ scheme: 'bearer', factors: ['pwd', 'otp'], instance: 'auth:1' },
      },
      actor: {
        ...{ subject: '1', username: 'admin', address: '203.0.113.7', proxies: ['10.0.0.1'] },
        ...{ user_agent: 'curl/8', session: 'session digest', token: 'token digest' },
      },
      target: {
        subject: annsId,
        user_id: ann.userId,
        username: 'ann',
        from: ['USER'],
        to: ['ADMIN'],
      },
    },
    {
      ...{ type: 'refused', at: start + 1000, requestId: 'r-2', reason: 'no_role' },
      facts: { count: 12 },
      actor: { subject: annsId, username: 'ann', address: '2001:db8::1' },
    },
    { type: 'granted', at: start + 2000, requestId: 'r-3', actor: { subject: 'cli' } },
    { type: 'other', at: start + 3000, requestId: 'r-4', actor: { subject: iss } },
    { type: 'other', at: start + 2500, requestId: 'r-5', chain: 'late' },
  ])

  test('a record shows every field to an administrator', async () => {
    const { status, body } = await read('request_id=r-1')
    assert.equal(status, 200)
    const [{ id, number, ...record }] = body.data
    assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.ok(number >= 1)
    assert.deepEqual(record, {
      at: new Date(start).toISOString(),
      ...{ type: 'granted', level: 'info', outcome: 'success', reason: null, count: 1 },
      count_since: null,
      actor: { kind: 'user', subject: '1', username: 'admin' },
      target: { user_id: ann.userId, username: 'ann' },
      details: { from: ['USER'], to: ['ADMIN'] },
      ...{ address: '203.0.113.7', proxies: ['10.0.0.1'], user_agent: 'curl/8' },
      ...{ session: 'session digest', token: 'token digest' },
      key: null,
      ...{ scheme: 'bearer', factors: ['pwd', 'otp'] },
      ...{ method: 'PUT', route: '/api/admin/accounts/:username', status: 200 },
      ...{ request_id: 'r-1', instance: 'auth:1', version: '9.9.9', chain: 'seeds', place: 1 },
      ...{ erased: false, damaged: false },
    })
    assert.deepEqual([body.limit, body.next], [10, null])
  })

  const since = (ms: number) => encodeURIComponent(new Date(start + ms).toISOString())
  const filters: readonly [query: string, found: readonly string[]][] = [
    ['', ['r-4', 'r-5', 'r-3', 'r-2', 'r-1']],
    ['type=granted', ['r-3', 'r-1']],
    ['type=granted,refused', ['r-3', 'r-2', 'r-1']],
    ['type=granted&type=refused', ['r-3', 'r-2', 'r-1']],
    ['type=never_told', []],
    ['actor=ADMIN', ['r-1']],
    ['actor=1', ['r-1']],
    [`actor=${annsId}`, ['r-2']],
    ['actor=cli', ['r-3']],
    [`actor=${encodeURIComponent(iss)}`, ['r-4']],
    ['actor=unknown', []],
    ['actor=4242', []],
    ['target=%EF%BC%A1nn', ['r-1']], // a full-width A
    [`target=${annsId}&type=granted`, ['r-1']],
    [`target=${annsId}&type=refused`, []],
    ['address=203.0.113.7', ['r-1']],
    ['address=2001:DB8:0::1', ['r-2']],
    ['address=198.51.100.1', []],
    ['request_id=r-5', ['r-5']],
    [`since=${since(2000)}`, ['r-4', 'r-5', 'r-3']],
    [`until=${since(2000)}`, ['r-2', 'r-1']],
    [`since=${since(1000)}&until=${since(2500)}`, ['r-3', 'r-2']],
    [`since=${since(1000)}&type=granted`, ['r-3']],
    [`since=${since(2500)}&until=${since(1000)}`, []],
  ]
  for (const [query, found] of filters) {
    test(`?${query} finds ${found.length}`, async () => {
      assert.deepEqual(await requestIds(query), found)
    })
  }

  test('next goes through all records once, the newest first, while others come', async () => {
    for (const query of [
      'type=granted,refused,other',
      'type=other',
      `since=${since(0)}&until=${since(9000)}`,
    ]) {
      const all = await requestIds(query)
      const seen: string[] = []
      let cursor = ''
      do {
        const { body } = await read(`${query}&limit=2${cursor}`)
        assert.ok(body.data.length <= 2 && body.limit === 2)
        seen.push(...body.data.map(({ request_id }: OpenedRecord) => request_id))
        cursor = body.next === null ? '' : `&cursor=${body.next}`
        await seed([{ type: 'other', at: start + 900_000, requestId: 'x' }])
      } while (cursor !== '')
      assert.deepEqual(
        seen.filter((id) => id !== 'x'),
        all,
      )
    }
  })

  test('the limit is 10 by default and 1000 at most', async () => {
    for (const [limit, shown] of [
      ['x', 10],
      ['0', 10],
      ['1001', 1000],
      ['9007199254740993', 10],
    ] as const) {
      assert.equal((await read(`limit=${limit}&type=granted`)).body.limit, shown)
    }
  })
})

suite('the questions of an operator', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const ann = await app.account('ann')
  const read = async (query: string): Promise<OpenedRecord[]> => {
    const { status, body } = await app.call('GET', `${path}?${query}`, { headers })
    assert.equal(status, 200)
    return body.data
  }
  const recordTold = () => app.app.jobs.find(({ name }) => name === 'audit records')?.run()

  test('who made this account an ADMIN: over HTTP', async () => {
    const json = { roles: ['USER', 'ADMIN'] }
    const change = await app.call('PUT', '/api/admin/accounts/ann', {
      headers,
      json,
      from: '203.0.113.7',
    })
    assert.equal(change.status, 200)
    const records = await read('type=privilege_permissions_changed,user_created&target=ann')
    assert.deepEqual(
      records.map(({ type }) => type),
      ['privilege_permissions_changed', 'user_created'],
    )
    const [
      {
        actor,
        target,
        address,
        details,
        method,
        route,
        status,
        request_id,
        scheme,
      } = assert.fail(),
    ] = records
    assert.deepEqual(actor, { kind: 'user', subject: '1', username: 'admin' })
    assert.deepEqual(target, { user_id: ann.userId, username: 'ann' })
    assert.deepEqual([address, details?.roles], ['203.0.113.7', ['USER', 'ADMIN']])
    assert.deepEqual([method, route, status], ['PUT', '/api/admin/accounts/:username', 200])
    assert.deepEqual([request_id, scheme], [change.headers['x-request-id'], 'bearer'])
  })

  test('who made this account an ADMIN: at the command line', async () => {
    await app.account('bea')
    assert.equal((await gatehouse(app.directory, 'account roles bea ADMIN')).code, 0)
    const [record = assert.fail(), ...others] = await read(
      'type=privilege_permissions_changed&target=bea',
    )
    assert.equal(others.length, 0)
    assert.deepEqual(record.actor, { kind: 'cli', subject: 'cli', username: null })
    assert.deepEqual([record.method, record.address], [null, null])
    assert.ok((await read('actor=cli')).some(({ id }) => id === record.id))
  })

  test('who was refused, from where', async () => {
    const form = { username: 'ann', password: 'no password of hers' }
    const refused = await app.call('POST', '/login', { form, from: '198.51.100.9' })
    assert.equal(refused.status, 401)
    await recordTold()
    const [record = assert.fail()] = await read('address=198.51.100.9')
    assert.deepEqual(
      [record.type, record.outcome, record.status],
      ['authn_login_fail', 'failure', 401],
    )
    assert.equal(record.request_id, refused.headers['x-request-id'])
    assert.deepEqual(record.target?.user_id, ann.userId)
    assert.ok(!JSON.stringify(record).includes(form.password))
  })

  test('who has read the audit log, and by which filters', async () => {
    app.clock.advance(60)
    const since = new Date(app.clock.now()).toISOString()
    await read(`type=sensitive_read&target=ann&since=${since}`)
    assert.equal(
      (await gatehouse(app.directory, 'audit export --since 1s', { clock: app.clock })).code,
      0,
    )
    await recordTold()
    const records = await read(`type=sensitive_read&since=${since}`)
    assert.deepEqual(records.map(({ actor, details }) => [actor.subject, details]).toSorted(), [
      ['1', { what: 'audit', filters: ['type', 'target', 'since'] }],
      ['cli', { what: 'audit', filters: ['since'] }],
    ])
  })

  test('a name that was typed and that no account has is a target', async () => {
    const { audit, seed } = await recordSeeder(app.deps)
    await seed([{ requestId: 'typed' }])
    await app.deps.db
      .updateTable('audit_records')
      .set({ target_index: typedName(audit.index, 'ghost') })
      .where('request_id', '=', 'typed')
      .execute()
    assert.deepEqual(
      (await read('target=GHOST')).map(({ request_id }) => request_id),
      ['typed'],
    )
    assert.deepEqual(await read('actor=ghost'), [])
  })
})

suite('the first page of each filter among 100,000 records', async () => {
  const app = await testApp()
  const { db } = app.deps
  await seedMany(100_000)
  const rare = { type: 'rare', actor_index: 'a-7', target_index: 't-7', address_index: 'i-7' }
  const selections: readonly [index: string, selection: Selection][] = [
    ['audit_records_by_time', {}],
    ['audit_records_by_time', { since: 20_000, until: 30_000 }],
    ['audit_records_by_(type|time)', { type: 'common' }],
    ['audit_records_by_type', { type: rare.type }],
    ['audit_records_by_type', { type: rare.type, since: 20_000, until: 30_000 }],
    ['audit_records_by_actor_index', { actor_index: rare.actor_index }],
    ['audit_records_by_target_index', { target_index: rare.target_index }],
    ['audit_records_by_address_index', { address_index: rare.address_index, until: 50_000 }],
    ['audit_records_by_request_id', { request_id: 'q-50007' }],
  ]
  for (const [index, selection] of selections) {
    for (const before of [undefined, { at: 60_000, number: 60_000 }]) {
      const place = before ? 'after a cursor' : 'from the newest'
      test(`${JSON.stringify(selection)} ${place}: by ${index}, without a sort`, async () => {
        const query = pageQuery(db, selection, { limit: 11, behind: before, order: 'newest' })
        assert.ok((await query.execute()).length > 0)
        const plan = await planOf(query)
        if (testDatabase === 'sqlite') {
          assert.match(plan, new RegExp(`(SEARCH|SCAN) audit_records USING INDEX ${index}\\b`))
          assert.doesNotMatch(plan, /TEMP B-TREE/)
        } else {
          assert.match(plan, new RegExp(`Index Scan Backward using ${index} `))
          assert.doesNotMatch(plan, /Sort/)
          const [, removed = 0] = /Removed by Filter: (\d+)/.exec(plan) ?? []
          assert.ok(Number(removed) <= 11, plan)
        }
      })
    }
  }

  if (testDatabase === 'sqlite') {
    test('what waits for the indexes is read by its number, however it is searched', async () => {
      const part = { limit: 11, order: 'newest', behind: { at: 60_000, number: 60_000 } } as const
      const searched = selections.flatMap(([, selection]) => selection)
      const query = waitingQuery(db, searched, part)
      assert.ok(query)
      const plan = await planOf(query)
      assert.match(plan, /SEARCH audit_records USING INTEGER PRIMARY KEY \(rowid=\?\)/)
      assert.match(plan, /SEARCH audit_records USING COVERING INDEX audit_records_waiting/)
      assert.equal(waitingQuery(db, [{ since: 1 }], part), null, 'the index of times is complete')
    })

    test('the records of a person are numbered by the indexes', async () => {
      const plan = await planOf(numbersWith(db, 'target_index', rare.target_index, 50))
      assert.match(plan, /USING (COVERING )?INDEX audit_records_by_target_index/)
      assert.match(plan, /USING COVERING INDEX audit_records_waiting/)
      assert.doesNotMatch(plan, /SCAN audit_records( |$)(?!USING)/m)
    })
  }

  /** To seal so many would take longer than all other tests of the file. */
  async function seedMany(count: number) {
    for (let last = 0; last < count; last += 5000) await seedRange(last + 1, last + 5000)
    await sql`analyze audit_records`.execute(db)
  }

  async function seedRange(first: number, last: number) {
    const numbers =
      testDatabase === 'sqlite'
        ? sql`(with recursive n (i) as (select ${sql.lit(first)} union all select i + 1 from n where i < ${sql.lit(last)}) select i from n)`
        : sql`(select i from generate_series(${sql.lit(first)}, ${sql.lit(last)}) as i)`
    await sql`
      insert into audit_records (chain, place, id, at, type, level, outcome, request_id, facts, mac,
        actor_index, target_index, address_index)
      select 'many', i, 'id-' || i, i, case when i % 1000 = 7 then 'rare' else 'common' end, 'info',
        'success', 'q-' || i, '{}', '', 'a-' || (i % 100), 't-' || (i % 100), 'i-' || (i % 100)
      from ${numbers} as numbers`.execute(db)
  }

  async function planOf(query: Compilable): Promise<string> {
    const { sql: text, parameters } = query.compile()
    const explain = testDatabase === 'sqlite' ? 'explain query plan' : 'explain (analyze)'
    const { rows } = await db.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]))
    return rows.map((row) => Object.values(row as object).join(' ')).join('\n')
  }
})
