import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { auditProblems } from './audit.ts'
import { bearer, type ServiceNode, startNode } from './node.ts'
import { preloaded } from './preload.ts'
import { waitUntil } from './waiting.ts'

/** Kills the process at the first batch of the search indexes after a user was created. */
const diesAtBatch = (when: 'before' | 'after') => `
  import { subscribe } from 'node:diagnostics_channel'
  import { DatabaseSync } from 'node:sqlite'
  const { prepare } = DatabaseSync.prototype
  let dies = false
  DatabaseSync.prototype.prepare = function (text) {
    const statement = prepare.call(this, text)
    if (!text.startsWith('update "audit_records" set "indexed"')) return statement
    const { run } = statement
    statement.run = (...values) => {
      const result = dies && '${when}' === 'before' ? null : run.apply(statement, values)
      if (dies) process.kill(process.pid, 'SIGKILL')
      return result
    }
    return statement
  }
  subscribe('http.server.response.finish', ({ request }) => { dies ||= request.url === '/users' })
`

suite('kill -9 between a commit and the batch that indexes its record', () => {
  for (const when of ['before', 'after'] as const) {
    test(`${when} the batch: searches find the record, and the next start goes on`, async () => {
      const killed = await startNode({ flags: preloaded(diesAtBatch(when)) })
      const { directory } = killed
      let next: ServiceNode | undefined
      try {
        const ended = killed.ended()
        const { id, requestId } = await create(killed)
        await ended
        assert.equal(await waitingIn(directory), when === 'before')
        next = await startNode({ directory })
        for (const query of [`target=${id}`, `request_id=${requestId}`, `target=${id}&actor=1`]) {
          assert.deepEqual(await found(next, query), ['user_created'], query)
        }
        await waitUntil('the batch', async () => !(await waitingIn(directory)))
        assert.deepEqual(await found(next, `request_id=${requestId}`), ['user_created'])
        assert.equal(await next.stop(), 0)
        assert.deepEqual(await auditProblems(directory), [])
      } finally {
        await next?.remove()
        await killed.remove()
      }
    })
  }
})

suite('two workers on one SQLite file', () => {
  test('each finds what the other has recorded, while a batch indexes it', async () => {
    const node = await startNode({ env: { WORKERS: '2' } })
    try {
      const deadline = performance.now() + 3000 // longer than the period of the batches
      while (performance.now() < deadline) {
        const { id } = await create(node)
        const all = await Promise.all(
          Array.from({ length: 4 }, () => found(node, `type=user_created&target=${id}`)),
        )
        assert.deepEqual(all, Array(4).fill(['user_created']))
      }
      assert.equal(await node.stop(), 0)
      assert.deepEqual(await auditProblems(node.directory), [])
    } finally {
      await node.remove()
    }
  })
})

let made = 0

async function create(node: ServiceNode) {
  made += 1
  const { status, body, headers } = await node.caller.call('POST', '/users', {
    headers: await bearerOf(node),
    json: { name: `made ${made}`, email: `made.${made}@example.org` },
  })
  assert.equal(status, 201)
  return { id: Number(body.id), requestId: String(headers['x-request-id']) }
}

async function found(node: ServiceNode, query: string): Promise<string[]> {
  const path = `/api/admin/audit?${query}`
  const { status, body } = await node.caller.call('GET', path, { headers: await bearerOf(node) })
  assert.equal(status, 200)
  return body.data.map(({ type }: { type: string }) => type)
}

const tokens = new WeakMap<ServiceNode, Promise<string>>()

async function bearerOf(node: ServiceNode) {
  const token = tokens.get(node) ?? node.token()
  tokens.set(node, token)
  return bearer(await token)
}

async function waitingIn(directory: string): Promise<boolean> {
  const file = new DatabaseSync(join(directory, 'gatehouse.db'), { timeout: 5000 })
  try {
    const row = file
      .prepare("select 1 from audit_records where indexed is null and type = 'user_created'")
      .get()
    return row !== undefined
  } finally {
    file.close()
  }
}
