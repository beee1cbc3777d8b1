// A database makes a difference: on SQLite, batches fill the search indexes behind the commit.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { transact } from '../../src/core/database/transactions.ts'
import type { OpenedRecord } from '../../src/modules/audit/opened-record.ts'
import { testApp } from '../app.ts'
import { verified } from '../audit-log.ts'
import { testDatabase } from '../database.ts'
import { testEvent } from '../events.ts'
import { runJob } from '../webhook-sending.ts'

const noted = testEvent<{ user_id: number; note: string }>('noted')

suite('records that wait for the search indexes', async () => {
  const app = await testApp()
  const { db, events } = app.deps
  const headers = await app.bearer(app.admin)
  const waiting = async () => {
    const { rows } = await sql<{ total: number }>`
      select count(*) as total from audit_records where indexed is null`.execute(db)
    return Number(rows[0]?.total)
  }
  const index = () => runJob(app, 'audit indexes')
  const note = (userId: number, text: string) =>
    transact(db, [], (trx) => events.emitInTransaction(trx, noted, { user_id: userId, note: text }))
  const page = async (query: string) => {
    const { status, body } = await app.call('GET', `/api/admin/audit?${query}`, { headers })
    assert.equal(status, 200)
    return body
  }
  const notes = async (query: string): Promise<string[]> =>
    (await page(query)).data.map(({ details }: OpenedRecord) => details?.note)

  test('each search finds a record directly after its change, and once after the batch', async () => {
    const address = '198.51.100.20'
    const created = await app.call('POST', '/users', {
      headers,
      from: address,
      json: { name: 'Eve', email: 'eve@example.org' },
    })
    const id = created.body.id
    const searches = [
      `target=${id}`,
      `target=${id}&actor=admin`,
      `target=${id}&type=user_created,user_deleted`,
      `address=${address}`,
      `request_id=${created.headers['x-request-id']}`,
      `target=${id}&address=${address}&type=user_created&actor=1`,
    ]
    for (const search of searches) {
      const { data } = await page(search)
      assert.deepEqual(data.map(typeOf), ['user_created'], search)
    }
    assert.equal((await waiting()) > 0, testDatabase === 'sqlite')
    await index()
    assert.equal(await waiting(), 0)
    for (const search of searches) {
      const { data } = await page(search)
      assert.deepEqual(data.map(typeOf), ['user_created'], search)
    }
  })

  test('pages go through indexed and waiting records in order, whatever a batch does between', async () => {
    const ann = await app.account('ann')
    const texts = Array.from({ length: 9 }, (_, at) => `note ${at}`)
    for (const [at, text] of texts.entries()) {
      app.clock.advance(at % 2) // some have one time
      await note(ann.userId, text)
      if (at === 4) await index()
    }
    for (const indexesBetween of [false, true]) {
      const read: string[] = []
      let cursor = ''
      do {
        const body = await page(`type=noted&target=ann&limit=2${cursor}`)
        read.push(...body.data.map(({ details }: OpenedRecord) => details?.note))
        cursor = body.next === null ? '' : `&cursor=${body.next}`
        if (indexesBetween) await index()
      } while (cursor !== '')
      assert.deepEqual(read, texts.toReversed())
    }
    assert.deepEqual(await notes('type=noted&limit=3'), texts.toReversed().slice(0, 3))
  })

  test('an export has the records that wait', async () => {
    const bea = await app.account('bea')
    await note(bea.userId, 'first')
    await index()
    await note(bea.userId, 'second')
    const { text } = await app.call('GET', '/api/admin/audit/export?type=noted&target=bea', {
      headers,
    })
    const lines = text.trim().split('\n')
    assert.deepEqual(
      lines.map((line: string) => JSON.parse(line).details.note),
      ['first', 'second'],
    )
  })

  test('more records than a batch takes are all indexed by one run', async () => {
    const ben = await app.account('ben')
    await transact(db, [], async (trx) => {
      for (let count = 0; count < 600; count += 1) {
        await events.emitInTransaction(trx, noted, { user_id: ben.userId, note: `${count}` })
      }
    })
    const { data } = await page('type=noted&target=ben&limit=1000')
    assert.equal(data.length, 600)
    await index()
    assert.equal(await waiting(), 0)
    assert.deepEqual((await page('type=noted&target=ben&limit=1000')).data, data)
  })

  test('the erasure of a person empties the indexes of waiting and of indexed records', async () => {
    const cat = await app.account('cat')
    await note(cat.userId, 'indexed')
    await index()
    await note(cat.userId, 'waiting')
    const { target_index: ofCat } = await db
      .selectFrom('audit_records')
      .select('target_index')
      .where('type', '=', 'noted')
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    const found = async () => {
      const rows = await db
        .selectFrom('audit_records')
        .select('number')
        .where('target_index', '=', ofCat)
        .execute()
      return rows.length
    }
    assert.ok((await found()) >= 2)
    assert.equal((await app.call('DELETE', `/users/${cat.userId}`, { headers })).status, 200)
    await runJob(app, 'erasures')
    assert.equal(await found(), 0)
    await index()
    assert.deepEqual((await page(`target=${cat.userId}`)).data, [])
    assert.deepEqual((await verified(app.deps)).problems, [])
  })

  test('a record of the version before, which names no indexes, is found as well', async () => {
    const dan = await app.account('dan')
    await note(dan.userId, 'waiting')
    await note(dan.userId, 'of the version before')
    await sql`update audit_records set indexed = 1
      where number = (select max(number) from audit_records)`.execute(db)
    const all = ['of the version before', 'waiting']
    assert.deepEqual(await notes('type=noted&target=dan'), all)
    await index()
    assert.equal(await waiting(), 0)
    assert.deepEqual(await notes('type=noted&target=dan'), all)
  })
})

const typeOf = ({ type }: OpenedRecord) => type
