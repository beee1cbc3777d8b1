import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { newCounts, runChunk } from '../../lab/fuzz/chunk.ts'
import type { Described } from '../../lab/fuzz/described.ts'
import { operationsOf } from '../../lab/fuzz/operations.ts'
import { module as planted } from '../../lab/fuzz/planted-module.ts'
import { requestsTo } from '../../lab/fuzz/requests.ts'
import { causeOf, shrink } from '../../lab/fuzz/shrink.ts'
import { modules as ours } from '../../src/modules.ts'
import { startInProcess } from '../fuzz/in-process.ts'

// Each of some forty requests goes to a service of its own, which takes too long for `npm test`.
suite('the tool finds what is planted', async () => {
  const modules = [...ours, planted]
  const start = () => startInProcess(modules)
  const first = await start()
  const operations = operationsOf(first.document).filter(({ path }) => path.startsWith('/planted/'))
  await first.close()

  /** Sends requests to a fresh service. */
  async function replay(requests: readonly Described[]) {
    const service = await start()
    const byName = new Map(operations.map((one) => [one.name, one]))
    const options = {
      seed: 3,
      operations: byName,
      counts: newCounts(),
      hangMs: 300,
      lanes: 1,
    }
    const found = await runChunk(service, requests, options)
    await service.close()
    return found
  }

  const plants: readonly (readonly [string, string, string, RegExp])[] = [
    [
      'a 500',
      'failure',
      'status POST /planted/failure 500',
      /^curl .* -X POST .*--data-binary \$'\{\}' .*planted\/failure'$/,
    ],
    [
      'an undocumented status',
      'status',
      'document GET /planted/status 418',
      /^curl .* -X GET .*planted\/status'$/,
    ],
    [
      'a password in the log',
      'leak',
      'secret in the log',
      /^curl .*--data-binary \$'\{"password":"cnry[0-9a-f]{20}"\}' .*planted\/leak'$/,
    ],
    ['a hang', 'hang', 'wire no end after 300 ms', /^curl .*planted\/hang\?limit=[^&]*'$/],
  ]
  for (const [name, path, cause, request] of plants) {
    test(`${name}, with the shortest request that leads there`, async () => {
      const own = operations.filter((one) => one.path === `/planted/${path}`)
      const arbitrary = requestsTo(own)
      const requests = fc.sample(arbitrary, { seed: 3, numRuns: 12 })
      const all = await replay(requests)
      const found = all.find((one) => causeOf(one) === cause)
      assert.ok(found, all.map(causeOf).join('\n'))
      const shrunk = await shrink(found, requests, { arbitrary, seed: 3, replay })
      assert.equal(shrunk.requests.length, 1)
      assert.match(shrunk.found?.sent ?? '', request)
      const [again] = fc.sample(arbitrary, { seed: 3, path: shrunk.path ?? '', numRuns: 1 })
      assert.deepEqual(again, shrunk.requests[0]) // what the tool prints is sent again by its place
    })
  }
})
