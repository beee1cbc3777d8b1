import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { systemRandom } from '../crypto/random.ts'
import { generatedPassword } from './generated-password.ts'

suite('a generated password', () => {
  test('has five groups of four signs that are not mistaken for each other', () => {
    for (let made = 0; made < 100; made += 1) {
      assert.match(
        generatedPassword(systemRandom, 12),
        /^[a-km-np-z2-9]{4}(-[a-km-np-z2-9]{4}){4}$/,
      )
    }
  })

  test('uses every sign of its alphabet alike: 5 bits each, 100 in all', () => {
    const everyByte = { bytes: (length: number) => Uint8Array.from({ length }, (_, at) => at) }
    const signs = generatedPassword(everyByte, 128).replaceAll('-', '')
    const counts = Object.values(Object.groupBy([...signs].slice(0, 96), (sign) => sign))
    assert.deepEqual(
      counts.map((same) => same?.length),
      Array(32).fill(3),
    )
  })

  test('is as long as the shortest password that is allowed', () => {
    for (const [minLength, length] of [
      [12, 24],
      [24, 24],
      [25, 25],
      [128, 128],
    ] as const) {
      const password = generatedPassword(systemRandom, minLength)
      assert.equal(password.length, length)
      assert.match(password, /[a-z2-9]$/)
    }
  })
})
