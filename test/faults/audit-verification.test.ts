import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { startNode } from './node.ts'
import { waitUntil } from './waiting.ts'

const path = '/api/admin/audit/verification'

suite('a service that is killed while it verifies the audit log', () => {
  test('makes the verification after its next start, and fails it after a second kill', async () => {
    const node = await startNode()
    const query = (text: string) => {
      const file = new DatabaseSync(join(node.directory, 'gatehouse.db'), { timeout: 5000 })
      try {
        return file.prepare(text).all()
      } finally {
        file.close()
      }
    }
    const states = () =>
      query('select state, detail, locked_until from audit_verifications order by id')
    const request = async () => {
      const headers = { authorization: `Bearer ${await node.token()}` }
      const { status } = await node.caller.call('POST', path, { headers })
      assert.equal(status, 202)
    }
    const killDuringRun = async () => {
      const isLeased = () => Number(states().at(-1)?.locked_until) > 0
      await waitUntil('a run', isLeased, { everyMs: 1 })
      await node.kill()
      assert.equal(states().at(-1)?.state, 'running', 'the kill came before the end')
      query('update audit_verifications set locked_until = 0') // as if the lease was over
    }
    try {
      await request()
      await killDuringRun()
      await node.start()
      await waitUntil('the result', () => states().at(-1)?.state === 'done')
      assert.deepEqual(states().length, 1)
      await request()
      await killDuringRun()
      await node.start()
      await killDuringRun()
      await node.start()
      await waitUntil('the failure', () => states().at(-1)?.state === 'failed')
      assert.match(
        String(states().at(-1)?.detail),
        /^the node .* ended before the log was verified$/,
      )
      assert.equal(await node.stop(), 0)
    } finally {
      await node.remove()
    }
  })
})
