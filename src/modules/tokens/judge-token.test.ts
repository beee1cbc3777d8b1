import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { segment } from '../../../test/forge.ts'
import type { AccessClaims } from '../../core/policy/principal.ts'
import type { Account } from '../authentication/account.ts'
import { createRequirements } from '../authentication/requirements.ts'
import type { RefreshClaims } from './claims.ts'
import { type JudgeTokenDeps, judgeToken, kindOf } from './judge-token.ts'

const clock = fixedClock()
const facts = { user_id: 7 }
const badSignature = { code: 'token_bad_signature', facts: { kid: null } } as const
const account = {
  ...{ userId: 7, username: 'ann', roles: ['USER'], locked: false, active: true },
  ...{ deletionAt: null, lockedUntil: null, secondFactor: false, mustChange: false },
  ...{ accessVersion: 2, refreshVersion: 2, isService: false },
} as unknown as Account
const refreshClaims = { sub: '7', rid: 'r', exp: 1, ver: 2 } as RefreshClaims
const accessClaims = { sub: '7', jti: 'a' } as AccessClaims

/** What is wrong with a token. */
interface Given {
  readonly isForged?: boolean
  readonly account?: Partial<Account> | null
  readonly isPairEnded?: boolean
  readonly isRevoked?: boolean
  readonly isSpent?: boolean
  readonly env?: Record<string, string>
}

function judge(token: string, given: Given = {}) {
  const config = loadConfig({ REFRESH_ROTATION: 'on', ...given.env })
  const kinds: string[] = []
  const { isForged = false, isRevoked = false, isPairEnded = false, isSpent = false } = given
  const found = given.account === null ? null : { ...account, ...given.account }
  const deps: JudgeTokenDeps = {
    accounts: { byUserId: async (userId) => (userId === 7 ? found : null) },
    config,
    requirements: createRequirements({ config, clock }),
    revocations: {
      refuses: () => isRevoked,
      reasonOf: () => ({ code: 'token_revoked', facts }),
      refusesRefresh: () => isRevoked,
    },
    rotation: {
      isSpent: async () => isSpent,
      pairOf: async () => ({ id: 'pair', isEnded: isPairEnded }),
    },
    tokens: {
      verifyAccess(_, type = 'access', tell) {
        kinds.push(type)
        if (isForged) tell?.(badSignature)
        return isForged ? null : accessClaims
      },
      async verifyRefresh(_, tell) {
        kinds.push('refresh')
        if (isForged) tell?.(badSignature)
        return isForged ? null : refreshClaims
      },
    },
  }
  return judgeToken(deps, token).then((judged) => ({ ...judged, kinds }))
}

const tokenOf = (payload: unknown) => `${segment({})}.${segment(payload)}.c2ln`
const refresh = tokenOf({ type: 'refresh' })
const access = tokenOf({ type: 'access' })
const enrolment = tokenOf({ type: 'enrolment' })

suite('what a token says of itself', () => {
  test('is one of three kinds; anything else counts as an access token', () => {
    assert.equal(kindOf(refresh), 'refresh')
    assert.equal(kindOf(enrolment), 'enrolment')
    for (const other of [
      access,
      tokenOf({ type: 'other' }),
      tokenOf({}),
      tokenOf('a'),
      '',
      'a.b',
    ]) {
      assert.equal(kindOf(other), 'access', other)
    }
  })
})

suite('the judgement of a token', () => {
  test('an accepted token has a subject and no reason', async () => {
    for (const [kind, token] of Object.entries({ access, enrolment, refresh })) {
      const expected = { subject: '7', reason: null, kinds: [kind] }
      assert.deepEqual(await judge(token), expected)
    }
  })

  test('a forged token has a reason and no subject', async () => {
    for (const [kind, token] of Object.entries({ access, enrolment, refresh })) {
      const expected = { subject: null, reason: badSignature, kinds: [kind] }
      assert.deepEqual(await judge(token, { isForged: true }), expected)
    }
  })

  test('a revoked access token has the reason of its revocation', async () => {
    const { subject, reason } = await judge(access, { isRevoked: true })
    assert.deepEqual([subject, reason], ['7', { code: 'token_revoked', facts }])
  })

  test('a refresh token is refused for the first of its faults, as POST /refresh refuses it', async () => {
    const faults: [given: Given, reason: object][] = [
      [{ account: null }, { code: 'refresh_account_gone', facts }],
      [
        { account: { locked: true } },
        { code: 'account_locked', facts: { ...facts, asked_of: 'refresh' } },
      ],
      [{ isPairEnded: true }, { code: 'token_pair_ended', facts }],
      [{ isRevoked: true }, { code: 'refresh_token_revoked', facts }],
      [{ isSpent: true }, { code: 'refresh_token_reused', facts }],
    ]
    for (const [index, [given, reason]] of faults.entries()) {
      const later = Object.assign(
        {},
        ...faults
          .slice(index)
          .map(([one]) => one)
          .reverse(),
      )
      for (const fault of [given, later]) {
        const { kinds: _, ...judged } = await judge(refresh, fault)
        assert.deepEqual(judged, { subject: '7', reason })
      }
    }
  })

  test('a token of an earlier version of its account is refused', async () => {
    const { reason } = await judge(refresh, { account: { refreshVersion: 3 } })
    assert.deepEqual(reason, { code: 'account_changed', facts: { ...facts, asked_of: 'refresh' } })
  })

  test('without rotation a refresh token may be used again', async () => {
    const { reason } = await judge(refresh, { isSpent: true, env: { REFRESH_ROTATION: 'off' } })
    assert.equal(reason, null)
  })
})
