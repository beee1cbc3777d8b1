import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { OutsideContext } from '../../../core/checks/context.ts'
import { tlsChecks } from './tls.ts'

const day = 86_400_000

/** The levels of what the check finds about a certificate that lives so many days, at its age in days. */
async function levelsOf(lifetime: number, age: number) {
  const check = tlsChecks.find(({ id }) => id === 'certificate_end')
  assert.ok(check)
  const certificate = { validFromDate: new Date(0), validToDate: new Date(lifetime * day) }
  const scene = {
    certificate: async () => ({ certificate }),
    clock: { now: () => age * day },
    origin: 'https://auth.example.org',
  }
  const found = await check.find(scene as unknown as OutsideContext)
  return found.map(({ level = check.level }) => level)
}

suite('certificate_end', () => {
  test('warns two weeks before the end of a certificate that lives for months', async () => {
    assert.deepEqual(await levelsOf(90, 75), [])
    assert.deepEqual(await levelsOf(90, 76), [])
    assert.deepEqual(await levelsOf(90, 76.01), ['warning'])
  })

  test('warns in the last quarter of one that lives for days', async () => {
    assert.deepEqual(await levelsOf(6, 0), [])
    assert.deepEqual(await levelsOf(6, 4.5), [])
    assert.deepEqual(await levelsOf(6, 4.51), ['warning'])
  })

  test('is an error before the beginning and after the end', async () => {
    assert.deepEqual(await levelsOf(90, -0.01), ['error'])
    assert.deepEqual(await levelsOf(90, 90.01), ['error'])
  })
})
