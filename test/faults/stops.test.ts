import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { momentsOfStart, stoppedStart } from './stops.ts'

suite('R2: SIGTERM while the service starts', () => {
  for (const [name, moment] of Object.entries(momentsOfStart)) {
    for (const WORKERS of ['1', '2']) {
      test(`when ${name}, with WORKERS=${WORKERS}: it ends with 0 and without a complaint`, async () => {
        assert.deepEqual(await stoppedStart(moment, { WORKERS }), {
          ...{ code: 0, signal: null },
          ...{ isReached: true, complaints: [] },
        })
      })
    }
  }
})
