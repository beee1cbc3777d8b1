import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { forge, headerOf, hs256, payloadOf, segment } from '../../../test/forge.ts'
import { seededRandom } from '../../../test/random.ts'
import { digest } from '../../core/crypto/digest.ts'
import type { RefusalReason } from '../../core/errors.ts'
import type { Account } from '../authentication/account.ts'
import { pairIdOf } from './pair.ts'
import { createTokens } from './tokens.ts'

const material = Buffer.alloc(32, 7)
const key = createSecretKey(material)
const keyOf = (kid: string) =>
  ({ kid, algorithm: 'HS256', signWith: key, verifyWith: key }) as const
const idFormat = /^[A-Za-z0-9_-]{22}$/
const account = {
  ...{ userId: 7, username: 'ann', roles: ['OTHER', 'EDITOR', 'USER'], email: 'ann@example.org' },
  ...{ accessVersion: 3, refreshVersion: 2 },
} as unknown as Account

/** Tokens of a service with one key for each purpose; its claims of accounts may be added to. */
function service({ added = {}, env = {} }: { added?: object; env?: Record<string, string> } = {}) {
  const clock = fixedClock('2026-01-15T12:00:00.900Z')
  const steps: string[] = []
  const tokens = createTokens({
    ...{ clock, random: seededRandom(1) },
    config: loadConfig({
      ...{ TOKEN_ISSUER: 'https://issuer.example', TOKEN_AUDIENCE: 'ours' },
      ...{ REFRESH_TOKEN_SECONDS: '600', ...env },
    }),
    accountClaims: {
      of: async (userId: number, place: string) => {
        steps.push(`claims ${userId} ${place}`)
        return added
      },
    },
    keys: {
      signer: async (purpose: string) => keyOf(purpose),
      refresh: async () => void steps.push('keys'),
      find: (kid: string, purpose: string) => {
        if (kid === `later ${purpose}`) return Promise.resolve(keyOf(purpose))
        return kid === purpose ? keyOf(purpose) : undefined
      },
    },
  } as unknown as Parameters<typeof createTokens>[0])
  const at = Math.floor(clock.now() / 1000)
  const login = { amr: ['pwd'], authTime: clock.now() - 10_000 }
  return { tokens, clock, at, login, steps }
}

const standard = { iss: 'https://issuer.example', sub: '7' }
const headerFor = (kid: string) => ({ alg: 'HS256', typ: 'JWT', kid })

