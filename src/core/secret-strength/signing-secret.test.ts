import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { seededRandom } from '../../../test/random.ts'
import { sharedLines } from '../../../test/vectors.ts'
import { assertStrongSecret, secretWeakness } from './signing-secret.ts'

const known = 'is publicly known'
const placeholder = 'looks like a placeholder of a template'
const words = 'is made of words, dates or repetitions'
const keys = 'is a run of neighbouring keys'
const uuid = 'is a UUID, which is a name and no secret'
const guessable = 'has less than 100 bits'

/** Of the list of known secrets, one of each kind. */
const listed = [
  'r9iMKoe5CRMgvJBBtp4HrqN7QiPpUToj',
  'E)H@McQfTjWnZr4t7w!z%C*F-JaNdRgU',
  '00dce410-9108-4ebb-861c-04a601b83c4b',
  '03263301ea9a6a06e29a05a47d076495678089c1b6c26e12f21e4c492022e42d',
  'LH+gAPkC6/6lT90WhLU9QTYp2qQ6UxRaCB1IQBlomdk=',
]

suite('a signing secret that production refuses', () => {
  const [first = '', , , hex = '', base64 = ''] = listed
  const weak: readonly (readonly [text: string, weakness: string])[] = [
    ...listed.map((text) => [text, known] as const),
    [first.toLowerCase(), known],
    [`"${first}"`, known],
    [`  '${first}'\n`, known],
    [`${first}1`, known],
    [`2024${first}`, known],
    [Buffer.from(first).toString('base64'), known],
    [Buffer.from(first).toString('hex'), known],
    [Buffer.from(`${first}\n`).toString('base64url'), known],
    [hex.toUpperCase(), known],
    [base64.replace('+', '-').replace('/', '_').replace('=', ''), known],
    [Buffer.from('VGhpcyBzZWNyZXQgaXMgc3RvcmVk').toString('base64'), placeholder],
    ['<put something of forty letters in here>', placeholder],
    ['{{ gatehouse_signature }} of 64 digits', placeholder],
    ['$' + '{SIGNATURE} 8472 9164 0027 5531 77', placeholder],
    ['9f86d081-S3-C_R E.T-884c7d659a2feaa0', placeholder],
    ['9f86d081 ChAnGe_--_Me 884c7d659a2feaa0', placeholder],
    ['9f86d081 y0ur own private k3y 884c7d65', placeholder],
    ['9f86d081 p4ssw0rd 884c7d659a2feaa0c55a', placeholder],
    ['lamps in a quiet harbour at low tide', words],
    ['LampsInAQuietHarbourAtLowTideWithBoats', words],
    ['l4mps 1n 4 qu13t h4rb0ur 4t l0w t1de', words],
    [
      'AtLowTideTheLampsInTheQuietHarbourBurnWhileThePilotsSleepAndTheGullsWalkOnTheSandBesideTheBoats',
      words,
    ],
    [
      'AtLowTideTheLampsInTheQuietHarbourBurnWhileThePilotsKeepTheirSecretAndTheGullsWalkOnTheSand',
      placeholder,
    ],
    ['en un lugar de la mancha de cuyo nombre', words],
    ['lamp-20240131-lamp-20240131-lamp-2024', words],
    ['0f1e2d3c4b5a69788796a5b4c3d2e1f0', words],
    [Buffer.from('lamps in a quiet harbour at low tide').toString('base64'), words],
    ['qwertyuiop[]asdfghjkl;zxcvbnm,./', keys],
    ['1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,', keys],
    ['f47ac10b-58cc-4372-a567-0e02b2c3d479', uuid],
    ['{F47AC10B-58CC-4372-A567-0E02B2C3D479}', uuid],
    ['4193 8270 1163 9085 2247 7318 64', guessable],
    ['31415 92653 58979 32384 62643 383', guessable],
  ]
  for (const [text, weakness] of weak) {
    test(`${JSON.stringify(text)}: ${weakness}`, () => {
      assert.equal(secretWeakness(text), weakness)
    })
  }

  test('is each of the known ones', (t) => {
    const secrets = sharedLines('known-secrets/jwt-secrets-32.txt')
    if (!secrets) return t.skip('the list is not on this machine')
    const accepted = secrets.filter((text) => secretWeakness(text) !== known)
    assert.deepEqual([secrets.length, accepted.slice(0, 20)], [1919, []])
  })
})

suite('a signing secret that is chosen by chance', () => {
  const random = seededRandom(4711)
  const bytes = (length: number) => Buffer.from(random.bytes(length))

  for (const encoding of ['hex', 'base64'] as const) {
    test(`is never refused: 5,000 of openssl rand -${encoding} 32`, () => {
      for (let made = 0; made < 5000; made += 1) {
        const text = bytes(32).toString(encoding)
        assert.doesNotThrow(() => assertStrongSecret(text), text)
        assert.equal(secretWeakness(text), undefined, text)
      }
    })
  }

  test('is accepted as 16 bytes in hex, 24 in base64, and 48 or 64 in any of them', () => {
    for (let made = 0; made < 300; made += 1) {
      for (const text of [
        bytes(16).toString('hex'),
        bytes(24).toString('base64'),
        bytes(24).toString('base64url'),
        bytes(32).toString('base64url'),
        bytes(32).toString('hex').toUpperCase(),
        bytes(48).toString('base64'),
        bytes(64).toString('hex'),
      ]) {
        assert.equal(secretWeakness(text), undefined, text)
      }
    }
  })

  test('is accepted with words of templates in it that stand there by chance', () => {
    const text = `${bytes(12).toString('base64')}secret+mykey${bytes(21).toString('base64')}`
    assert.equal(text.length, 56)
    assert.equal(secretWeakness(text), undefined)
    assert.doesNotThrow(() => assertStrongSecret(text))
    assert.equal(secretWeakness('MySecretKeyMySecretKeyMySecretKeyMySecretKey1'), placeholder)
  })
})
