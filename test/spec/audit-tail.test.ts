// A database makes a difference: numbers are given before the commit, and queries compare pairs.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import { writeTail } from '../../src/modules/audit/cursor.ts'
import { testApp } from '../app.ts'
import { recordSeeder } from '../audit-records.ts'
import { postgresOnly } from '../database.ts'
import { assertRefusal } from '../refusal.ts'
import { readLines } from '../transfer.ts'

const path = '/api/admin/audit'

interface Shown {
  readonly number: number
  readonly type: string
}

suite('the tail of the audit log: GET /api/admin/audit?after=', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const { insert, seed } = await recordSeeder(app.deps)
  const get = async (query = '') => {
    const { body, status, text } = await app.call('GET', path + query, { headers })
    assert.equal(status, 200, text)
    return body
  }
  const typesOf = ({ data }: { data: Shown[] }) => data.map(({ type }) => type)
  const newest = async (): Promise<string> => (await get('?type=none')).newer

  test('gives what was stored since, the newest first, and then nothing', async () => {
    const first = await newest()
    await seed([{ type: 'seed_a' }, { type: 'seed_b' }, { type: 'seed_c' }])
    const found = await get(`?type=seed_a,seed_b,seed_c&after=${first}`)
    assert.deepEqual(typesOf(found), ['seed_c', 'seed_b', 'seed_a'])
    assert.deepEqual([found.next, found.has_newer], [null, false])
    const again = await get(`?type=seed_a,seed_b,seed_c&after=${found.newer}`)
    assert.deepEqual(again.data, [])
    await seed([{ type: 'seed_a', at: 1000 }]) // told late, of an earlier time
    assert.deepEqual(typesOf(await get(`?type=seed_a&after=${again.newer}`)), ['seed_a'])
  })

  test('a full page says so, and the next call goes on where it ended', async () => {
    let after = await newest()
    await seed(Array.from({ length: 7 }, () => ({ type: 'seed_page' })))
    const numbers: number[] = []
    const full: boolean[] = []
    for (let page = 0; page < 3; page += 1) {
      const { data, has_newer, newer } = await get(`?type=seed_page&limit=3&after=${after}`)
      numbers.push(...data.map(({ number }: Shown) => number).toReversed())
      full.push(has_newer)
      after = newer
    }
    assert.deepEqual(full, [true, true, false])
    assert.equal(numbers.length, 7)
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => one - other),
    )
  })

  test('looks through a bounded number of records, and says that more wait', async () => {
    const after = await newest()
    await seed([
      ...Array.from({ length: 2500 }, () => ({ type: 'seed_other' })),
      { type: 'seed_rare' },
    ])
    const one = await get(`?type=seed_rare&after=${after}`)
    assert.deepEqual([one.data, one.has_newer], [[], true])
    const two = await get(`?type=seed_rare&after=${one.newer}`)
    assert.deepEqual([typesOf(two), two.has_newer], [['seed_rare'], false])
  })

  test('compares each filter as the list does', async () => {
    const after = await newest()
    const ann = await app.account('ann')
    const target = { subject: String(ann.userId), user_id: ann.userId, username: 'ann' }
    await seed([
      { type: 'seed_ann', target, requestId: 'r-1' },
      { type: 'seed_ann', at: 5000 },
    ])
    for (const query of ['target=ann', 'request_id=r-1', 'since=2020-01-01T00:00:00Z']) {
      const list = await get(`?type=seed_ann&${query}`)
      assert.equal(list.data.length, 1, query)
      const tail = await get(`?type=seed_ann&${query}&after=${after}`)
      assert.deepEqual(tail.data, list.data, query)
    }
    const until = await get(`?type=seed_ann&until=1970-01-01T00:00:06Z&after=${after}`)
    assert.equal(until.data.length, 1)
    assert.deepEqual((await get(`?target=nobody&after=${after}`)).data, [])
  })

  postgresOnly('a record whose transaction commits late is not left out', async () => {
    const after = await newest()
    const { db } = app.deps
    const [inserted, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const late = transact(db, [], async (trx) => {
      await insert(trx, [{ type: 'seed_late', chain: 'late' }])
      inserted.resolve()
      await mayCommit.promise
    })
    await inserted.promise
    await seed([{ type: 'seed_soon' }])
    const one = await get(`?type=seed_late,seed_soon&after=${after}`)
    assert.deepEqual(typesOf(one), ['seed_soon'])
    const first = await newest() // a reader who begins now waits for it as well
    mayCommit.resolve()
    await late
    const two = await get(`?type=seed_late,seed_soon&after=${one.newer}`)
    assert.deepEqual(typesOf(two), ['seed_late'])
    assert.deepEqual(typesOf(await get(`?type=seed_late&after=${first}`)), ['seed_late'])
    assert.deepEqual((await get(`?type=seed_late,seed_soon&after=${two.newer}`)).data, [])
  })

  test('following is told once in ten minutes, for each reader and choice of filters', async () => {
    const own = await testApp()
    const admin = await own.bearer(own.admin)
    const told = () => own.log.filter(({ event }) => event === 'sensitive_read')
    const { newer } = (await own.call('GET', path, { headers: admin })).body
    const follow = () => own.call('GET', `${path}?level=warn&after=${newer}`, { headers: admin })
    const before = told().length
    for (let look = 0; look < 5; look += 1) await follow()
    assert.deepEqual(
      told()
        .slice(before)
        .map(({ filters }) => filters),
      [['level', 'after']],
    )
    await own.call('GET', `${path}?after=${newer}`, { headers: admin })
    assert.equal(told().length, before + 2)
    own.clock.advance(601)
    await follow()
    assert.equal(told().length, before + 3)
  })

  const many = { number: 1, missing: Array.from({ length: 51 }, () => ({ number: 1, until: 1 })) }
  for (const [what, text] of Object.entries({
    'no base64url': '***',
    'a cursor of the list': Buffer.from('[1,2]').toString('base64url'),
    'no numbers': Buffer.from('["x"]').toString('base64url'),
    'an object': Buffer.from('{}').toString('base64url'),
    'too many numbers': writeTail(many),
    'a long text': 'W'.repeat(5000),
    nothing: '',
  })) {
    test(`after that is ${what}: 400`, async () => {
      const answer = await app.call('GET', `${path}?after=${encodeURIComponent(text)}`, { headers })
      assert.deepEqual(
        [answer.status, answer.body.details],
        [400, [{ path: ['after'], message: 'must be the `newer` of a page' }]],
      )
    })
  }

  test('after and cursor together: 400', async () => {
    const answer = await app.call('GET', `${path}?after=WzFd&cursor=WzEsMV0`, { headers })
    assert.deepEqual(
      [answer.status, answer.body.details],
      [400, [{ path: ['after'], message: 'stands without cursor' }]],
    )
  })
})

