import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import {
  newCode,
  type ProviderNode,
  refreshWith,
  signedInBrowser,
  startProviderNode,
  tokensFor,
  userinfoStatus,
} from './application.ts'
import { limitFileSize, sizeOf } from './disks.ts'
import type { Reply } from './http.ts'
import { isReady } from './node.ts'
import { waitUntil } from './waiting.ts'

/** RFC 6749 section 5.2 has the form, and section 4.1.2.1 the word. */
function assertUnavailable({ body, headers, status }: Reply, what: string) {
  assert.deepEqual([status, body], [503, { error: 'temporarily_unavailable' }], what)
  assert.ok(Number(headers['retry-after']) >= 1, what)
}

/** A code and a refresh token that were refused for want of the database are used by a later try. */
async function assertNothingIsUsed(
  node: ProviderNode,
  { lose, mend }: { lose(): unknown; mend(): unknown },
) {
  const browser = await signedInBrowser(node.call)
  const first = await tokensFor(node.call, await newCode(browser))
  assert.equal(first.status, 200, JSON.stringify(first.body))
  const refresh = refreshWith(first.body.refresh_token)
  const code = await newCode(browser)
  const rows = () => node.count('provider_artifacts')
  const before = await rows()
  await lose()
  await waitUntil('a refusal', async () => (await tokensFor(node.call, code)).status === 503)
  for (const [what, form] of Object.entries({ code, refresh })) {
    assertUnavailable(await tokensFor(node.call, form), what)
  }
  await mend()
  await waitUntil('recovery', () => isReady(node))
  assert.equal(await rows(), before)
  for (const form of [code, refresh]) {
    const { body, status } = await tokensFor(node.call, form)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(await userinfoStatus(node.call, body.access_token), 200)
    assert.equal((await tokensFor(node.call, refreshWith(body.refresh_token))).status, 200)
  }
}

suite('tokens of applications while nothing can be stored', () => {
  test('a disk without room: a 503 in the words of the protocol, and no token is used', async () => {
    const node = await startProviderNode('sqlite')
    try {
      const { pid } = node.service.process
      const log = join(node.directory, `${databaseFileName}-wal`)
      await assertNothingIsUsed(node, {
        lose: () => limitFileSize(pid, sizeOf(log)),
        mend: () => limitFileSize(pid, 'unlimited'),
      })
    } finally {
      await node.remove()
    }
  })

  for (const [name, signal] of [
    ['stopped', 'SIGINT'],
    ['killed', 'SIGKILL'],
  ] as const) {
    test(`a database that is ${name}: the same`, async () => {
      const node = await startProviderNode('postgres', { env: { DATABASE_TIMEOUT_MS: '500' } })
      try {
        await assertNothingIsUsed(node, {
          lose: () => node.cluster?.end(signal),
          mend: () => node.cluster?.start(),
        })
      } finally {
        await node.remove()
      }
    })
  }
})
