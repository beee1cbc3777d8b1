import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { startRelay } from '../relay.ts'
import { startCluster } from './cluster.ts'
import { bearer, type ServiceNode, startNode } from './node.ts'
import { waitUntil } from './waiting.ts'
import { databases } from './workers.ts'

const requests = 6

for (const database of databases) {
  suite(`a process that is killed while it sends mail, on ${database}`, () => {
    test('and while requests are under way: each that was answered is mailed, and one that comes twice is the same', async () => {
      const cluster = database === 'postgres' ? await startCluster() : undefined
      const name = (await cluster?.createDatabase()) ?? ''
      let node: ServiceNode | undefined
      let killed: Promise<void> | undefined
      let accepted = 0
      const relay = await startRelay({
        async onMessage() {
          accepted += 1
          if (accepted !== 3) return undefined
          killed = node?.kill()
          await killed
          return undefined // the server has the mail, and its 250 reaches no one
        },
      })
      const env = { ...relay.env, ...(cluster && { DATABASE_URL: cluster.url(name) }) }
      node = await startNode({ env })
      const { directory } = node
      /** Runs a statement as another program does, and answers its rows. */
      const query = async (text: string) => {
        if (cluster) return cluster.query<{ id: string; state: string }>(name, text)
        const file = new DatabaseSync(join(directory, 'gatehouse.db'), { timeout: 10_000 })
        try {
          return file.prepare(text).all() as { id: string; state: string }[]
        } finally {
          file.close()
        }
      }
      try {
        const headers = bearer(await node.token())
        const { caller } = node
        const answers = await Promise.allSettled(
          Array.from({ length: requests }, (_, index) =>
            caller.call('POST', '/api/admin/mail/test', {
              headers,
              json: { address: `p${index}@example.org` },
            }),
          ),
        )
        const answered = answers.flatMap((one) =>
          one.status === 'fulfilled' && one.value.status === 202 ? [one.value.body.id] : [],
        )
        await waitUntil('the process is killed', () => killed !== undefined)
        await killed
        const rows = await query('select id, state from mails')
        assert.ok(rows.some(({ state }) => state === 'sending'))
        // No request that was answered is lost, and none has left more than one row.
        assert.ok(answered.every((id) => rows.some((row) => row.id === id)))
        assert.ok(rows.length <= requests)
        await query('update mails set locked_until = 0 where locked_until is not null') // minutes later
        await node.start()
        const ids = () => new Set(relay.mails.map(({ message }) => message.messageId))
        const all = rows.map(({ id }) => `<${id}@id.example.org>`)
        await waitUntil('all mails are there', () => all.every((id) => ids().has(id)))
        await waitUntil('all are stored as sent', async () =>
          (await query('select id, state from mails')).every(({ state }) => state === 'sent'),
        )
        assert.equal(ids().size, rows.length, 'and no other one')
        assert.ok(relay.mails.length > rows.length, 'the one that was killed came twice')
        for (const id of ids()) {
          const copies = relay.mails.filter(({ message }) => message.messageId === id)
          assert.equal(new Set(copies.map(({ raw }) => raw)).size, 1)
          assert.ok(copies.length <= 2)
        }
      } finally {
        await node.remove()
        await cluster?.remove()
      }
    })
  })
}
