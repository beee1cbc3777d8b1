// A database makes a difference: the log is read from its tables.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { storedAudit } from '../../../../test/stored-audit.ts'
import { usersOfIds } from '../../../../test/users-of-ids.ts'
import {
  type Checkpoint,
  checkpointDigest,
  headsText,
  signCheckpoint,
  signTombstone,
} from '../checkpoint-form.ts'
import { checkpointKey } from '../checkpoint-key.ts'
import { lineOf } from '../outside/file-sink.ts'
import { verifyAudit } from './verify.ts'

suite('the verification of the audit log', async () => {
  const audit = await storedAudit()
  const { db, keys, signer, start } = audit
  const later = start + 3_600_000

  async function* outsideOf(checkpoints: readonly Checkpoint[], ...others: string[]) {
    for (const checkpoint of checkpoints) yield lineOf({ checkpoint }).trimEnd()
    yield* others
  }

  async function verified(outside?: AsyncIterable<string> | null, now = later) {
    return verifyAudit({ db, keys }, { now, ...(outside !== undefined && { outside }) })
  }

  /** What was found: kind, place of the record, words. */
  async function found(outside?: AsyncIterable<string> | null) {
    const { first, problemCount, problems } = await verified(outside)
    assert.equal(problemCount, problems.length)
    assert.deepEqual(first, problems[0] ?? null)
    return problems.map(({ what, chain, place, number, detail }) => [
      what,
      chain,
      place,
      number,
      detail,
    ])
  }

  const change = (number: number, columns: object) =>
    db.updateTable('audit_records').set(columns).where('number', '=', number).execute()
  const remove = (...numbers: number[]) =>
    db.deleteFrom('audit_records').where('number', 'in', numbers).execute()

  /** Two chains of three and two records, of Ann, of a command, and of an unknown caller. */
  async function written(): Promise<Checkpoint[]> {
    await audit.person('7')
    await audit.append('a', { payload: { user_id: 7 }, context: { by: '7', address: '192.0.2.1' } })
    await audit.append('b', { payload: { file: 'x' }, context: { by: 'cli' } })
    await audit.append('a', {
      outcome: 'failure',
      typed: 'anna',
      context: { address: '192.0.2.2' },
    })
    const one = await audit.checkpoint()
    await audit.append('b', { payload: { user_id: 7 }, context: { by: 'cli' } })
    await audit.append('a', { payload: { author_id: 7 }, context: { by: '7' } })
    const two = await audit.checkpoint()
    return [one, two]
  }

  function onEmptyTables(name: string, tests: () => void): void {
    suite(name, () => {
      beforeEach(audit.clear)
      tests()
    })
  }

  const changed =
    'the record is not what was written at this place: it was changed, swapped or inserted'

  onEmptyTables('an audit log as it was written', () => {
    test('an empty log of no accounts is intact', async () => {
      const { checked, lastCheckpoint, notes, problems, uncovered } = await verified(null)
      assert.deepEqual(problems, [])
      assert.deepEqual(checked, {
        records: 0,
        chains: 0,
        checkpoints: 0,
        tombstones: 0,
        outside: null,
      })
      assert.deepEqual([lastCheckpoint, notes], [null, []])
      assert.deepEqual(uncovered, { records: 0, since: null })
    })

    test('is intact, with all counts', async () => {
      const checkpoints = await written()
      const open = await audit.append('a')
      const { checked, erased, fork, lastCheckpoint, lastOutside, notes, problems, uncovered } =
        await verified(outsideOf(checkpoints, '{"record":{}}', 'no line', ''))
      assert.deepEqual(problems, [])
      assert.deepEqual(checked, {
        records: 6,
        chains: 2,
        checkpoints: 2,
        tombstones: 0,
        outside: 4,
      })
      const last = { number: 2, at: checkpoints[1]?.at }
      assert.deepEqual(
        [erased, fork, lastCheckpoint, lastOutside, notes],
        [0, null, last, last, []],
      )
      assert.deepEqual(uncovered, { records: 1, since: open.at })
      const reversed = await verified(outsideOf(checkpoints.toReversed()))
      assert.deepEqual(reversed.lastOutside, last)
    })

    test('reports the progress, and is read in order of chains', async () => {
      await written()
      const seen: number[] = []
      await verifyAudit({ db, keys }, { onProgress: (records) => seen.push(records) })
      assert.deepEqual(seen, [5])
    })
  })

  onEmptyTables('a record', () => {
    beforeEach(written)

    for (const [column, value] of [
      ['at', start],
      ['type', 'other'],
      ['outcome', 'failure'],
      ['reason', 'other'],
      ['request_id', 'other'],
      ['actor_key', null],
      ['target_sealed', null],
      ['id', 'other'],
    ] as const) {
      test(`whose ${column} was changed is found`, async () => {
        await change(4, { [column]: value })
        assert.deepEqual(await found(), [['changed', 'b', 2, 4, changed]])
      })
    }

    test('that was changed with a mac of another key breaks the one behind it as well', async () => {
      await change(1, { mac: 'x' })
      assert.deepEqual(await found(), [
        ['changed', 'a', 1, 1, changed],
        ['changed', 'a', 2, 3, changed],
      ])
    })

    test('with another number than the checkpoint attests is found', async () => {
      await change(5, { number: 50 })
      const detail = 'the record is not the one that checkpoint 2 attests'
      assert.deepEqual(await found(), [['number', 'a', 3, 50, detail]])
    })

    test('with a number before the one of the record before it is found', async () => {
      await change(1, { number: 10 })
      const detail = 'the record has a number that is not behind that of the record before it'
      assert.deepEqual(await found(), [['number', 'a', 2, 3, detail]])
    })

    test('that is missing leaves a gap', async () => {
      await remove(3)
      assert.deepEqual(await found(), [['missing', 'a', 2, null, 'place 2 is missing']])
    })

    test('more than one leave a gap of all', async () => {
      await remove(1, 3)
      assert.deepEqual(await found(), [['missing', 'a', 1, null, 'place 1 to 2 are missing']])
    })

    test('at the end of a chain is attested by a checkpoint', async () => {
      await remove(5)
      const detail = 'place 3 is missing: checkpoint 2 attests them'
      assert.deepEqual(await found(), [['missing', 'a', 3, null, detail]])
    })

    test('all of a chain are missing', async () => {
      await remove(2, 4)
      const detail = 'place 1 to 2 are missing: checkpoint 2 attests them'
      assert.deepEqual(await found(), [['missing', 'b', 1, null, detail]])
    })

    test('all of a chain without a checkpoint are missing', async () => {
      await audit.append('c')
      await remove(6)
      assert.deepEqual(await found(), [
        ['missing', 'c', 1, null, 'place all records of the chain are missing'],
      ])
    })

    test('that was inserted behind the last checkpoint is found', async () => {
      const row = await audit.append('a')
      await change(row.number, { mac: 'x' })
      assert.deepEqual(await found(), [['inserted', 'a', 4, 6, changed]])
    })

    test('two that were swapped are found', async () => {
      await change(1, { place: 99 })
      await change(3, { place: 1 })
      await change(1, { place: 2 })
      assert.deepEqual(
        (await found()).map(([what, , , number]) => [what, number]),
        [
          ['changed', 1],
          ['changed', 3],
          ['changed', 5],
        ],
      )
    })

    test('of a chain that is not listed is found, once', async () => {
      await db.deleteFrom('audit_chains').where('chain', '=', 'a').execute()
      const detail = 'the record is in a chain that the list of chains lacks'
      assert.deepEqual(await found(), [['chain', 'a', 1, 1, detail]])
    })

    for (const columns of [{ instance: 'host/2' }, { version: '9' }]) {
      test(`of a chain with another ${Object.keys(columns)} is found`, async () => {
        await db.updateTable('audit_chains').set(columns).where('chain', '=', 'a').execute()
        const detail = 'the record names another instance or version than the list of chains'
        assert.deepEqual(await found(), [['chain', 'a', 1, 1, detail]])
      })
    }

    test('that was taken out of the indexes is found; one that waits for them is not', async () => {
      await change(1, { indexed: 0 })
      await change(2, { indexed: null })
      const detail = 'the record was taken out of the indexes'
      assert.deepEqual(await found(), [['index', 'a', 1, 1, detail]])
    })

    for (const [number, column] of [
      [1, 'actor_index'],
      [1, 'target_index'],
      [1, 'address_index'],
      [2, 'actor_index'],
      [3, 'target_index'],
      [3, 'address_index'],
    ] as const) {
      const wrong = `the record is indexed wrongly: its ${column} does not follow from its sealed fields`
      test(`${number} is found if its ${column} was emptied or changed`, async () => {
        for (const value of [null, 'other']) {
          await change(number, { [column]: value })
          const [[what, , , place, detail] = assert.fail(), ...others] = await found()
          assert.deepEqual([what, place, detail, others], ['index', number, wrong, []])
        }
      })
    }

    test('has no index that nothing gives', async () => {
      for (const [number, column] of [
        [2, 'address_index'],
        [2, 'target_index'],
        [3, 'actor_index'],
      ] as const) {
        await change(number, { [column]: 'x' })
        assert.deepEqual(
          (await found()).map(([what, , , place]) => [what, place]),
          [['index', number]],
        )
        await change(number, { [column]: null })
      }
      assert.deepEqual(await found(), [])
    })
  })

  onEmptyTables('keys of persons', () => {
    test('one that does not open, or by another name, was changed', async () => {
      await written()
      await audit.person('8')
      await db
        .updateTable('audit_subjects')
        .set({ sealed: 'x' })
        .where('subject', '=', '8')
        .execute()
      const detail = 'the key of the person 8 does not open, or not by its name: it was changed'
      assert.deepEqual(await found(), [['key', null, null, null, detail]])
      await db.deleteFrom('audit_subjects').where('subject', '=', '8').execute()
      await audit.person('9')
      await db
        .updateTable('audit_subjects')
        .set({ pseudonym: 'x' })
        .where('subject', '=', '9')
        .execute()
      assert.deepEqual(await found(), [['key', null, null, null, detail.replace('8', '9')]])
    })

    const gone = (number: number) =>
      `the key of a person is gone, and no record of an erasure lists it: record ${number} is the first that it has sealed`

    test('one that is gone without an erasure is found, by its first record', async () => {
      await written()
      await db.deleteFrom('audit_subjects').execute()
      assert.deepEqual(await found(), [
        ['index', 'a', 1, 1, indexed('actor_index')],
        ['erasure', null, null, 1, gone(1)],
        ['index', 'b', 2, 4, indexed('target_index')],
        ['index', 'a', 3, 5, indexed('actor_index')],
      ])
    })

    const indexed = (column: string) =>
      `the record is indexed wrongly: its ${column} does not follow from its sealed fields`

    /** As an erasure leaves the records of Ann. */
    async function cleared() {
      await db.deleteFrom('audit_subjects').execute()
      await change(1, { actor_index: null, target_index: null, address_index: null })
      await change(4, { target_index: null })
      await change(5, { actor_index: null, target_index: null })
    }

    test('one that an erasure lists is no problem; its records are counted', async () => {
      await written()
      const { target_key } = await audit.append('a', { payload: { user_id: 7 } })
      await cleared()
      await change(6, { target_index: null })
      assert.deepEqual(await found(), [['erasure', null, null, 1, gone(1)]])
      await audit.append('a', { type: 'user_removed', closed: [target_key ?? ''] })
      const { erased, problems } = await verified()
      assert.deepEqual([problems, erased], [[], 4])
    })

    test('indexes that an erasure has not emptied yet are no problem', async () => {
      const { actorIndex, pseudonym, targetIndex } = await audit.person('7')
      const by = { payload: { user_id: 7 }, context: { by: '7' } }
      await audit.append('a', by)
      await audit.append('a', { closed: [pseudonym] })
      await db.deleteFrom('audit_subjects').execute()
      assert.equal((await found()).length, 1)
      const row = { user_id: 7, pseudonym, at: start, cleared_at: null }
      await db
        .insertInto('erasures')
        .values({ ...row, actor_index: actorIndex, target_index: targetIndex })
        .execute()
      assert.deepEqual(await found(), [])
      await db.updateTable('erasures').set({ target_index: null }).execute()
      assert.deepEqual((await found())[0]?.[4], indexed('target_index'))
    })

    test('erasures of versions without lists are noted, until a list names them', async () => {
      await audit.person('7')
      const { pseudonym } = await audit.person('8')
      for (const id of [7, 8]) await audit.append('a', { payload: { user_id: id } })
      await db.deleteFrom('audit_subjects').execute()
      await db.updateTable('audit_records').set({ target_index: null }).execute()
      await db.insertInto('audit_erasures_unlisted').values({ through: 2 }).execute()
      const note = (count: string) => `${count} before version 0.10.0, without proof`
      const before = await verified()
      assert.deepEqual([before.problems, before.notes], [[], [note('2 erasures')]])
      await db.updateTable('audit_erasures_unlisted').set({ through: 1 }).execute()
      assert.deepEqual(await found(), [['erasure', null, null, 2, gone(2)]])
      // The list counts, and no more the row.
      await audit.append('a', { unlisted: { closed: [pseudonym], through: 2 } })
      const { notes, problems } = await verified()
      assert.deepEqual(notes, [note('1 erasure')])
      assert.deepEqual(
        problems.map(({ detail }) => detail),
        [gone(1)],
      )
    })

    test('a second list of earlier erasures excuses nothing, and is found', async () => {
      const { pseudonym } = await audit.person('7')
      await audit.append('a', { payload: { user_id: 7 } })
      await db.deleteFrom('audit_subjects').execute()
      await db.updateTable('audit_records').set({ target_index: null }).execute()
      await audit.append('a', { unlisted: { closed: [], through: 1 } })
      await audit.append('b', { unlisted: { closed: [pseudonym], through: 2 } })
      const detail =
        'erasures from before version 0.10.0 were listed more than once: a list was hidden from the service meanwhile'
      assert.deepEqual(await found(), [
        ['erasure', null, null, 1, gone(1)],
        ['erasure', null, null, null, detail],
      ])
    })
  })

  onEmptyTables('accounts beside the log', () => {
    async function account(id: number, more: object = {}) {
      await usersOfIds(db, id, id)
      const row = {
        user_id: id,
        username: `u${id}`,
        active: 1,
        locked: 0,
        created_at: start,
        ...more,
      }
      await db.insertInto('accounts').values(row).execute()
    }

    test('an empty log is a problem if there is an account', async () => {
      await account(1)
      const detail = (there: string) => `the tables of the audit log are empty, although ${there}`
      assert.deepEqual(await found(), [['missing', null, null, null, detail('there is 1 account')]])
      await account(2)
      assert.deepEqual(await found(), [
        ['missing', null, null, null, detail('there are 2 accounts')],
      ])
    })

    test('who has signed in since the oldest record has a key', async () => {
      const { at } = await audit.append('a')
      await account(1, { last_login_at: at - 1 })
      await account(2, { last_login_at: 0 })
      assert.deepEqual(await found(), [])
      await account(3, { last_login_at: at })
      const detail = 'the account of user 3 exists and has signed in, and its key is gone'
      assert.deepEqual(await found(), [['erasure', null, null, null, detail]])
      await audit.person('3')
      assert.deepEqual(await found(), [])
    })

    test('a person who was erased is gone', async () => {
      await audit.append('a')
      await account(1)
      const row = { pseudonym: null, actor_index: null, target_index: null, cleared_at: null }
      await db
        .insertInto('erasures')
        .values([1, 1, 2].map((user_id) => ({ ...row, user_id, at: start })))
        .execute()
      const detail = 'the key of user 1 was erased, although the user exists'
      assert.deepEqual(await found(), [['erasure', null, null, null, detail]])
    })
  })

  onEmptyTables('checkpoints', () => {
    const set = (number: number, columns: object) =>
      db.updateTable('audit_checkpoints').set(columns).where('number', '=', number).execute()

    test('one that was changed has a wrong signature, and the next does not refer to it', async () => {
      await written()
      await set(1, { at: start })
      const problem = (detail: string) => ['checkpoint', null, null, null, detail]
      assert.deepEqual(await found(), [
        problem('checkpoint 1 was changed: its signature is wrong'),
        problem(
          'checkpoint 2 does not refer to the checkpoint before it: one of the two was changed',
        ),
      ])
    })

    test('one that is missing leaves a gap', async () => {
      await written()
      await db.deleteFrom('audit_checkpoints').where('number', '=', 1).execute()
      const detail =
        'checkpoint 2 follows a gap: 1 is missing, or they were removed without a tombstone'
      assert.deepEqual(await found(), [['checkpoint', null, null, null, detail]])
    })

    test('one of another key is a problem without a restore', async () => {
      const [, two] = await written()
      const other = checkpointKey(Buffer.alloc(32, 9))
      const { key_id: _, signature: __, ...unsigned } = two ?? assert.fail()
      await set(2, signCheckpoint(other, unsigned))
      const detail = `checkpoint 2 is signed by another key, ${other.id}`
      assert.deepEqual(await found(), [['checkpoint', null, null, null, detail]])
    })

    test('of another key alone are foreign: a restore and one of this key make up for them', async () => {
      const [one, two] = await written()
      const other = checkpointKey(Buffer.alloc(32, 9))
      const { key_id: _, signature: __, ...first } = one ?? assert.fail()
      const { key_id: ___, signature: ____, ...second } = two ?? assert.fail()
      const foreign = signCheckpoint(other, first)
      await set(1, foreign)
      await set(2, signCheckpoint(other, { ...second, previous: checkpointDigest(foreign) }))
      const count = '2 checkpoints are'
      assert.deepEqual(
        (await found()).map(([what, , , , detail]) => [what, detail]),
        [
          [
            'key',
            `${count} signed by another key than that of this master key (${signer.id}), and no restore of a backup is recorded after them`,
          ],
        ],
      )
      const restored = await audit.append('c', { type: 'backup_restored', at: (two?.at ?? 0) + 9 })
      const restore = new Date(restored.at).toISOString()
      const unvouched = await verified()
      assert.deepEqual(
        unvouched.problems.map(({ detail }) => detail),
        [
          `the checkpoints are those of another master key, from before the restore of ${restore}: start the service, whose first checkpoint vouches for them`,
        ],
      )
      const note = `${count} of another master key, from before a restore`
      assert.deepEqual(unvouched.notes, [note])
      const before = await db
        .selectFrom('audit_checkpoints')
        .selectAll()
        .where('number', '=', 2)
        .executeTakeFirstOrThrow()
      const { chain, place, mac, number } = restored
      const own = signCheckpoint(signer, {
        ...{ number: 3, at: restored.at, previous: checkpointDigest(before), records: 6 },
        heads: headsText([{ chain, from: 1, place, mac, number }]),
      })
      await db.insertInto('audit_checkpoints').values(own).execute()
      const vouched = await verified()
      assert.deepEqual([vouched.problems, vouched.notes], [[], [note]])
    })

    test('continue each chain where the checkpoint before ended', async () => {
      await written()
      const { mac, number } = await audit.append('a')
      for (const [from, place] of [
        [3, 4],
        [5, 4],
      ] as const) {
        const last = await db
          .selectFrom('audit_checkpoints')
          .selectAll()
          .where('number', '=', 2)
          .executeTakeFirstOrThrow()
        const made = signCheckpoint(signer, {
          ...{ number: 3, at: last.at + 1, previous: checkpointDigest(last), records: 6 },
          heads: headsText([{ chain: 'a', from, place, mac, number }]),
        })
        await db.insertInto('audit_checkpoints').values(made).execute()
        const detail = 'checkpoint 3 does not go on in the chain a where one before it ended'
        assert.deepEqual(await found(), [['checkpoint', null, null, null, detail]])
        await db.deleteFrom('audit_checkpoints').where('number', '=', 3).execute()
      }
    })

    test('heads that cannot be read are a problem', async () => {
      await audit.append('a')
      const { key_id: _, signature: __, ...unsigned } = await audit.checkpoint()
      await set(1, signCheckpoint(signer, { ...unsigned, heads: '{}' }))
      const detail = 'checkpoint 1 has heads that cannot be read'
      assert.deepEqual(await found(), [['checkpoint', null, null, null, detail]])
    })
  })

  onEmptyTables('tombstones', () => {
    /** As retention leaves a chain whose first records it has removed. */
    async function retained(more: object = {}) {
      await written()
      const { mac } = await db
        .selectFrom('audit_records')
        .select('mac')
        .where('number', '=', 3)
        .executeTakeFirstOrThrow()
      await remove(1, 3)
      const tombstone = { chain: 'a', place: 2, mac, records: 2, at: start, closed: '', ...more }
      await db.insertInto('audit_tombstones').values(signTombstone(signer, tombstone)).execute()
    }

    test('the records behind one follow it', async () => {
      await retained()
      const { checked, problems } = await verified()
      assert.deepEqual([problems, checked.tombstones, checked.records], [[], 1, 3])
    })

    test('one that this service has not signed counts for nothing', async () => {
      await retained()
      await db.updateTable('audit_tombstones').set({ records: 1 }).execute()
      const detail = 'the tombstone of the chain a is not signed by this service'
      assert.deepEqual(await found(), [
        ['tombstone', 'a', null, null, detail],
        ['missing', 'a', 1, null, 'place 1 to 2 are missing'],
      ])
    })

    test('a record before the end of one is found', async () => {
      await retained({ place: 3 })
      const detail = 'the record stands before the end of what retention removed'
      assert.deepEqual((await found())[0], ['tombstone', 'a', 3, 5, detail])
    })

    test('of a whole chain it reaches as far as the last checkpoint', async () => {
      await retained()
      await remove(5)
      const detail = 'place 3 is missing: checkpoint 2 attests them'
      assert.deepEqual(await found(), [['missing', 'a', 3, null, detail]])
      const [, two] = await db
        .selectFrom('audit_checkpoints')
        .selectAll()
        .orderBy('number')
        .execute()
      const head: [string, number, number, string, number] | undefined = JSON.parse(
        two?.heads ?? '',
      ).find(([chain]: [string]) => chain === 'a')
      const place = {
        chain: 'a',
        place: 3,
        mac: head?.[3] ?? '',
        records: 3,
        at: start,
        closed: '',
      }
      const store = (tombstone: typeof place) =>
        db.updateTable('audit_tombstones').set(signTombstone(signer, tombstone)).execute()
      await store({ ...place, mac: 'x' })
      assert.equal((await found()).length, 1)
      await store(place)
      assert.deepEqual(await found(), [])
      await store({ ...place, place: 4, mac: 'x' })
      assert.deepEqual(await found(), [])
    })

    test('of checkpoints: the next refers to the last that was removed', async () => {
      const [one] = await written()
      const { number, records } = one ?? assert.fail()
      await db.deleteFrom('audit_checkpoints').where('number', '=', 1).execute()
      const mac = checkpointDigest(one ?? assert.fail())
      const tombstone = { chain: 'checkpoints', place: number, mac, records, at: start, closed: '' }
      await db.insertInto('audit_tombstones').values(signTombstone(signer, tombstone)).execute()
      const outside = await verified(outsideOf([one ?? assert.fail()]))
      assert.deepEqual(outside.problems, [])
      assert.deepEqual(outside.notes, [
        '1 checkpoints of the file outside are older than the retention',
      ])
    })
  })

  onEmptyTables('the file outside', () => {
    const missing = 'there is no file of checkpoints outside, although the database has checkpoints'
    const emptied =
      'the file outside has no checkpoint, although the database has some: it was emptied'

    test('is missing or empty', async () => {
      await written()
      assert.deepEqual(await found(null), [['outside', null, null, null, missing]])
      assert.deepEqual(await found(outsideOf([])), [['outside', null, null, null, emptied]])
    })

    test('may lack the first checkpoint for ten seconds', async () => {
      await audit.append('a')
      const { at } = await audit.checkpoint()
      assert.deepEqual((await verified(null, at + 9999)).problems, [])
      assert.equal((await verified(null, at + 10_000)).problemCount, 1)
      await audit.append('a')
      await audit.checkpoint(at)
      assert.equal((await verified(null, at)).problemCount, 1)
    })

    test('has a line that was changed', async () => {
      const [one, two] = await written()
      const changed = { ...(two ?? assert.fail()), at: 5 }
      const detail = 'line 2 of the file outside is not signed by this service: it was changed'
      assert.deepEqual(await found(outsideOf([one ?? assert.fail(), changed])), [
        ['outside', null, null, null, detail],
      ])
    })

    test('has checkpoints that the database lacks; a restore explains them', async () => {
      const [one, two] = await written()
      await audit.append('a')
      const three = await audit.checkpoint()
      const lines = [one ?? assert.fail(), two ?? assert.fail(), three, three]
      await db.deleteFrom('audit_checkpoints').where('number', '>', 1).execute()
      await remove(4, 5, 6)
      const { fork, lastOutside, problems } = await verified(outsideOf(lines))
      const detail = 'the file outside has checkpoints that the database lacks: 2 to 3'
      assert.deepEqual(
        problems.map((problem) => problem.detail),
        [detail],
      )
      assert.deepEqual(fork, { from: 2, to: 3, lines: 3, at: three.at, restore: null })
      assert.deepEqual(lastOutside, { number: 3, at: three.at })
      const payload = { file: 'backup.gz', created_at: '2026-01-15T12:00:00Z' }
      const early = { type: 'backup_restored', payload, at: three.at - 1, context: { by: 'cli' } }
      await audit.append('d', early)
      assert.equal((await verified(outsideOf(lines))).fork?.restore, null)
      const { at, id } = await audit.append('d', { ...early, at: three.at })
      const explained = await verified(outsideOf(lines))
      assert.deepEqual(explained.fork?.restore, { id, at, ...payload })
      const newest = await audit.append('c', { ...early, at: three.at + 1 })
      assert.equal((await verified(outsideOf(lines))).fork?.restore?.id, newest.id)
      const single = await verified(outsideOf(lines.slice(0, 2)))
      assert.equal(
        single.problems.at(-1)?.detail,
        'the file outside has checkpoints that the database lacks: 2',
      )
    })
  })
})
