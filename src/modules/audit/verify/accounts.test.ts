// A database makes a difference: accounts and erasures are rows of its tables.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../../test/stored-audit.ts'
import { verifyAccounts } from './accounts.ts'
import { createFindings } from './report.ts'
import { usersWithoutKey } from './without-key.ts'

suite('accounts and the audit log', async () => {
  const audit = await storedAudit()
  const { db, start } = audit
  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {})

  /** `imported`: positive for a user of an import, negative while the import is under way. */
  async function account(id: number, imported: number | null = null, signedInAt = 0) {
    const user = { id, name: 'A', email: `${id}@b.co`, name_key: 'a', email_key: `${id}@b.co` }
    await db
      .insertInto('users')
      .values({ ...user, import_id: imported })
      .execute()
    const row = { user_id: id, username: `u${id}`, active: 1, locked: 0, created_at: start }
    await db
      .insertInto('accounts')
      .values({ ...row, import_id: imported, last_login_at: signedInAt })
      .execute()
  }
  const erase = (...ids: number[]) => {
    const row = { pseudonym: null, actor_index: null, target_index: null, cleared_at: null }
    const rows = ids.map((user_id) => ({ ...row, user_id, at: start }))
    return db.insertInto('erasures').values(rows).execute()
  }
  /** Detail, and place among the findings. */
  function found(counts: { readonly records: number; readonly tombstones: number }) {
    return audit.read(async (one) => {
      const findings = createFindings()
      findings.add({ what: 'index', chain: null, place: null, number: 5, id: null, detail: '' })
      await verifyAccounts(one, counts, findings)
      return findings.list().map(({ what, detail }) => `${what} ${detail}`.trim())
    })
  }
  const empty = { records: 0, tombstones: 0 }

  suiteOnEmptyLog('an empty log', () => {
    const detail = (there: string) =>
      `missing the tables of the audit log are empty, although ${there}`

    test('is a problem if there are accounts, and the first', async () => {
      assert.deepEqual(await found(empty), ['index'])
      await account(1, -1)
      assert.deepEqual(await found(empty), ['index'])
      await account(2, 1)
      assert.deepEqual(await found(empty), [detail('there is 1 account'), 'index'])
      await account(3)
      await erase(3)
      assert.deepEqual(await found(empty), [detail('there are 2 accounts'), 'index'])
    })

    test('with a tombstone or a record is not empty', async () => {
      await account(1)
      assert.deepEqual(await found({ records: 0, tombstones: 1 }), ['index'])
      assert.deepEqual(await found({ records: 1, tombstones: 0 }), ['index'])
    })
  })

  suiteOnEmptyLog('persons', () => {
    const some = { records: 1, tombstones: 0 }
    const erased = (id: number) =>
      `erasure the key of user ${id} was erased, although the user exists`

    test('who were erased do not exist', async () => {
      await account(12)
      await account(3, 2)
      await account(4, -2)
      await account(5)
      await erase(12, 3, 12, 4, 6)
      assert.deepEqual(await found(some), ['index', erased(3), erased(12)])
    })

    test('who were erased are a hundred at most', async () => {
      for (let id = 1; id <= 101; id += 1) await account(id)
      await erase(...Array.from({ length: 101 }, (_, at) => at + 1))
      const ids: unknown[] = []
      const findings = {
        ...createFindings(),
        add: ({ detail }: { detail: string }) => ids.push(detail),
      }
      await audit.read(async (one) => {
        ids.length = 0
        await verifyAccounts(one, some, findings)
      })
      assert.deepEqual(
        ids,
        Array.from({ length: 100 }, (_, at) => erased(at + 1).slice(8)),
      )
    })

    test('who have signed in since the oldest record have a key', async () => {
      await account(7, null, start + 1000)
      assert.equal(await usersWithoutKey(db), null)
      await audit.append('a')
      assert.deepEqual(await usersWithoutKey(db), [7])
      const detail = 'erasure the account of user 7 exists and has signed in, and its key is gone'
      assert.deepEqual(await found(some), ['index', detail])
      await audit.person('7')
      assert.deepEqual([await usersWithoutKey(db), await found(some)], [[], ['index']])
    })
  })
})
