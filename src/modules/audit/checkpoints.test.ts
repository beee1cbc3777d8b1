// A database makes a difference: processes learn of each other's checkpoints from the table.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { checkpointDigest, checkpointText, parseHeads, signTombstone } from './checkpoint-form.ts'
import { checkpointKey } from './checkpoint-key.ts'
import { CheckpointKeyEnded } from './checkpoint-key-rotation.ts'
import { createCheckpoints } from './checkpoints.ts'
import { closedText } from './closed-keys.ts'
import { createRetention } from './retention.ts'
import { verifyAudit } from './verify/verify.ts'

suite('checkpoints and retention', async () => {
  const audit = await storedAudit()
  const { db, keys, signer, start } = audit
  const day = 86_400_000
  const youngMs = 5000
  let time = start
  const clock = { now: () => time, wait: async () => {} }

  const processOf = (more: object = {}) =>
    createCheckpoints({ db, clock, key: () => signer, youngMs, ...more })

  const checkpoints = () =>
    db.selectFrom('audit_checkpoints').selectAll().orderBy('number').execute()
  const heads = async () =>
    (await checkpoints()).map((one) =>
      (parseHeads(one.heads) ?? []).map(({ chain, from, place }) => [chain, from, place]),
    )

  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {
    time = start + 60_000
  })

  suiteOnEmptyLog('a checkpoint', () => {
    test('is not written of nothing', async () => {
      assert.equal(await processOf().write(), true)
      assert.deepEqual(await checkpoints(), [])
    })

    test('covers the new records of all chains, refers to the one before, and is signed', async () => {
      const process = processOf()
      await audit.append('a')
      const [b, a] = [await audit.append('b'), await audit.append('a')]
      assert.equal(await process.write(), true)
      const [first = assert.fail()] = await checkpoints()
      assert.deepEqual(parseHeads(first.heads), [
        { chain: 'a', from: 1, place: 2, mac: a.mac, number: a.number },
        { chain: 'b', from: 1, place: 1, mac: b.mac, number: b.number },
      ])
      const { at, key_id, number, previous, records } = first
      assert.deepEqual([number, at, previous, records, key_id], [1, time, '', 3, signer.id])
      assert.ok(signer.verifies(checkpointText(first), first.signature))
      await audit.append('b')
      time += youngMs
      assert.equal(await process.write(), true)
      const [, second = assert.fail()] = await checkpoints()
      assert.deepEqual([second.number, second.records], [2, 4])
      assert.equal(second.previous, checkpointDigest(first))
      assert.deepEqual(await heads(), [
        [
          ['a', 1, 2],
          ['b', 1, 1],
        ],
        [['b', 2, 2]],
      ])
      assert.equal(await process.write({ isUrgent: true }), true)
      assert.equal((await checkpoints()).length, 2)
    })

    test('is not written soon after another, of any process, unless it is urgent', async () => {
      const [one, other] = [processOf(), processOf()]
      await audit.append('a')
      assert.equal(await one.write(), true)
      await audit.append('a')
      time += youngMs - 1
      assert.deepEqual([await one.write(), await other.write()], [false, false])
      assert.equal((await checkpoints()).length, 1)
      assert.equal(await other.write({ isUrgent: true }), true)
      await audit.append('a')
      time += youngMs
      assert.equal(await one.write(), true)
      assert.deepEqual(await heads(), [[['a', 1, 1]], [['a', 2, 2]], [['a', 3, 3]]])
    })

    test('is written after a clock that was set back', async () => {
      const process = processOf()
      await audit.append('a')
      await process.write()
      await audit.append('a')
      time -= 1
      assert.equal(await process.write(), true)
      assert.deepEqual(await heads(), [[['a', 1, 1]], [['a', 2, 2]]])
    })

    test('of a new process goes on behind the old ones, however long ago a chain has grown', async () => {
      const old = processOf()
      for (const chain of ['a', 'b']) await audit.append(chain)
      await old.write()
      for (let count = 0; count < 3; count += 1) {
        await audit.append('b')
        await old.write({ isUrgent: true })
      }
      await audit.append('a')
      assert.equal(await processOf().write({ isUrgent: true }), true)
      assert.deepEqual((await heads()).at(-1), [['a', 2, 2]])
      await audit.append('c')
      assert.equal(await processOf().write({ isUrgent: true }), true)
      assert.deepEqual((await heads()).at(-1), [['c', 1, 1]])
      assert.deepEqual((await verifyAudit({ db, keys })).problems, [])
    })

    test('covers a chain that is not listed, also one of a single record', async () => {
      const process = processOf()
      await audit.append('a')
      await process.write()
      await audit.append('hidden')
      await audit.append('a')
      await db.deleteFrom('audit_chains').where('chain', '=', 'hidden').execute()
      assert.equal(await process.write({ isUrgent: true }), true)
      assert.deepEqual((await heads()).at(-1), [
        ['a', 2, 2],
        ['hidden', 1, 1],
      ])
      await audit.append('hidden')
      assert.equal(await processOf().write({ isUrgent: true }), true)
      assert.deepEqual((await heads()).at(-1), [['hidden', 2, 2]])
    })

    test('covers a chain that was closed with a record of its last commit', async () => {
      const process = processOf()
      await audit.append('a')
      await db.updateTable('audit_chains').set({ closed_at: time }).execute()
      await process.write()
      await audit.append('a')
      assert.equal(await process.write({ isUrgent: true }), true)
      assert.deepEqual(await heads(), [[['a', 1, 1]], [['a', 2, 2]]])
    })

    test('forgets chains that were closed a day before', async () => {
      const process = processOf()
      await audit.append('a')
      await db.updateTable('audit_chains').set({ closed_at: time }).execute()
      await process.write()
      time += day + 1
      await audit.append('b')
      await process.write()
      await audit.append('b')
      assert.equal(await process.write({ isUrgent: true }), true)
      assert.deepEqual(await heads(), [[['a', 1, 1]], [['b', 1, 1]], [['b', 2, 2]]])
    })

    test('reads all again if the database was replaced', async () => {
      const process = processOf()
      await audit.append('a')
      await process.write()
      await audit.clear()
      await audit.append('b')
      assert.equal(await process.write(), true)
      assert.deepEqual(await heads(), [[['b', 1, 1]]])
      await audit.clear()
      await audit.append('c')
      await audit.checkpoint()
      await audit.append('c')
      assert.equal(await process.write({ isUrgent: true }), true)
      assert.deepEqual(await heads(), [[['c', 1, 1]], [['c', 2, 2]]])
      assert.deepEqual((await verifyAudit({ db, keys })).problems, [])
    })

    test('is given to what happens in its transaction; a failure there undoes it', async () => {
      const given: number[] = []
      const process = processOf({
        async inserted(_trx: unknown, { number }: { number: number }) {
          given.push(number)
          if (given.length === 1) throw new Error('as if it failed')
        },
      })
      await audit.append('a')
      await assert.rejects(process.write(), /as if it failed/)
      assert.deepEqual(await checkpoints(), [])
      assert.equal(await process.write(), true)
      assert.deepEqual([given, await heads()], [[1, 1], [[['a', 1, 1]]]])
    })

    test('is not signed by a key from which the master key was turned', async () => {
      await audit.append('a')
      const row = { key_id: signer.id, public_key: signer.publicKey, successor: 'next', number: 0 }
      const signatures = { digest: '', at: time, own_signature: '', signature: '' }
      await db
        .insertInto('audit_checkpoint_keys')
        .values({ ...row, ...signatures })
        .execute()
      await assert.rejects(processOf().write(), (error: unknown) => {
        assert.ok(error instanceof CheckpointKeyEnded)
        const message = `the master key was turned: next signs checkpoints, and not ${signer.id}`
        assert.equal(error.message, message)
        return true
      })
      assert.deepEqual(await checkpoints(), [])
    })
  })

  suiteOnEmptyLog('retention', () => {
    const days = 30
    const retention = (retentionDays = days) =>
      createRetention({
        ...{ db, clock, key: () => signer, chainKey: () => keys.chain, retentionDays },
      })
    const purge = (batchSize = 100) => retention()(batchSize)
    const left = async () =>
      (
        await db.selectFrom('audit_records').select(['chain', 'place']).orderBy('number').execute()
      ).map(({ chain, place }) => `${chain}${place}`)
    const tombstones = async () =>
      (await db.selectFrom('audit_tombstones').selectAll().orderBy('chain').execute()).map(
        ({ chain, place, mac, records, at, closed }) => ({
          chain,
          place,
          mac,
          records,
          at,
          closed,
        }),
      )
    /** The records that are due have `at` before this time. */
    const before = start + 10_000

    beforeEach(() => {
      time = before + days * day
    })

    test('of no days removes nothing', async () => {
      await audit.append('a')
      assert.equal(await retention(0)(100), 0)
      assert.deepEqual(await left(), ['a1'])
    })

    test('removes what is older, and signs where each chain begins now', async () => {
      const first = await audit.append('a', { at: before - 2 })
      const second = await audit.append('a', { at: before - 1 })
      const b = await audit.append('b', { at: before - 1 })
      await audit.append('a', { at: before })
      await audit.append('c', { at: before })
      await db
        .updateTable('audit_chains')
        .set({ closed_at: time })
        .where('chain', '!=', 'c')
        .execute()
      assert.equal(await purge(), 3)
      assert.deepEqual(await left(), ['a3', 'c1'])
      assert.deepEqual(await tombstones(), [
        { chain: 'a', place: 2, mac: second.mac, records: 2, at: time, closed: '' },
        { chain: 'b', place: 1, mac: b.mac, records: 1, at: time, closed: '' },
      ])
      assert.notEqual(first.mac, second.mac)
      const chains = await db.selectFrom('audit_chains').select('chain').orderBy('chain').execute()
      assert.deepEqual(
        chains.map(({ chain }) => chain),
        ['a', 'c'],
      )
      assert.equal(await purge(), 0)
      assert.deepEqual((await verifyAudit({ db, keys })).problems, [])
    })

    test('an open chain stays listed without a record', async () => {
      await audit.append('a', { at: before - 1 })
      await purge()
      assert.deepEqual(await left(), [])
      assert.equal((await db.selectFrom('audit_chains').selectAll().execute()).length, 1)
    })

    test('takes so many at once, and adds up', async () => {
      for (let count = 0; count < 3; count += 1) await audit.append('a', { at: before - 5 + count })
      await audit.append('b', { at: before - 1 })
      assert.equal(await purge(2), 2)
      assert.deepEqual(await left(), ['a3', 'b1'])
      assert.equal(await purge(2), 2)
      assert.deepEqual(await left(), [])
      assert.deepEqual(
        (await tombstones()).map(({ chain, place, records }) => [chain, place, records]),
        [
          ['a', 3, 3],
          ['b', 1, 1],
        ],
      )
      assert.equal(await purge(2), 0)
    })

    test('a record that is older behind a younger one stays with it', async () => {
      await audit.append('a', { at: before - 1 })
      await audit.append('a', { at: before })
      await audit.append('a', { at: before - 1 })
      assert.equal(await purge(), 1)
      assert.deepEqual(await left(), ['a2', 'a3'])
      assert.equal(await purge(), 0)
    })

    test('carries lists of erased keys over, and only those that were really written', async () => {
      await audit.append('a', { at: before - 3, closed: ['one'] })
      const forged = await audit.append('a', { at: before - 2, closed: ['two'] })
      await audit.append('a', { at: before - 1, closed: ['three'] })
      await audit.append('a', { at: before })
      await db
        .updateTable('audit_records')
        .set({ facts: '{"closed":["forged"]}' })
        .where('number', '=', forged.number)
        .execute()
      await purge()
      const [{ closed } = assert.fail()] = await tombstones()
      assert.deepEqual(JSON.parse(closed), [
        null,
        ['one', before - 3, null],
        ['three', before - 1, null],
      ])
    })

    test('drops lists that no record can need', async () => {
      await audit.append('a', { at: before - 1, closed: ['one'] })
      await audit.append('b', { at: before + day })
      await purge()
      assert.equal((await tombstones())[0]?.closed, '')
    })

    test('keeps the list of a tombstone that is signed, and forgets a forged one', async () => {
      const key = { name: 'early', at: before - 1, through: null }
      const closed = closedText([{ keys: [key], through: null }], before)
      for (const [chain, signing] of [
        ['a', signer],
        ['b', checkpointKey(Buffer.alloc(32, 9))],
      ] as const) {
        const { mac } = await audit.append(chain, { at: before - 9 })
        await audit.append(chain, { at: before - 8 })
        await audit.append(chain, { at: before })
        const tombstone = { chain, place: 1, mac, records: 1, at: start, closed }
        await db.insertInto('audit_tombstones').values(signTombstone(signing, tombstone)).execute()
        await db
          .deleteFrom('audit_records')
          .where('chain', '=', chain)
          .where('place', '=', 1)
          .execute()
      }
      assert.equal(await purge(), 2)
      const found = (await tombstones()).map((one) => [
        one.chain,
        one.place,
        one.records,
        one.closed,
      ])
      assert.deepEqual(found, [
        ['a', 2, 2, closed],
        ['b', 2, 2, ''],
      ])
    })

    test('removes checkpoints a day later, and leaves the last', async () => {
      for (const at of [before - day - 2, before - day - 1, before - day]) {
        await audit.append('a', { at })
        await audit.checkpoint(at)
      }
      await audit.append('a', { at: before })
      assert.equal(await purge(), 3)
      const [, second] = await checkpoints()
      assert.equal(await purge(), 2)
      assert.deepEqual(
        (await checkpoints()).map(({ number }) => number),
        [3],
      )
      const [, { chain, mac, place, records } = assert.fail()] = await tombstones()
      assert.deepEqual([chain, place, records], ['checkpoints', 2, 2])
      assert.equal(mac, checkpointDigest(second ?? assert.fail()))
      assert.equal(await purge(), 0)
      time += 5 * day
      await purge()
      assert.equal(await purge(), 0)
      assert.deepEqual(
        (await checkpoints()).map(({ number }) => number),
        [3],
      )
      assert.deepEqual((await verifyAudit({ db, keys })).problems, [])
    })

    test('removes so many checkpoints at once', async () => {
      for (let count = 0; count < 4; count += 1) {
        await audit.append('a', { at: before - 3 * day + count })
        await audit.checkpoint(before - 3 * day + count)
      }
      assert.deepEqual([await purge(9), await purge(2), await purge(2)], [4, 2, 1])
      assert.deepEqual(
        (await checkpoints()).map(({ number }) => number),
        [4],
      )
    })
  })
})
