import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { accessAlgorithm } from './algorithm.ts'

const secret = 'only the tests of the algorithm know th1s'
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

/** Keys, the newest first: `older` were made by version 0.2.0, `retired` ones are replaced. */
const keysOf = (words: string) =>
  words
    .split(', ')
    .filter((word) => word !== '')
    .map((word) => ({
      purpose: /data|refresh/.test(word) ? (word.includes('data') ? 'data' : 'refresh') : 'signing',
      algorithm: /RS256|HS256/.exec(word)?.[0] ?? 'A256GCM',
      retiredAt: word.includes('retired') ? 1 : null,
      isOlder: word.includes('older'),
    })) as Parameters<typeof accessAlgorithm>[1]

const ofOlder = 'data older'
const ofThis = 'refresh HS256, data'

const cases: [keys: string, env: Record<string, string>, algorithm: string][] = [
  ['', {}, 'RS256'],
  ['', { TOKEN_SECRET: secret }, 'HS256'],
  ['', { TOKEN_PRIVATE_KEY: pem }, 'RS256'],
  ['', { TOKEN_SECRET: secret, TOKEN_PRIVATE_KEY: pem }, 'HS256'],
  ['', { TOKEN_SECRET: secret, TOKEN_ALGORITHM: 'RS256' }, 'RS256'],
  ['', { TOKEN_ALGORITHM: 'HS256' }, 'HS256'],
  // An installation of this version keeps what it has, and follows the operator.
  [`RS256, ${ofThis}`, {}, 'RS256'],
  [`HS256, ${ofThis}`, {}, 'HS256'],
  [`HS256, ${ofThis}`, { TOKEN_ALGORITHM: 'RS256' }, 'RS256'],
  [`RS256, ${ofThis}`, { TOKEN_SECRET: secret }, 'HS256'],
  [`HS256, RS256, ${ofThis}`, {}, 'HS256'],
  [`RS256, HS256, ${ofThis}`, {}, 'RS256'],
  [`RS256 retired, HS256, RS256 retired, ${ofThis}`, {}, 'HS256'],
  [ofThis, {}, 'RS256'],
  [ofThis, { TOKEN_SECRET_PREVIOUS: secret }, 'HS256'],
  [ofThis, { TOKEN_PRIVATE_KEY: pem }, 'RS256'],
  // One of version 0.2.0, which signed with HS256 unless the setting said otherwise.
  [`HS256 older, ${ofOlder}`, {}, 'HS256'],
  [`RS256 older, ${ofOlder}`, {}, 'RS256'],
  [`RS256 older, HS256 older, ${ofOlder}`, {}, 'HS256'],
  [`RS256 older, HS256 older, ${ofOlder}`, { TOKEN_ALGORITHM: 'RS256' }, 'RS256'],
  [`refresh HS256, RS256 older, HS256 older, ${ofOlder}`, {}, 'HS256'],
  [`RS256, HS256 older, ${ofOlder}`, {}, 'RS256'],
  [`HS256 older, ${ofOlder}`, { TOKEN_PRIVATE_KEY: pem }, 'HS256'],
  [ofOlder, { TOKEN_PRIVATE_KEY: pem }, 'RS256'],
  [ofOlder, {}, 'HS256'],
]

suite('the algorithm of access tokens', () => {
  for (const [keys, env, algorithm] of cases) {
    const names = Object.keys(env).join(', ') || 'no setting'
    test(`${algorithm}: ${keys || 'no keys'}; ${names}`, () => {
      assert.equal(accessAlgorithm(loadConfig(env), keysOf(keys)), algorithm)
    })
  }
})
