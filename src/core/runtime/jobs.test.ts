import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { pino } from 'pino'
import { createMeasurements } from '../measurements/measurements.ts'
import { startJobs } from './jobs.ts'

suite('startJobs', () => {
  test('a job that is idle does not run, and counts as having succeeded', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const measurements = createMeasurements()
    const clock = { now: () => 7000, wait: async () => {} }
    const log = pino({ level: 'silent' })
    let waiting = 0
    let runs = 0
    const job = {
      name: 'looks often',
      everyMs: 100,
      isIdle: () => waiting === 0,
      run: async () => {
        runs += 1
      },
    }
    const stop = startJobs([job], { clock, log, measurements })
    t.mock.timers.tick(100)
    assert.equal(runs, 0)
    assert.equal(measurements.jobs.get(job.name)?.lastSuccessAt, 7000)
    waiting = 1
    t.mock.timers.tick(100)
    assert.equal(runs, 1)
    await stop()
  })
})
