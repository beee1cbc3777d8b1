import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import type { RefusalReason } from '../../core/errors.ts'
import { faultOfTimes, shownClaim, userIdIn } from './claim-faults.ts'
import { parseAccessClaims, parseRefreshClaims } from './claims.ts'

const config = loadConfig({ TOKEN_ISSUER: 'https://issuer.example', TOKEN_AUDIENCE: 'ours' })
const at = 1_800_000_000
const now = at * 1000
const common = { iss: 'https://issuer.example', sub: '7', exp: at + 60, iat: at }
const access = { ...common, aud: 'ours', jti: 'an id', type: 'access' }
const refresh = { ...common, type: 'refresh' }
const header = { rid: 'an id', ver: 2 }

function reasonOfAccess(changes: object, type: 'access' | 'enrolment' = 'access') {
  const told: RefusalReason[] = []
  const raw = { ...access, ...changes }
  const claims = parseAccessClaims(raw, config, now, type, (reason) => told.push(reason))
  return claims ? 'accepted' : told
}

function reasonOfRefresh(changes: object, changesOfHeader: object = {}) {
  const told: RefusalReason[] = []
  const [raw, head] = [
    { ...refresh, ...changes },
    { ...header, ...changesOfHeader },
  ]
  const claims = parseRefreshClaims(raw, head, config, now, (reason) => told.push(reason))
  return claims ? 'accepted' : told
}

const malformed = (claim: string) => [{ code: 'claim_malformed', facts: { claim } }]

