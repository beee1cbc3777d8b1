import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createConfirmationSecrets } from './secrets.ts'

suite('the codes of mails', () => {
  const secrets = createConfirmationSecrets({ dataKey: Buffer.alloc(32, 7) })
  const of = { purpose: 'reset', addressKey: 'ann@example.org', version: 1, nonce: 'x' }
  const codes = Array.from({ length: 5000 }, (_, index) =>
    secrets.code({ ...of, id: String(index) }, null),
  )

  test('are eight digits: 26 bits, whatever the row', () => {
    for (const code of codes) assert.match(code, /^[0-9]{8}$/)
    const twice = codes.length - new Set(codes).size
    assert.ok(twice <= 1, `of 5,000 codes out of 10^8, ${twice} are repeated`)
  })

  test('have each digit at each place equally often', () => {
    for (let place = 0; place < 8; place += 1) {
      const counts = Array.from(
        { length: 10 },
        (_, digit) => codes.filter((code) => code[place] === String(digit)).length,
      )
      const chiSquare = counts.reduce((sum, count) => sum + (count - 500) ** 2 / 500, 0)
      assert.ok(chiSquare < 33.7, `place ${place}: ${counts}`) // one in 10,000, 9 degrees
    }
  })

  test('are others for another flow, purpose, address, version and repetition', () => {
    const row = { ...of, id: '1' }
    const others = [
      secrets.code(row, 'a flow'),
      secrets.code({ ...row, purpose: 'sign-up' }, null),
      secrets.code({ ...row, addressKey: 'ben@example.org' }, null),
      secrets.code({ ...row, version: 2 }, null),
      secrets.code({ ...row, nonce: 'y' }, null),
      createConfirmationSecrets({ dataKey: Buffer.alloc(32, 8) }).code(row, null),
    ]
    assert.equal(new Set([secrets.code(row, null), ...others]).size, 7)
  })
})
