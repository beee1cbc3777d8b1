import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { ConfigError } from '../../core/config/load.ts'
import { hashesAtOnce, hashingMistakes, hashingWarnings } from './hashing-memory.ts'

const argon2MemoryKib = 19_456
const settings = (memoryMib?: number, poolSize?: string) => ({
  memoryMib,
  argon2MemoryKib,
  poolSize,
})

suite('how many hashes are computed at a time', () => {
  const machines: readonly (readonly [number | undefined, string | undefined, number])[] = [
    [undefined, undefined, 2],
    [undefined, '16', 2],
    [undefined, '2', 1],
    [undefined, '1', 1],
    [undefined, '0', 1],
    [undefined, 'many', 1],
    [19, undefined, 1],
    [37, undefined, 1],
    [38, undefined, 2],
    [57, undefined, 3],
    [76, undefined, 3],
    [76, '5', 4],
    [1_048_576, '1024', 1023],
  ]
  for (const [memoryMib, poolSize, hashes] of machines) {
    test(`T33: HASHING_MEMORY_MIB=${memoryMib}, UV_THREADPOOL_SIZE=${poolSize}: ${hashes}, and a thread is left`, () => {
      assert.equal(hashesAtOnce(settings(memoryMib, poolSize)), hashes)
      const env = { UV_THREADPOOL_SIZE: poolSize, HASHING_MEMORY_MIB: memoryMib?.toString() }
      assert.equal(loadConfig(env).password.hashesAtOnce, hashes)
    })
  }

  test('hashes of more memory are fewer, two by default', () => {
    const more = { argon2MemoryKib: 65_536, poolSize: undefined }
    assert.equal(hashesAtOnce({ ...more, memoryMib: undefined }), 2)
    assert.equal(hashesAtOnce({ ...more, memoryMib: 128 }), 2)
    assert.equal(hashesAtOnce({ ...more, memoryMib: 127 }), 1)
  })

  test('memory for less than one hash is a mistake', () => {
    const memoryMib = 19
    assert.deepEqual(hashingMistakes(settings(memoryMib)), [])
    const mistake =
      'HASHING_MEMORY_MIB must hold one hash of PASSWORD_ARGON2_MEMORY_KIB: 20 at the least'
    const env = { HASHING_MEMORY_MIB: '19', PASSWORD_ARGON2_MEMORY_KIB: '19457' }
    assert.throws(
      () => loadConfig(env),
      (error) => error instanceof ConfigError && error.mistakes.join() === mistake,
    )
  })

  for (const text of ['0', '18', '-1', '57.5', 'two', '1048577']) {
    test(`HASHING_MEMORY_MIB=${text} is a mistake`, () => {
      assert.throws(
        () => loadConfig({ HASHING_MEMORY_MIB: text }),
        (error) =>
          error instanceof ConfigError &&
          error.mistakes.join() === 'HASHING_MEMORY_MIB must be a whole number from 19 to 1048576',
      )
    })
  }

  test('memory that has no threads is told, once it is set', () => {
    assert.deepEqual(hashingWarnings(settings(undefined, '2')), [])
    assert.deepEqual(hashingWarnings(settings(57)), [])
    const warning =
      'HASHING_MEMORY_MIB holds 5 hashes, of which 3 are computed at a time: UV_THREADPOOL_SIZE=6 would have threads for all'
    assert.deepEqual(hashingWarnings(settings(100)), [warning])
    assert.ok(loadConfig({ HASHING_MEMORY_MIB: '100' }).warnings.includes(warning))
  })
})