suite('the audit log by category, level and outcome, and as lines', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const { seed } = await recordSeeder(app.deps)
  await seed([
    ...['session_created', 'session_ended', 'authn_login_lock', 'audit_integrity_failed'].map(
      (type) => ({
        type,
        at: 1_600_000_000_000,
      }),
    ),
    { type: 'of_another_version', at: 1_600_000_000_000 },
  ])
  const until = 'until=2021-01-01T00:00:00Z'
  const found = async (query: string) => {
    const { body, status, text } = await app.call('GET', `${path}?${query}&${until}`, { headers })
    assert.equal(status, 200, text)
    return body.data.map(({ type }: Shown) => type).toSorted()
  }

  test('each chooses among the declared types, and they add up', async () => {
    assert.deepEqual(await found('category=session'), ['session_created', 'session_ended'])
    assert.deepEqual(await found('level=critical'), ['audit_integrity_failed'])
    assert.deepEqual(await found('outcome=failure'), ['audit_integrity_failed', 'authn_login_lock'])
    assert.deepEqual(await found('level=warn&outcome=failure'), ['authn_login_lock'])
    assert.deepEqual(await found('category=session&type=session_ended,authn_login_lock'), [
      'session_ended',
    ])
    assert.deepEqual(await found('category=session&level=critical'), [])
    assert.deepEqual(await found('level=info&actor=admin'), [])
  })

  test('a renamed type is found by both names, in records of both names, once each', async () => {
    await seed(
      ['sign_up_begun', 'sign_up_requested'].map((type) => ({ type, at: 1_500_000_000_000 })),
    )
    const both = ['sign_up_begun', 'sign_up_requested']
    for (const query of ['sign_up_begun', 'sign_up_requested', both.join()]) {
      assert.deepEqual(await found(`type=${query}`), both, query)
    }
    assert.deepEqual(await found('category=registration'), both)
    assert.deepEqual(await found('category=registration&type=sign_up_begun'), both)
  })

  test('the types are listed with what they are chosen by', async () => {
    const { body } = await app.call('GET', `${path}/types`, { headers })
    const type = body.data.find((one: Shown) => one.type === 'audit_integrity_failed')
    assert.deepEqual(type, {
      ...{
        type: 'audit_integrity_failed',
        category: 'audit',
        level: 'critical',
        outcome: 'failure',
      },
    })
  })

  for (const query of ['category=none', 'level=fatal', 'outcome=', 'level=info&level=warn']) {
    test(`${query}: 400`, async () => {
      const { body, status } = await app.call('GET', `${path}?${query}`, { headers })
      assert.deepEqual([status, body.error], [400, 'Validation failed'])
    })
  }

  test('the export has the same records, the oldest first, as lines of JSON', async () => {
    const more = Array.from({ length: 1203 }, (_, index) => ({
      ...{ type: 'session_created', at: 1_500_000_000_000 + 1000 * Math.trunc(index / 3) },
    }))
    await seed(more)
    const exported = await app.call('GET', `${path}/export?category=session&${until}`, { headers })
    assert.equal(exported.headers['content-type'], 'application/x-ndjson')
    const lines = readLines(exported.text)
    const numbers = lines.map(({ number }) => number)
    assert.equal(new Set(numbers).size, 1205)
    const times = lines.map(({ at }) => String(at))
    assert.deepEqual(times, times.toSorted())
    const [last] = (await app.call('GET', `${path}?category=session&${until}&limit=1`, { headers }))
      .body.data
    assert.deepEqual(lines.at(-1), last)
    const [event] = app.log.filter(({ event }) => event === 'sensitive_read').slice(-2)
    assert.deepEqual([event?.what, event?.filters], ['audit', ['category', 'until']])
  })

  test('an export by a type that nothing has is empty; HEAD has the type of the answer', async () => {
    const none = await app.call('GET', `${path}/export?type=none`, { headers })
    assert.deepEqual([none.status, none.text], [200, ''])
    const head = await app.call('HEAD', `${path}/export`, { headers })
    assert.deepEqual([head.status, head.headers['content-type']], [200, 'application/x-ndjson'])
  })

  test('characters that steer a terminal are escapes in the lines', async () => {
    await seed([{ type: 'seed_steer', requestId: 'a\u202eb\u009bc' }])
    const { text } = await app.call('GET', `${path}/export?type=seed_steer`, { headers })
    assert.ok(text.includes('a\\u202eb\\u009bc'), text)
    assert.doesNotMatch(text, /[\u0080-\u009f\u202e]/)
  })

  test('an EDITOR gets none of it', async () => {
    const editor = await app.bearer(await app.account('edith', ['EDITOR']))
    for (const name of ['', '/types', '/export', '/verification']) {
      assertRefusal(await app.call('GET', path + name, { headers: editor }), 403, 'Access denied')
    }
  })
})