suite('tokens that are issued', () => {
  test('an access token has the claims of the contract, in whole seconds', async () => {
    const { tokens, at, login, steps } = service()
    const token = await tokens.issueAccess(account, { ...login, seconds: 60, sid: 's', jti: 'j' })
    assert.deepEqual(headerOf(token), headerFor('signing'))
    assert.deepEqual(payloadOf(token), {
      ...{ ...standard, aud: 'ours', exp: at + 60, nbf: at, iat: at, jti: 'j', username: 'ann' },
      ...{ roles: ['USER', 'EDITOR'], type: 'access', auth_time: at - 10, amr: ['pwd'] },
      ...{ ver: 3, sid: 's', email: 'ann@example.org', email_verified: true },
    })
    assert.deepEqual(steps, ['claims 7 access_token'])
  })

  test('what is unknown is left out, and each token has an id of its own', async () => {
    const { tokens, at } = service()
    const issue = () =>
      tokens.issueAccess({ ...account, email: null }, { amr: [], authTime: 0, seconds: 60 })
    const { jti, ...claims } = payloadOf(await issue())
    assert.match(String(jti), idFormat)
    assert.match(tokens.newJti(), idFormat)
    assert.notEqual(payloadOf(await issue()).jti, jti)
    assert.deepEqual(claims, {
      ...{ ...standard, aud: 'ours', exp: at + 60, nbf: at, iat: at, username: 'ann' },
      ...{ roles: ['USER', 'EDITOR'], type: 'access', auth_time: 0, ver: 3 },
    })
  })

  test('added claims replace no claim of the service', async () => {
    const added = { team: 'red', sub: '1', roles: ['ADMIN'], ver: 99, email: 'other@example.org' }
    const { tokens, login } = service({ added })
    const claims = payloadOf(await tokens.issueAccess(account, { ...login, seconds: 60 }))
    const { team, sub, roles, ver, email } = claims
    assert.deepEqual(
      [team, sub, roles, ver, email],
      ['red', '7', ['USER', 'EDITOR'], 3, 'ann@example.org'],
    )
  })

  test('an enrolment token lives for ten minutes, and says no more than who it is for', async () => {
    const { tokens, at, login, steps } = service({ added: { team: 'red' } })
    const { jti, ...claims } = payloadOf(await tokens.issueEnrolment(account, login))
    assert.match(String(jti), idFormat)
    assert.deepEqual(claims, {
      ...{ ...standard, aud: 'ours', exp: at + 600, nbf: at, iat: at, username: 'ann', ver: 3 },
      ...{ roles: ['USER', 'EDITOR'], type: 'enrolment', auth_time: at - 10, amr: ['pwd'] },
    })
    assert.deepEqual(steps, [])
  })

  test('a refresh token has five claims; its signed header has the rest', async () => {
    const { tokens, login, at } = service()
    const identity = { rid: 'r', issuedAt: 50, expiresAt: 90 }
    const token = await tokens.issueRefresh(account, { ...login, identity })
    assert.deepEqual(payloadOf(token), { ...standard, type: 'refresh', iat: 50, exp: 90 })
    const header = { ...headerFor('refresh'), rid: 'r', ver: 2 }
    assert.deepEqual(headerOf(token), { ...header, auth_time: at - 10, amr: ['pwd'] })
    const other = await tokens.issueRefresh(account, { amr: [], authTime: 0, identity })
    assert.deepEqual(headerOf(other), { ...header, auth_time: 0 })
  })

  test('both tokens of a pair carry its login, and the access token the id of the pair', async () => {
    const { tokens, at, login } = service()
    const { accessToken, refreshToken } = await tokens.issuePair(account, {
      ...{ ...login, seconds: 60, jti: 'j' },
    })
    const { rid, ...header } = headerOf(refreshToken)
    assert.match(String(rid), idFormat)
    const times = { auth_time: at - 10, amr: ['pwd'] }
    assert.deepEqual(header, { ...headerFor('refresh'), ver: 2, ...times })
    const exp = at + 600
    assert.deepEqual(payloadOf(refreshToken), { ...standard, type: 'refresh', iat: at, exp })
    const claims = payloadOf(accessToken)
    assert.deepEqual(
      [claims.sid, claims.jti, claims.exp, claims.auth_time, claims.amr],
      [pairIdOf({ rid: String(rid), exp }), 'j', at + 60, at - 10, ['pwd']],
    )
  })

  test('with rotation a pair ends with the last token of its login', async () => {
    const env = { REFRESH_ROTATION: 'on', REFRESH_ABSOLUTE_SECONDS: '300' }
    const { tokens, at, login } = service({ env })
    const { refreshToken } = await tokens.issuePair(account, { ...login, seconds: 60 })
    assert.equal(payloadOf(refreshToken).exp, at - 10 + 300)
  })
})

