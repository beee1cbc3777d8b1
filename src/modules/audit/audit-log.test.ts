// A database makes a difference: records are found by indexes, and opened with the stored keys.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { type AuditLog, createAuditLog } from './audit-log.ts'
import type { AuditFilters } from './filters.ts'
import { createAuditIndexes } from './indexes.ts'

suite('the audit log', async () => {
  const audit = await storedAudit()
  const { db, keys, start } = audit
  let time = start
  const log: AuditLog = createAuditLog({
    ...{ db, clock: { now: () => time, wait: async () => {} }, keys: { audit: keys } },
    userIdOf: async (username) => (username === 'ann' ? 7 : null),
  })

  const numbers = async (filters: AuditFilters, part: object = {}) =>
    (await log.page(filters, { limit: 100, ...part })).records.map(({ number }) => number)

  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {
    time = start + 60_000
  })

  /** By Ann, of Ann, of a command, of a typed name, and of an unknown caller. */
  async function written() {
    await audit.person('7')
    await audit.append('a', { context: { by: '7', address: '192.0.2.1', requestId: 'r1' } })
    await audit.append('b', { type: 'post', payload: { user_id: 7 }, context: { by: 'cli' } })
    await audit.append('a', { type: 'post', context: { by: 'cli' } })
    await audit.append('a', {
      outcome: 'failure',
      typed: 'anna',
      context: { address: '192.0.2.2' },
    })
    await audit.append('b', { outcome: 'failure', context: { requestId: 'r1' } })
  }

  suiteOnEmptyLog('records are found', () => {
    beforeEach(written)

    for (const [filters, expected] of [
      [{}, [5, 4, 3, 2, 1]],
      [{ types: ['post'] }, [3, 2]],
      [{ types: ['post', 'login'] }, [5, 4, 3, 2, 1]],
      [{ types: [] }, []],
      [{ types: ['other'] }, []],
      [{ actor: '7' }, [1]],
      [{ actor: 'ann' }, [1]],
      [{ actor: ' ANN ' }, [1]],
      [{ actor: '8' }, []],
      [{ actor: 'cli' }, [3, 2]],
      [{ target: '7' }, [2]],
      [{ target: 'ann' }, [2]],
      [{ target: 'anna' }, [4]],
      [{ actor: 'anna' }, []],
      [{ target: 'cli' }, []],
      [{ actor: 'cli', target: 'ann' }, [2]],
      [{ actor: 'cli', types: ['login'] }, []],
      [{ actor: 'cli', types: ['post', 'login'] }, [3, 2]],
      [{ address: '192.0.2.2' }, [4]],
      [{ address: '192.0.2.3' }, []],
      [{ requestId: 'r1' }, [5, 1]],
      [{ requestId: 'r1', actor: 'ann' }, [1]],
      [{ since: start + 4000 }, [5, 4]],
      [{ until: start + 4000 }, [3, 2, 1]],
      [{ since: start + 2000, until: start + 4000, actor: 'cli' }, [3, 2]],
      [{ since: start + 2001, actor: 'cli' }, [3]],
      [
        {
          actor: 'cli',
          types: Array.from({ length: 21 }, (_, at) => (at === 0 ? 'post' : `${at}`)),
        },
        [3, 2],
      ],
      [{ actor: 'cli', types: Array.from({ length: 21 }, (_, at) => `${at}`) }, []],
    ] as const) {
      test(JSON.stringify(filters).slice(0, 70), async () => {
        assert.deepEqual(await numbers(filters), expected)
        // The same records, as they are followed.
        const { records } = await log.newer(filters, {
          limit: 100,
          after: { number: 0, missing: [] },
        })
        assert.deepEqual(
          records.map(({ number }) => number),
          expected,
        )
        await db.updateTable('audit_records').set({ indexed: null }).execute()
        assert.deepEqual(await numbers(filters), expected)
        await db.updateTable('audit_records').set({ indexed: 1 }).where('number', '<', 3).execute()
        assert.deepEqual(await numbers(filters), expected)
      })
    }

    test('in pages, in both orders, without a gap and none twice', async () => {
      for (const filters of [{}, { types: ['post', 'login'] }]) {
        for (const [order, expected] of [
          ['newest', [[5, 4], [3, 2], [1]]],
          ['oldest', [[1, 2], [3, 4], [5]]],
        ] as const) {
          const pages: number[][] = []
          let before: Awaited<ReturnType<AuditLog['page']>>['next'] | undefined
          do {
            const found = await log.page(filters, { limit: 2, order, ...(before && { before }) })
            pages.push(found.records.map(({ number }) => number))
            before = found.next
          } while (before)
          assert.deepEqual(pages, expected)
        }
      }
    })

    test('of one time in the order of their numbers', async () => {
      await db.updateTable('audit_records').set({ at: start }).execute()
      assert.deepEqual(await numbers({}), [5, 4, 3, 2, 1])
      const { next } = await log.page({}, { limit: 2 })
      assert.deepEqual(next, { at: start, number: 4 })
      assert.deepEqual(await numbers({}, { before: next }), [3, 2, 1])
      assert.deepEqual(await numbers({}, { before: next, order: 'oldest' }), [5])
    })

    test('of what a user did, and never of a name', async () => {
      const found = await log.actsOf(7, { limit: 10 })
      assert.deepEqual([found.records.map(({ number }) => number), found.next], [[1], null])
      assert.deepEqual((await log.actsOf(8, { limit: 10 })).records, [])
      await db.updateTable('audit_subjects').set({ sealed: 'x' }).execute()
      assert.deepEqual((await log.actsOf(7, { limit: 10 })).records, [])
    })

    test('by their places', async () => {
      const places = [
        { chain: 'b', place: 2 },
        { chain: 'a', place: 1 },
        { chain: 'c', place: 1 },
      ]
      const found = (await log.at(places)).map(({ number }) => number)
      assert.deepEqual(found.toSorted(), [1, 5])
      assert.deepEqual(await log.at([]), [])
    })
  })

  suiteOnEmptyLog('the search indexes', () => {
    test('take the records that wait, so many at once', async () => {
      await audit.append('a')
      await db.updateTable('audit_records').set({ indexed: null }).execute()
      const { indexed } = await db
        .selectFrom('audit_records')
        .select('indexed')
        .executeTakeFirstOrThrow()
      const indexes = createAuditIndexes(db)
      const filled = await indexes.fill()
      // Only SQLite makes records wait.
      assert.equal(filled, process.env.TEST_DATABASE === 'postgres' ? 0 : 1)
      assert.deepEqual([indexed, await indexes.fill()], [null, 0])
    })
  })

  suiteOnEmptyLog('a record that is opened', () => {
    const only = async () => (await log.page({}, { limit: 2 })).records[0] ?? assert.fail()

    test('has all that was written', async () => {
      await audit.person('7')
      const request = {
        ...{ method: 'PUT', route: '/users/:id', successStatus: 200, userAgent: 'curl' },
        ...{ proxies: ['10.0.0.1'], session: 's', token: 't', keyId: 'k' },
        ...{ factors: ['pwd', 'otp'], username: 'ann' },
      }
      const context = {
        by: '7',
        address: '192.0.2.1',
        scheme: 'bearer',
        requestId: 'r',
        request,
      } as const
      await audit.append('a', {
        type: 'post',
        payload: { user_id: 7, role: 'x', count: 3 },
        context,
      })
      const { instance, version } = audit.writer
      assert.deepEqual(await only(), {
        ...{
          number: 1,
          id: 'id 1',
          at: new Date(start + 1000).toISOString(),
          type: 'post',
          level: 'info',
        },
        ...{ outcome: 'success', reason: null, count: 3, count_since: null },
        actor: { kind: 'user', subject: '7', username: 'ann' },
        target: { user_id: 7, username: null },
        details: { role: 'x', count: 3 },
        ...{
          address: '192.0.2.1',
          proxies: ['10.0.0.1'],
          user_agent: 'curl',
          session: 's',
          token: 't',
        },
        ...{
          key: 'k',
          scheme: 'bearer',
          factors: ['pwd', 'otp'],
          method: 'PUT',
          route: '/users/:id',
        },
        ...{ status: 200, request_id: 'r', instance, version, chain: 'a', place: 1 },
        ...{ erased: false, damaged: false },
      })
    })

    test('has nothing of what was not written', async () => {
      await audit.append('a')
      const record = await only()
      assert.deepEqual(record.actor, { kind: 'unknown', subject: null, username: null })
      const { address, count, details, erased, damaged, factors, proxies, status, target } = record
      assert.deepEqual([target, details, address, status, count], [null, null, null, null, 1])
      assert.deepEqual([proxies, factors, erased, damaged], [[], [], false, false])
    })

    test('names a target by the id, the author or the name', async () => {
      await audit.person('7')
      await audit.append('a', { payload: { author_id: 7, title: 'T' } })
      assert.deepEqual((await only()).target, { user_id: 7, username: null })
      assert.deepEqual((await only()).details, { author_id: 7, title: 'T' })
      await audit.append('a', { payload: { user_id: 7 }, typed: 'ann' })
      assert.deepEqual(
        [(await only()).target, (await only()).details],
        [{ user_id: 7, username: 'ann' }, {}],
      )
      await audit.append('a', { payload: { username: 'bob' } })
      assert.deepEqual((await only()).target, { user_id: null, username: 'bob' })
      await audit.append('a', { payload: { user_id: 'x', author_id: 1.5 } })
      assert.equal((await only()).target, null)
    })

    test('of an erased person says so, and shows the rest', async () => {
      await audit.person('7')
      await audit.append('a', { payload: { user_id: 7 }, context: { by: 'cli' } })
      await db.deleteFrom('audit_subjects').execute()
      const { actor, damaged, details, erased, target } = await only()
      assert.deepEqual([target, details, erased, damaged], [null, null, true, false])
      assert.equal(actor.subject, 'cli')
      await audit.clear()
      await audit.person('7')
      await audit.append('a', { context: { by: '7' } })
      await db.deleteFrom('audit_subjects').execute()
      assert.deepEqual([(await only()).erased, (await only()).damaged], [true, false])
    })

    for (const [name, columns] of [
      ['a key that does not open', null],
      ['fields that were changed', { target_sealed: 'x' }],
      ['fields without a key', { target_key: null }],
      ['a key without fields', { target_sealed: null }],
      ['an actor without a key', { actor_key: null }],
      ['facts that are no JSON', { facts: '{' }],
      ['facts that are a list', { facts: '[]' }],
      ['facts that are nothing', { facts: 'null' }],
    ] as const) {
      test(`of ${name} is damaged, and is shown all the same`, async () => {
        await audit.person('7')
        await audit.append('a', { payload: { user_id: 7 }, context: { by: 'cli' } })
        if (columns) await db.updateTable('audit_records').set(columns).execute()
        else await db.updateTable('audit_subjects').set({ sealed: 'x' }).execute()
        const { damaged, erased, number } = await only()
        assert.deepEqual([number, damaged, erased], [1, true, false])
      })
    }

    test('of a time that no calendar has is at the end of time', async () => {
      await audit.append('a')
      for (const [at, shown] of [
        [9_000_000_000_000_000, '9999-12-31T23:59:59.999Z'],
        [-9_000_000_000_000_000, '0001-01-01T00:00:00.000Z'],
        [0, '1970-01-01T00:00:00.000Z'],
      ] as const) {
        await db.updateTable('audit_records').set({ at }).execute()
        assert.equal((await only()).at, shown)
      }
      const facts = JSON.stringify({
        since: 0,
        count: 2,
        factors: ['a', 5],
        status: '200',
        method: 5,
      })
      await db.updateTable('audit_records').set({ facts }).execute()
      const { count, count_since, factors, method, status } = await only()
      assert.deepEqual(
        [count, count_since, factors, method, status],
        [2, '1970-01-01T00:00:00.000Z', ['a'], null, null],
      )
    })
  })

  suiteOnEmptyLog('the log as it is followed', () => {
    const newer = (after: Parameters<AuditLog['newer']>[1]['after'], limit = 100, filters = {}) =>
      log.newer(filters, { limit, after })

    test('begins at its end, and finds what commits late', async () => {
      assert.equal((await log.end()).number, 0)
      for (let count = 0; count < 4; count += 1) await audit.append('a')
      const rows = await db
        .selectFrom('audit_records')
        .selectAll()
        .where('number', '=', 3)
        .execute()
      await db.deleteFrom('audit_records').where('number', '=', 3).execute()
      const end = await log.end()
      assert.deepEqual(end, { number: 4, missing: [{ number: 3, until: time + 60_000 }] })
      const nothing = await newer(end)
      assert.deepEqual([nothing.records, nothing.hasMore, nothing.end], [[], false, end])
      await db.insertInto('audit_records').values(rows).execute()
      await audit.append('a')
      const found = await newer(end)
      assert.deepEqual(
        found.records.map(({ number }) => number),
        [5, 3],
      )
      assert.deepEqual(found.end, { number: 5, missing: [] })
    })

    test('goes on where a page was cut', async () => {
      for (let count = 0; count < 5; count += 1) await audit.append('a')
      const first = await newer({ number: 0, missing: [] }, 2)
      assert.deepEqual(
        first.records.map(({ number }) => number),
        [2, 1],
      )
      assert.deepEqual([first.hasMore, first.end.number], [true, 2])
      const last = await newer(first.end, 3)
      assert.deepEqual(
        last.records.map(({ number }) => number),
        [5, 4, 3],
      )
      assert.deepEqual([last.hasMore, last.end.number], [false, 5])
      const none = await newer({ number: 0, missing: [] }, 2, { types: ['other'] })
      assert.deepEqual([none.records, none.end.number, none.hasMore], [[], 5, false])
    })
  })
})
