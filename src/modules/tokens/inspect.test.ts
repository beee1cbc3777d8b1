import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { forge, hs256, segment } from '../../../test/forge.ts'
import { seededRandom } from '../../../test/random.ts'
import type { Account } from '../authentication/account.ts'
import { createRequirements } from '../authentication/requirements.ts'
import { type InspectDeps, inspectToken } from './inspect.ts'
import { createTokens } from './tokens.ts'

const clock = fixedClock()
const at = clock.now() / 1000
const material = Buffer.alloc(32, 7)
const key = createSecretKey(material)
const signingKey = { kid: 'k', algorithm: 'HS256', signWith: key, verifyWith: key } as const
const env = { TOKEN_ISSUER: 'https://issuer.example', TOKEN_AUDIENCE: 'ours' }
const account = {
  ...{ userId: 7, username: 'ann', roles: ['USER'], locked: false, active: true },
  ...{ lockedUntil: null, secondFactor: false, mustChange: false, refreshVersion: 2 },
} as unknown as Account

interface Given {
  readonly account?: Partial<Account> | null
  readonly isPairEnded?: boolean
  readonly isRevoked?: boolean
  readonly isSpent?: boolean
  readonly rotation?: 'on' | 'off'
}

function inspect(token: string, given: Given = {}) {
  const config = loadConfig({ ...env, REFRESH_ROTATION: given.rotation ?? 'on' })
  const found = given.account === null ? null : { ...account, ...given.account }
  const keys = {
    ...{ refresh: async () => {}, signer: async () => signingKey },
    find: (kid: string, purpose: string) =>
      (kid === 'r') === (purpose === 'refresh') ? signingKey : undefined,
  } as unknown as InspectDeps['keys']
  const tokens = createTokens({
    ...{ config, clock, keys, random: seededRandom(1) },
    accountClaims: { of: async () => ({}) },
  } as unknown as Parameters<typeof createTokens>[0])
  return inspectToken(
    {
      ...{ clock, config, keys, tokens },
      accounts: { byUserId: async (userId) => (userId === 7 ? found : null) },
      requirements: createRequirements({ config, clock }),
      revocations: {
        refuses: () => given.isRevoked ?? false,
        refusesRefresh: () => given.isRevoked ?? false,
      },
      rotation: {
        isSpent: async () => given.isSpent ?? false,
        pairOf: async () => ({ id: 'pair', isEnded: given.isPairEnded ?? false }),
      },
    },
    token,
  )
}

const header = { alg: 'HS256', kid: 'k' }
const common = { iss: env.TOKEN_ISSUER, sub: '7', exp: at + 60, iat: at }
const access = { ...common, aud: 'ours', jti: 'a', type: 'access' }
const refresh = { ...common, type: 'refresh' }
const refreshHeader = { ...header, kid: 'r', rid: 'r', ver: 2 }
const signer = hs256(material)
const accessToken = (changes: object = {}) => forge(header, { ...access, ...changes }, signer)
const refreshToken = (changes: object = {}) =>
  forge(refreshHeader, { ...refresh, ...changes }, signer)
const revokedText = 'it was revoked, or its account may not log in'

suite('the inspection of a token', () => {
  test('shows what is written in it, and whether the service accepts it', async () => {
    const good = { signature: true, expired: false, revoked: false, refusal: null }
    assert.deepEqual(await inspect(accessToken()), { header, claims: access, ...good })
    const enrolment = { ...access, type: 'enrolment' }
    assert.deepEqual((await inspect(accessToken({ type: 'enrolment' })))?.claims, enrolment)
    assert.equal((await inspect(accessToken({ type: 'enrolment' })))?.refusal, null)
    assert.deepEqual(await inspect(refreshToken()), {
      ...{ header: refreshHeader, claims: refresh, ...good },
    })
  })

  test('a text that is no JWS is none', async () => {
    const [head, body] = [segment(header), segment(access)]
    for (const text of ['', 'a', 'a.b.c', `${head}.${body}`, `${head}.${body}.a.b`]) {
      assert.equal(await inspect(text), null, text)
    }
    assert.equal(await inspect(`${segment([])}.${body}.a`), null)
    assert.equal(await inspect(`${head}.${segment('a')}.a`), null)
  })

  test('a signature of another key comes first, then the expiry', async () => {
    const other = hs256(Buffer.alloc(32, 8))
    for (const expired of [false, true]) {
      const exp = expired ? at : at + 1
      assert.deepEqual(await inspect(forge(header, { ...access, exp }, other)), {
        ...{ header, claims: { ...access, exp }, signature: false, expired, revoked: null },
        refusal: 'no key of this service signed it',
      })
    }
    const ended = await inspect(accessToken({ exp: at, iss: 'other' }))
    assert.deepEqual(
      [ended?.expired, ended?.revoked, ended?.refusal],
      [true, null, 'it has expired'],
    )
    for (const exp of ['soon', null]) {
      assert.equal((await inspect(accessToken({ exp })))?.expired, false)
    }
  })

  test('claims that the service does not accept are named', async () => {
    const refusals: [token: string, refusal: string][] = [
      [
        accessToken({ iss: 'other', aud: 'other' }),
        "its iss is not https://issuer.example: are these the service's settings?",
      ],
      [accessToken({ aud: 'other', nbf: at + 60 }), 'its aud is not ours'],
      [accessToken({ aud: ['a', 'b'] }), 'its aud is not ours'],
      [accessToken({ nbf: at + 60, jti: 7 }), 'its time has not come'],
      [accessToken({ iat: at + 60 }), 'its time has not come'],
      [refreshToken({ iat: at + 60 }), 'its time has not come'],
      [accessToken({ jti: 7 }), 'its claims are not those of a token of this service'],
      [
        accessToken({ aud: ['a', 'ours'], jti: 7, nbf: at }),
        'its claims are not those of a token of this service',
      ],
      [accessToken({ type: 'other' }), 'its claims are not those of a token of this service'],
      [refreshToken({ sub: 'ann' }), 'its claims are not those of a token of this service'],
    ]
    for (const [token, refusal] of refusals) {
      const found = await inspect(token)
      assert.deepEqual([found?.signature, found?.revoked, found?.refusal], [true, null, refusal])
    }
  })

  test('a revoked token is refused', async () => {
    const found = await inspect(accessToken(), { isRevoked: true })
    assert.deepEqual([found?.revoked, found?.refusal], [true, revokedText])
  })

  test('a refresh token is refused with its account, its pair, its end or its use', async () => {
    const ends: Given[] = [
      ...[{ account: null }, { account: { locked: true } }, { account: { refreshVersion: 3 } }],
      ...[{ isRevoked: true }, { isPairEnded: true }, { isSpent: true }],
    ]
    for (const given of ends) {
      const found = await inspect(refreshToken(), given)
      assert.deepEqual([found?.revoked, found?.refusal], [true, revokedText], JSON.stringify(given))
    }
    const kept = await inspect(refreshToken(), { isSpent: true, rotation: 'off' })
    assert.deepEqual([kept?.revoked, kept?.refusal], [false, null])
  })
})
