import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  failedStart,
  loadingOfWorkers,
  modulesOfFirstStart,
  startWithoutAdministrator,
  startWithUsers,
  wrongSettings,
} from './starts.ts'

// The goals are seconds of a quiet machine: CPU is the same on any other.
const refusedCpuMs = 2000

suite('R16: a start', () => {
  test('with wrong settings names every one of them, and ends soon with exit code 1', async () => {
    const { code, output, cpuMs } = await failedStart(wrongSettings)
    assert.equal(code, 1)
    for (const name of Object.keys(wrongSettings)) assert.match(output, new RegExp(`\\b${name}\\b`))
    assert.ok(cpuMs < refusedCpuMs, String(cpuMs))
  })

  // The event loop stands still meanwhile: for a second on a quiet machine, and ten on a busy one.
  test('for the first time writes what it has compiled before it is ready', async () => {
    const { before, later } = await modulesOfFirstStart()
    assert.ok(before > 1000, String(before))
    assert.ok(later < before / 5, `${later}, after ${before}`)
  })

  test('of two workers: the second loads what the first has compiled and kept', async () => {
    assert.deepEqual(await loadingOfWorkers(), ['loads 1', 'has kept 1', 'loads 2', 'has kept 2'])
  })

  test('of two workers ends with 1 where the first administrator cannot be made', async () => {
    const { code, output } = await startWithoutAdministrator()
    assert.equal(code, 1)
    assert.match(
      output,
      /^Gatehouse cannot start: the password of the first administrator cannot be/m,
    )
    assert.doesNotMatch(output, /sys_|Gatehouse cannot start.*Gatehouse cannot start/s)
  })

  test('with 100,000 users costs no more than with one', async () => {
    const { cpuMs, aloneCpuMs, total } = await startWithUsers(100_000)
    assert.equal(total, 100_001)
    assert.ok(cpuMs < 1.5 * aloneCpuMs, `${cpuMs} ms, ${aloneCpuMs} ms with one user`)
  })
})
