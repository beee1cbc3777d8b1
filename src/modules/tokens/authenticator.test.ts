import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { fixedClock } from '../../../test/clock.ts'
import type { Database } from '../../core/database/database.ts'
import { lockName } from '../../core/database/transactions.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { AccessClaims } from '../../core/policy/principal.ts'
import { bearerAuthenticator, bearerToken, endBearer } from './authenticator.ts'
import type { TellReason } from './jws.ts'
import { principalOf } from './verified.ts'

const badSignature = { code: 'token_bad_signature', facts: { kid: 'k' } } as const
const revoked = { code: 'token_revoked', facts: { user_id: 7 } } as const
const requestOf = (authorization?: string, enrols?: boolean) =>
  ({ headers: { authorization }, routeOptions: { config: { enrols } } }) as FastifyRequest

interface Given {
  /** Verified before. */
  readonly isKept?: boolean
  readonly isValid?: boolean
  /** The claims of an enrolment token. */
  readonly enrols?: boolean
  readonly isRevoked?: boolean
  /** Each step answers with a promise. */
  readonly isLater?: boolean
  readonly hasReason?: boolean
}

/** The authenticator, and the steps that it takes. */
function authenticator(given: Given = {}) {
  const { isKept = false, isValid = true, enrols = false, isRevoked = false } = given
  const clock = fixedClock()
  const at = clock.now() / 1000
  const claims = {
    ...{ sub: '7', jti: 'a', sid: 's', username: 'ann', roles: ['USER'], amr: ['pwd'], ver: 1 },
    ...{ type: 'access', iat: at, nbf: at, exp: at + 60, auth_time: at },
  } as unknown as AccessClaims
  const verified = { claims, principal: principalOf(claims) }
  const steps: string[] = []
  const step = <T>(name: string, answer: T) => {
    steps.push(name)
    return given.isLater ? Promise.resolve(answer) : answer
  }
  const state: Given & { isRevoked: boolean } = { ...given, isRevoked }
  const { authenticate } = bearerAuthenticator({
    clock,
    keys: {
      refreshed: () =>
        given.isLater ? Promise.resolve().then(() => void steps.push('keys')) : undefined,
    },
    tokens: {
      verifyAccess: (text: string, type: string) =>
        step(`${type} ${text}`, enrols ? { ...claims, type } : null),
    },
    revocations: {
      refuses: () => step('revocations', state.isRevoked),
      refusesBy: async (db: { name: string }) => {
        steps.push(`revocations by ${db.name}`)
        return state.isRevoked
      },
      reasonOf: () => revoked,
    },
    verified: {
      recall: () => (isKept ? verified : undefined),
      verify(text: string, tell: TellReason) {
        if (given.hasReason) tell(badSignature)
        return step(`verify ${text}`, isValid ? verified : null)
      },
    },
  } as unknown as Parameters<typeof bearerAuthenticator>[0])
  return { authenticate, clock, verified, steps, state }
}

/** The reason of the 401. */
async function refusal(given: Given, enrols?: boolean): Promise<RefusalReason> {
  const { authenticate } = authenticator(given)
  let reason: RefusalReason | undefined
  await assert.rejects(
    async () => authenticate(requestOf('Bearer t', enrols)),
    (error) => {
      assert.ok(error instanceof ApiError)
      assert.deepEqual([error.status, error.message], [401, 'Invalid or expired token'])
      reason = error.reason
      return true
    },
  )
  assert.ok(reason)
  return reason
}

test('the token of a header follows its scheme and at least one space', () => {
  for (const [authorization, token] of [
    [undefined, null],
    ['', null],
    ['Bearer', null],
    ['Bearer ', null],
    ['Bearer    ', null],
    ['Bearera.b.c', null],
    [' Bearer a.b.c', null],
    ['Basic a.b.c', null],
    ['Bearer a.b.c', 'a.b.c'],
    ['bearer a', 'a'],
    ['BEARER    a', 'a'],
    ['Bearer a b ', 'a b '],
  ] as const) {
    assert.equal(bearerToken(requestOf(authorization)), token, String(authorization))
  }
})