suite('tokens that are verified', () => {
  const signer = hs256(material)
  const reasonsOf = async (verify: (tell: (reason: RefusalReason) => void) => unknown) => {
    const reasons: RefusalReason[] = []
    assert.equal(await verify((reason) => reasons.push(reason)), null)
    return reasons.map(({ code }) => code)
  }

  test('each kind is accepted as itself alone', async () => {
    const { tokens, login } = service()
    const access = await tokens.issueAccess(account, { ...login, seconds: 60, jti: 'j' })
    const enrolment = await tokens.issueEnrolment(account, login)
    const identity = { rid: 'r', issuedAt: 50, expiresAt: 9e9 }
    const refresh = await tokens.issueRefresh(account, { ...login, identity })
    const claims = tokens.verifyAccess(access)
    assert.ok(!(claims instanceof Promise), 'at once with a known key')
    assert.deepEqual([claims?.jti, claims?.type, claims?.ver], ['j', 'access', 3])
    assert.equal((await tokens.verifyAccess(enrolment, 'enrolment'))?.type, 'enrolment')
    const { rid, ver } = (await tokens.verifyRefresh(refresh)) ?? {}
    assert.deepEqual([rid, ver], ['r', 2])
    const type = (text: string, of?: 'enrolment') =>
      reasonsOf((tell) => tokens.verifyAccess(text, of, tell))
    assert.deepEqual(await type(access, 'enrolment'), ['claim_type'])
    assert.deepEqual(await type(enrolment), ['claim_type'])
    assert.deepEqual(await type(refresh), ['token_unknown_key'], 'a key has one purpose')
    for (const text of [access, enrolment]) {
      const reasons = await reasonsOf((tell) => tokens.verifyRefresh(text, tell))
      assert.deepEqual(reasons, ['token_unknown_key'])
    }
  })

  test('a refresh token is verified with the keys of now, until its end', async () => {
    const { tokens, clock, login, steps, at } = service()
    const identity = { rid: 'r', issuedAt: at, expiresAt: at + 60 }
    const refresh = await tokens.issueRefresh(account, { ...login, identity })
    clock.advance(59)
    assert.ok(await tokens.verifyRefresh(refresh))
    assert.deepEqual(steps, ['keys'])
    clock.advance(1)
    assert.deepEqual(await reasonsOf((tell) => tokens.verifyRefresh(refresh, tell)), ['claim_exp'])
    assert.equal(await tokens.verifyRefresh(refresh), null, 'without a reason')
  })

  test('a key that has to be looked up verifies as well', async () => {
    const { tokens, at } = service()
    const payload = { ...standard, aud: 'ours', type: 'access', jti: 'j', iat: at, exp: at + 60 }
    const token = forge(headerFor('later signing'), payload, signer)
    assert.equal((await tokens.verifyAccess(token))?.jti, 'j')
    const header = { ...headerFor('later refresh'), rid: 'r', ver: 2 }
    const refresh = forge(header, { ...standard, type: 'refresh', iat: at, exp: at + 60 }, signer)
    assert.equal((await tokens.verifyRefresh(refresh))?.rid, 'r')
  })

  test('a token without an id has its digest as its id; another id than a text is refused', async () => {
    const { tokens, at } = service()
    const payload = { ...standard, aud: 'ours', type: 'access', iat: at, exp: at + 60 }
    const token = forge(headerFor('signing'), payload, signer)
    assert.equal((await tokens.verifyAccess(token))?.jti, digest(token))
    for (const jti of [null, '', 7]) {
      const other = forge(headerFor('signing'), { ...payload, jti }, signer)
      const reasons = await reasonsOf((tell) => tokens.verifyAccess(other, 'access', tell))
      assert.deepEqual(reasons, ['claim_malformed'])
    }
  })

  test('a payload that is no JSON object is refused', async () => {
    const { tokens } = service()
    const sign = (kid: string) => {
      const input = `${segment(headerFor(kid))}.${segment('text')}`
      return `${input}.${signer(input).toString('base64url')}`
    }
    const access = await reasonsOf((tell) => tokens.verifyAccess(sign('signing'), 'access', tell))
    const refresh = await reasonsOf((tell) => tokens.verifyRefresh(sign('refresh'), tell))
    assert.deepEqual([...access, ...refresh], Array(2).fill('token_payload_malformed'))
    assert.equal(await tokens.verifyAccess(sign('signing')), null, 'without a reason')
  })
})
