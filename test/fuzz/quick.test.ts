import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { newCounts, runChunk } from '../../lab/fuzz/chunk.ts'
import { type FuzzedOperation, operationsOf } from '../../lab/fuzz/operations.ts'
import { requestsTo } from '../../lab/fuzz/requests.ts'
import { startInProcess } from './in-process.ts'

/**
 * The quick form of `npm run prove -- fuzz`: the same requests from the same document, one after another, in
 * this process. `FUZZ_SEED` adds those of another seed. `test/faults/fuzz.test.ts` has what is planted.
 */
const seeds = [1, ...(process.env.FUZZ_SEED ? [Number(process.env.FUZZ_SEED)] : [])]
const requestsOfARun = 2_000
const chunk = 500
const hangMs = 60_000

suite('requests made from the OpenAPI document', () => {
  for (const seed of seeds) {
    const counts = newCounts()
    let all: readonly FuzzedOperation[] = []

    for (let from = 0; from < requestsOfARun; from += chunk) {
      const name = `${from} to ${from + chunk} of seed ${seed}`
      test(`T66, T68-T72, T94, T96: ${name}, and nothing that must not be`, async () => {
        const service = await startInProcess()
        all = operationsOf(service.document)
        const requests = fc.sample(requestsTo(all), { seed, numRuns: requestsOfARun })
        const operations = new Map(all.map((one) => [one.name, one]))
        const options = { seed, operations, counts, hangMs, lanes: 1 }
        const found = await runChunk(service, requests.slice(from, from + chunk), options)
        await service.close()
        const shown = found.map(({ kind, text, sent }) => `${kind}: ${text}\n  ${sent}`)
        assert.equal(shown.join('\n'), '')
      })
    }

    test(`those of seed ${seed} reach every operation`, () => {
      assert.equal(counts.requests, requestsOfARun)
      const reached = new Set([...counts.met].map((answer) => answer.replace(/ \d+$/, '')))
      assert.deepEqual(
        all.map(({ name }) => name).filter((name) => !reached.has(name)),
        [],
      )
      assert.ok(counts.validDone > counts.valid / 3, `${counts.validDone} of ${counts.valid}`)
    })
  }
})