suite('the authenticator of bearer tokens', () => {
  test('leaves other requests alone', () => {
    const { authenticate, steps } = authenticator()
    for (const header of [undefined, 'Basic YTpi', 'Bearer ']) {
      assert.equal(authenticate(requestOf(header)), null)
    }
    assert.deepEqual(steps, [])
  })

  for (const isLater of [false, true]) {
    const keys = isLater ? ['keys'] : []
    test(`asks for each request whether its token is revoked, ${isLater ? 'later' : 'at once'}`, async () => {
      for (const isKept of [false, true]) {
        const { authenticate, steps, verified } = authenticator({ isKept, isLater })
        const caller = authenticate(requestOf('Bearer t'))
        assert.equal(caller instanceof Promise, isLater)
        assert.deepEqual((await caller)?.principal, verified.principal)
        assert.deepEqual(steps, [...keys, ...(isKept ? [] : ['verify t']), 'revocations'])
        assert.deepEqual(await refusal({ isKept, isLater, isRevoked: true }), revoked)
      }
    })

    test(`refuses what is not valid, with its reason, ${isLater ? 'later' : 'at once'}`, async () => {
      const invalid = { isValid: false, isLater }
      assert.deepEqual(await refusal({ ...invalid, hasReason: true }), badSignature)
      assert.deepEqual(await refusal(invalid), { code: 'token_malformed' })
      assert.deepEqual(await refusal(invalid, true), { code: 'token_malformed' })
    })

    test(`accepts an enrolment token where a factor is enrolled, ${isLater ? 'later' : 'at once'}`, async () => {
      const given = { isValid: false, enrols: true, isLater }
      const { authenticate, steps } = authenticator(given)
      const caller = await authenticate(requestOf('Bearer t', true))
      assert.deepEqual([caller?.principal.subject, caller?.principal.amr], ['7', ['pwd']])
      assert.deepEqual(steps, [...keys, 'verify t', 'enrolment t', 'revocations'])
      assert.deepEqual(await refusal({ ...given, isRevoked: true }, true), revoked)
      for (const enrols of [false, undefined]) {
        assert.deepEqual(await refusal({ ...given, hasReason: true }, enrols), badSignature)
      }
    })

    test(`judges the caller of a change again, ${isLater ? 'later' : 'at once'}`, async () => {
      const { authenticate, clock, verified, steps, state } = authenticator({ isLater })
      const caller = await authenticate(requestOf('Bearer t'))
      assert.ok(caller)
      const names = [lockName.account(7), lockName.token('a'), lockName.token('pair s')]
      assert.deepEqual(caller.lockNames(), names)
      steps.length = 0
      const trx = { isTransaction: true, name: 'trx' } as unknown as Database
      const db = { isTransaction: false, name: 'db' } as unknown as Database
      for (const isRevoked of [false, true]) {
        state.isRevoked = isRevoked
        const expected = isRevoked ? null : verified.principal
        assert.equal(await caller.revalidate(trx), expected)
        assert.equal(await caller.revalidate(db), expected)
      }
      const asked = ['revocations by trx', 'revocations']
      assert.deepEqual(steps, [...asked, ...asked])
      state.isRevoked = false
      clock.advance(59.999)
      assert.equal(await caller.revalidate(trx), verified.principal)
      clock.advance(0.001)
      assert.equal(await caller.revalidate(trx), null)
      assert.equal(await caller.revalidate(db), null)
    })
  }
})

suite('the logout of a bearer token', () => {
  const ending = () => {
    const ended: string[] = []
    const end = endBearer({
      tokens: {
        verifyAccess: async (token: string) => ({ jti: token, exp: 9, sid: `of ${token}` }),
      },
      revocations: { endPair: async (sid: string) => void ended.push(sid) },
    } as unknown as Parameters<typeof endBearer>[0])
    return { end, ended }
  }

  test('ends the pair of the token, and nothing without a token', async () => {
    const { end, ended } = ending()
    await end(requestOf('Bearer t'))
    assert.deepEqual(ended, ['of t'])
    for (const header of [undefined, 'Basic YTpi', 'Bearer ']) await end(requestOf(header))
    assert.deepEqual(ended, ['of t'])
  })
})
