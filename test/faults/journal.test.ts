import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { Journal } from './journal.ts'
import { startNode } from './node.ts'
import { waitUntil } from './waiting.ts'

suite('the journal that the faults are judged by', () => {
  test('finds nothing in a sound database, and each kind of loss where there is one', async () => {
    const node = await startNode()
    const journal = new Journal()
    try {
      const writing = journal.write(node)
      await waitUntil('some changes', () => journal.acknowledged > 40 && journal.sessions > 0)
      journal.stop()
      await writing
      assert.deepEqual(await journal.compare(node), { lost: [], half: [] })
      const db = new DatabaseSync(join(node.directory, databaseFileName), { timeout: 10_000 })
      db.exec("delete from users where id = (select max(id) from users where name like 'w%')")
      db.exec(
        "update users set email = 'b@example.org' where id = (select min(id) from users where name like 'w%')",
      )
      db.exec('delete from sessions')
      db.close()
      const { lost, half } = await journal.compare(node)
      assert.equal(half.length, 1)
      assert.ok(
        lost.some((each) => /^w.*: absent, told \d+$/.test(each)),
        lost.join(),
      )
      assert.ok(
        lost.some((each) => each.startsWith('/api/session: 401')),
        lost.join(),
      )
    } finally {
      await node.remove()
    }
  })
})