suite('why the claims of a token are refused', () => {
  test('an accepted token has no reason', () => {
    assert.equal(reasonOfAccess({}), 'accepted')
    assert.equal(reasonOfAccess({ type: 'enrolment' }, 'enrolment'), 'accepted')
    assert.equal(reasonOfRefresh({}), 'accepted')
  })

  test('a claim that another service may have written is shown with the expected value', () => {
    const expected = (code: string, facts: object) => [{ code, facts }]
    const type = { type: 'refresh', expected: 'access' }
    assert.deepEqual(reasonOfAccess({ type: 'refresh' }), expected('claim_type', type))
    const enrolment = { type: 'access', expected: 'enrolment' }
    assert.deepEqual(reasonOfAccess({}, 'enrolment'), expected('claim_type', enrolment))
    const iss = { iss: 'https://other.example', expected: config.token.issuer }
    assert.deepEqual(reasonOfAccess({ iss: iss.iss }), expected('claim_iss', iss))
    assert.deepEqual(reasonOfRefresh({ iss: iss.iss }), expected('claim_iss', iss))
    const aud = { aud: ['theirs'], expected: 'ours' }
    assert.deepEqual(reasonOfAccess({ aud: ['theirs'] }), expected('claim_aud', aud))
    assert.deepEqual(reasonOfAccess({ sub: 'ann' }), [{ code: 'claim_sub' }])
    assert.deepEqual(reasonOfRefresh({ sub: '0' }), [{ code: 'claim_sub' }])
    const ofAccess = { type: 'access', expected: 'refresh' }
    assert.deepEqual(reasonOfRefresh({ type: 'access' }), expected('claim_type', ofAccess))
  })

  test('a claim of another type is named', () => {
    const wrong = {
      ...{ exp: '1', iat: null, nbf: -1, auth_time: Number.NaN },
      ...{ roles: 'ADMIN', jti: '', username: 7, ver: '1' },
    }
    for (const [name, value] of Object.entries(wrong)) {
      assert.deepEqual(reasonOfAccess({ [name]: value }), malformed(name), name)
    }
    assert.deepEqual(reasonOfAccess({ jti: 7 }), malformed('jti'))
    for (const name of ['exp', 'iat']) {
      assert.deepEqual(reasonOfRefresh({ [name]: '1' }), malformed(name), name)
    }
    for (const [name, value] of Object.entries({ auth_time: '1', rid: 1, ver: '1' })) {
      assert.deepEqual(reasonOfRefresh({}, { [name]: value }), malformed(name), name)
    }
  })

  test('the first wrong claim is the reason', () => {
    const codes = (reasons: string | RefusalReason[]) =>
      typeof reasons === 'string' ? reasons : reasons.map(({ code }) => code)
    const changes = {
      ...{ type: 'other', iss: 'other', sub: '', exp: at, iat: at + 6, nbf: at + 6 },
      ...{ aud: 'theirs', roles: 'ADMIN', jti: '', username: 7, ver: '1' },
    }
    const names = Object.keys(changes)
    const found = names.map((_, index) =>
      codes(reasonOfAccess(Object.fromEntries(Object.entries(changes).slice(index)))),
    )
    assert.deepEqual(
      found.flat(),
      ['type', 'iss', 'sub', 'exp', 'iat', 'nbf', 'aud']
        .map((name) => `claim_${name}`)
        .concat(Array.from({ length: 4 }, () => 'claim_malformed')),
    )
    const { type, iss, sub, exp, iat } = changes
    const ofRefresh = [
      { type, iss, sub, exp, iat },
      { iss, sub, exp, iat },
      { sub, exp, iat },
    ]
    const rest = [...ofRefresh, { exp, iat }, { iat }].map((given) =>
      codes(reasonOfRefresh(given, { rid: 1 })),
    )
    const inOrder = ['type', 'iss', 'sub', 'exp', 'iat'].map((name) => `claim_${name}`)
    assert.deepEqual(rest.flat(), inOrder)
    assert.deepEqual(reasonOfRefresh({}, { rid: 1, ver: '' }), malformed('rid'))
  })

  test('a time comes with its distance from now', () => {
    const good = { exp: at + 60, iat: at, nbf: at, sub: '7' }
    const fault = (changes: object) => faultOfTimes({ ...good, ...changes }, now)
    for (const [exp, expired_seconds_ago] of [
      [at, 0],
      [at - 1, 1],
      [at - 1.5, 1],
      [at - 90, 90],
    ] as const) {
      const facts = { user_id: 7, exp_at: exp * 1000, expired_seconds_ago }
      assert.deepEqual(fault({ exp }), { code: 'claim_exp', facts })
    }
    for (const name of ['iat', 'nbf'] as const) {
      assert.equal(fault({ [name]: at + 5 }), null, 'clocks of nodes may differ')
      for (const [time, valid_in_seconds] of [
        [at + 5.001, 1],
        [at + 6, 1],
        [at + 6.5, 2],
        [at + 65, 60],
      ] as const) {
        const facts = { user_id: 7, [`${name}_at`]: time * 1000, valid_in_seconds }
        assert.deepEqual(fault({ [name]: time }), { code: `claim_${name}`, facts })
      }
    }
    assert.equal(fault({ exp: at + 0.001 }), null)
    const facts = { user_id: null, exp_at: now, expired_seconds_ago: 0 }
    assert.deepEqual(fault({ exp: at, sub: 'client:a' }), { code: 'claim_exp', facts })
  })

  test('a shown claim is a text or a list of texts, of limited length', () => {
    assert.equal(shownClaim('x'.repeat(256)), 'x'.repeat(256))
    assert.equal(shownClaim('x'.repeat(257)), 'x'.repeat(256))
    assert.deepEqual(shownClaim(['x'.repeat(257), 7, null]), ['x'.repeat(256), '7', 'null'])
    const many = Array.from({ length: 11 }, (_, index) => `a${index}`)
    assert.deepEqual(shownClaim(many), many.slice(0, 10))
    for (const value of [undefined, null, 7, true, {}]) assert.equal(shownClaim(value), null)
  })

  test('a user id is a positive number in its one spelling', () => {
    assert.equal(userIdIn('1'), 1)
    assert.equal(userIdIn('9007199254740991'), Number.MAX_SAFE_INTEGER)
    for (const sub of ['', '0', '01', '1.5', '-1', 'client:1', '10000000000000000', 7, null]) {
      assert.equal(userIdIn(sub), null, String(sub))
    }
  })
})
