import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { failedStart, startWithUsers, wrongSettings } from './starts.ts'

// The goals are seconds of a quiet machine: npm run prove:faults. CPU is the same on any other.
const refusedCpuMs = 2000

suite('R16: a start', () => {
  test('with wrong settings names every one of them, and ends soon with exit code 1', async () => {
    const { code, output, cpuMs } = await failedStart(wrongSettings)
    assert.equal(code, 1)
    for (const name of Object.keys(wrongSettings)) assert.match(output, new RegExp(`\\b${name}\\b`))
    assert.ok(cpuMs < refusedCpuMs, String(cpuMs))
  })

  test('with 100,000 users costs no more than with one', async () => {
    const { cpuMs, aloneCpuMs, total } = await startWithUsers(100_000)
    assert.equal(total, 100_001)
    assert.ok(cpuMs < 1.5 * aloneCpuMs, `${cpuMs} ms, ${aloneCpuMs} ms with one user`)
  })
})
