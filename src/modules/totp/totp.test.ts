import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { base32 } from '../../core/crypto/base32.ts'
import { codeOfStep, matchingSteps } from './totp.ts'

// The secret of both RFCs.
const secret = Buffer.from('12345678901234567890')

suite('one-time passwords', () => {
  test('RFC 4226 appendix D: the codes of the first ten counters', () => {
    const codes = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'
    assert.deepEqual(
      Array.from({ length: 10 }, (_, counter) => codeOfStep(secret, counter)),
      codes.split(' '),
    )
  })

  test('RFC 6238 appendix B: the codes of its six times, in six digits', () => {
    const codes: [number, string][] = [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
      [20_000_000_000, '353130'],
    ]
    for (const [seconds, code] of codes) {
      assert.deepEqual(matchingSteps(secret, code, seconds * 1000), [Math.floor(seconds / 30)])
    }
  })

  test('T44: one step each way and no more', () => {
    const now = 59_000
    for (const [step, matches] of [
      [-1, false],
      [0, true],
      [1, true],
      [2, true],
      [3, false],
    ] as const) {
      const found = matchingSteps(secret, codeOfStep(secret, Math.max(0, step)), now)
      assert.equal(step >= 0 && found.includes(step), matches, String(step))
    }
  })

  test('T41: six ASCII digits are the only form of a code', () => {
    const code = codeOfStep(secret, 1)
    const fullWidth = [...code]
      .map((digit) => String.fromCodePoint(0xff10 + Number(digit)))
      .join('')
    for (const form of [
      `${code} `,
      ` ${code}`,
      `+${code}`,
      `${code}0`,
      code.slice(1),
      fullWidth,
      '',
      `${code}\n`,
      '287 082',
    ]) {
      assert.deepEqual(matchingSteps(secret, form, 59_000), [], JSON.stringify(form))
    }
  })

  test('RFC 4648 section 10: base32, without its padding', () => {
    const vectors = {
      '': '',
      f: 'MY',
      fo: 'MZXQ',
      foo: 'MZXW6',
      foob: 'MZXW6YQ',
      fooba: 'MZXW6YTB',
      foobar: 'MZXW6YTBOI',
    }
    for (const [text, encoded] of Object.entries(vectors)) {
      assert.equal(base32(Buffer.from(text)), encoded)
    }
  })
})
