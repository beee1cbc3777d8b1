import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Secret } from '../../core/crypto/secret.ts'
import { secretWeaknesses } from './secret-weaknesses.ts'

const strong = 'fq0Yk7Wn2vXc9RtLz4Hs8PbJm1Gd6TeU'
// FastAPI's manual; 64 hex digits, so that it is a master key as well.
const known = '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7'
const unset = {
  ...{ TOKEN_SECRET: undefined, TOKEN_SECRET_PREVIOUS: undefined, TOKEN_PRIVATE_KEY: undefined },
  ...{ MASTER_KEY: undefined, MASTER_KEY_NEXT: undefined },
}
const weaknesses = (values: Partial<Record<keyof typeof unset, string>>) =>
  secretWeaknesses({
    ...unset,
    ...Object.fromEntries(Object.entries(values).map(([name, text]) => [name, new Secret(text)])),
  })

suite('the weaknesses of secrets', () => {
  test('a secret that is not set, or that is strong, has none', () => {
    assert.deepEqual(secretWeaknesses(unset), [])
    const random = '00112233445566778899aabbccddeeff0f1e2d3c4b5a69788796a5b4c3d2e1f0'
    const values = { TOKEN_SECRET: strong, TOKEN_SECRET_PREVIOUS: strong, MASTER_KEY: random }
    assert.deepEqual(weaknesses({ ...values, MASTER_KEY_NEXT: random }), [])
  })

  test('a publicly known secret is named by its setting, in either spelling of a master key', () => {
    const name = 'is publicly known'
    const spelled = Buffer.from(known, 'hex').toString('base64url')
    assert.deepEqual(
      weaknesses({ TOKEN_SECRET: known, MASTER_KEY: spelled, MASTER_KEY_NEXT: known }),
      [
        ['TOKEN_SECRET', name],
        ['MASTER_KEY', name],
        ['MASTER_KEY_NEXT', name],
      ],
    )
    const mixed = { TOKEN_SECRET: strong, TOKEN_SECRET_PREVIOUS: known }
    assert.deepEqual(weaknesses(mixed), [['TOKEN_SECRET_PREVIOUS', name]])
  })
})
