import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { startRelay } from '../relay.ts'
import { bearer, type ServiceNode, startNode } from './node.ts'
import { waitUntil } from './waiting.ts'

suite('a process that is killed while it sends mail', () => {
  test('before it has stored the answer of the server: no mail is lost, and one that comes twice is the same', async () => {
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
    node = await startNode({ env: relay.env })
    try {
      const headers = bearer(await node.token())
      const wanted: string[] = []
      for (let index = 0; index < 6 && killed === undefined; index += 1) {
        const json = { address: `p${index}@example.org` }
        const added = await node.caller.call('POST', '/api/admin/mail/test', { headers, json })
        if (added.status === 202) wanted.push(added.body.id)
      }
      await waitUntil('the process is killed', () => killed !== undefined)
      await killed
      const file = new DatabaseSync(join(node.directory, 'gatehouse.db'))
      const states = file.prepare('select state from mails').all()
      assert.ok(states.some(({ state }) => state === 'sending'))
      file.exec('update mails set locked_until = 0') // as four minutes later
      file.close()
      await node.start()
      const ids = () => new Set(relay.mails.map(({ message }) => message.messageId))
      const all = wanted.map((id) => `<${id}@id.example.org>`)
      await waitUntil('all mails are there', () => all.every((id) => ids().has(id)))
      await waitUntil('all are stored as sent', () => statesIn(node).every((s) => s === 'sent'))
      assert.ok(relay.mails.length > ids().size, 'the one that was killed came twice')
      for (const id of ids()) {
        const copies = relay.mails.filter(({ message }) => message.messageId === id)
        assert.equal(new Set(copies.map(({ raw }) => raw)).size, 1)
        assert.ok(copies.length <= 2)
      }
    } finally {
      await node.remove()
    }
  })
})

function statesIn(node: ServiceNode | undefined): unknown[] {
  const file = new DatabaseSync(join(node?.directory ?? '', 'gatehouse.db'), { readOnly: true })
  try {
    return file
      .prepare('select state from mails')
      .all()
      .map(({ state }) => state)
  } finally {
    file.close()
  }
}
