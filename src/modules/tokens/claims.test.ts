import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { isWithinLifetime } from './claim-faults.ts'
import { parseAccessClaims, parseRefreshClaims } from './claims.ts'

const config = loadConfig({ TOKEN_ISSUER: 'https://issuer.example', TOKEN_AUDIENCE: 'ours' })
const at = 1_800_000_000
const now = at * 1000

const access = {
  iss: 'https://issuer.example',
  sub: '7',
  aud: 'ours',
  exp: at + 60,
  nbf: at,
  iat: at,
  jti: 'an id',
  username: 'ann',
  roles: ['EDITOR', 'USER'],
  type: 'access',
  auth_time: at - 100,
  amr: ['pwd', 'otp', 'mfa'],
  ver: 3,
}
const refresh = { iss: 'https://issuer.example', sub: '7', type: 'refresh', iat: at, exp: at + 60 }
const header = { alg: 'HS256', rid: 'an id', ver: 2, auth_time: at - 100, amr: ['pwd'] }

const without = (object: object, name: string) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
const anything = [null, true, '', 'text', '1', -1, Number.NaN, Infinity, -Infinity, [], [1], {}]

suite('claims of an access token', () => {
  test('a whole set is read, its roles in the order in which they are shown', () => {
    const claims = parseAccessClaims({ ...access, more: 1 }, config, now)
    assert.deepEqual(claims, { ...access, roles: ['USER', 'EDITOR'] })
  })

  test('a time may be the beginning of the epoch', () => {
    const times = { iat: 0, nbf: 0, auth_time: 0 }
    assert.equal(parseAccessClaims({ ...access, ...times }, config, now)?.auth_time, 0)
  })

  test('its pair, the verified address and the name are read where they are texts', () => {
    const texts = { sid: 's', email: 'ann@example.org', name: 'Ann' }
    const expected = { ...access, roles: ['USER', 'EDITOR'] }
    const read = (more: object) => parseAccessClaims({ ...access, ...more }, config, now)
    assert.deepEqual(read(texts), { ...expected, ...texts })
    for (const value of [null, 7, ['s'], {}]) {
      assert.deepEqual(read({ sid: value, email: value, name: value }), expected)
    }
  })

  test('exp, iat, iss, sub, type and aud are required', () => {
    for (const name of ['exp', 'iat', 'iss', 'sub', 'type', 'aud']) {
      assert.equal(parseAccessClaims(without(access, name), config, now), null, name)
    }
  })

  test('what is optional is taken from the rest', () => {
    const given = {
      iss: access.iss,
      sub: '7',
      aud: 'ours',
      exp: at + 60,
      iat: at - 2,
      type: 'access',
      jti: 'its digest',
    }
    assert.deepEqual(parseAccessClaims(given, config, now), {
      ...given,
      nbf: at - 2,
      username: '',
      roles: [],
      auth_time: at - 2,
      amr: [],
      ver: 1,
    })
  })

  test('a claim of another type is no claim', () => {
    const allowed: Record<string, (value: unknown) => boolean> = {
      sub: (value) => value === '1',
      jti: (value) => typeof value === 'string' && value !== '',
      username: (value) => typeof value === 'string',
      ver: (value) => typeof value === 'number',
      roles: (value) => value === null || (Array.isArray(value) && value.length === 0),
      amr: () => true, // it says nothing then
    }
    for (const name of Object.keys(access)) {
      for (const value of anything) {
        const claims = parseAccessClaims({ ...access, [name]: value }, config, now)
        const isAllowed = allowed[name]?.(value) ?? false
        assert.equal(claims !== null, isAllowed, `${name} ${JSON.stringify(value)}`)
      }
    }
  })

  test('sub is a user id in its one spelling', () => {
    for (const sub of ['1', '10', '9007199254740991', '9999999999999999']) {
      assert.equal(parseAccessClaims({ ...access, sub }, config, now)?.sub, sub)
    }
    for (const sub of ['0', '01', '+1', ' 1', '1 ', '1\n', '1.5', '1e3', '10000000000000000']) {
      assert.equal(parseAccessClaims({ ...access, sub }, config, now), null, sub)
    }
  })

  test('aud is ours, or a list that holds ours', () => {
    for (const aud of ['ours', ['ours'], ['a', 'ours'], [1, 'ours']]) {
      assert.equal(parseAccessClaims({ ...access, aud }, config, now)?.aud, 'ours')
    }
    for (const aud of ['Ours', 'ours,a', 'our', ['a'], [['ours']], { ours: true }]) {
      assert.equal(parseAccessClaims({ ...access, aud }, config, now), null, JSON.stringify(aud))
    }
  })

  test('roles are names of ours and nothing else, each once, without ROLE_', () => {
    const read = (roles: unknown) => parseAccessClaims({ ...access, roles }, config, now)?.roles
    assert.deepEqual(read(['ROLE_ADMIN', 'ADMIN', 'USER', 'USER']), ['USER', 'ADMIN'])
    assert.deepEqual(read(['SUPERADMIN', 'USER']), ['USER'], 'a name that ROLES may have lost')
    for (const roles of [
      'ADMIN',
      ['admin'],
      ['USER', 'SUPERADMIN!'],
      ['USER', 'A'.repeat(33)],
      ['ROLE_ROLE_USER'],
      [['USER']],
    ]) {
      assert.equal(read(roles), undefined, JSON.stringify(roles))
    }
  })
})

suite('how the holder authenticated (RFC 8176)', () => {
  test('is a list of texts; what else it may be says nothing, and refuses no token', () => {
    for (const amr of ['pwd', null, { 0: 'mfa' }, ['pwd', 1], ['pwd', ''], [['mfa']], 1, true]) {
      assert.deepEqual(parseAccessClaims({ ...access, amr }, config, now)?.amr, [])
      assert.deepEqual(parseRefreshClaims(refresh, { ...header, amr }, config, now)?.amr, [])
    }
  })
})

suite('claims of a refresh token', () => {
  test('five claims, and what the signed header adds', () => {
    assert.deepEqual(parseRefreshClaims(refresh, header, config, now), {
      sub: '7',
      exp: at + 60,
      rid: 'an id',
      ver: 2,
      authTime: at - 100,
      amr: ['pwd'],
    })
    const claims = parseRefreshClaims(refresh, without(header, 'auth_time'), config, now)
    assert.equal(claims?.authTime, at)
    const older = parseRefreshClaims(refresh, without(header, 'amr'), config, now)
    assert.deepEqual(older?.amr, [], 'of a token from before')
  })

  test('each claim is required, and rid and ver in the header', () => {
    for (const name of Object.keys(refresh)) {
      assert.equal(parseRefreshClaims(without(refresh, name), header, config, now), null, name)
    }
    for (const name of ['rid', 'ver']) {
      assert.equal(parseRefreshClaims(refresh, without(header, name), config, now), null, name)
    }
  })

  test('a claim of another type is no claim', () => {
    for (const value of anything) {
      for (const name of Object.keys(refresh)) {
        const claims = parseRefreshClaims({ ...refresh, [name]: value }, header, config, now)
        assert.equal(claims !== null, name === 'sub' && value === '1', `${name} ${value}`)
      }
      const headers: [name: string, isAllowed: boolean][] = [
        ['rid', typeof value === 'string'],
        ['ver', typeof value === 'number'],
        ['auth_time', false],
      ]
      for (const [name, isAllowed] of headers) {
        const claims = parseRefreshClaims(refresh, { ...header, [name]: value }, config, now)
        assert.equal(claims !== null, isAllowed, `${name} ${value}`)
      }
    }
  })

  test('an access token is none, and the other way round', () => {
    assert.equal(parseRefreshClaims(access, header, config, now), null)
    assert.equal(parseAccessClaims({ ...refresh, aud: 'ours' }, config, now), null)
  })
})

suite('the time of a token', () => {
  // Offsets in seconds; now is 0.
  const times: [exp: number, nbf: number, iat: number, isGood: boolean][] = [
    [1, 0, 0, true],
    [0.001, 0, 0, true],
    [0, 0, 0, false],
    [-1, -10, -10, false],
    [60, 5, 0, true],
    [60, 6, 0, false],
    [60, 5.001, 0, false],
    [60, 0, 5, true],
    [60, 0, 6, false],
    [60, -1e9, -1e9, true],
  ]
  for (const [exp, nbf, iat, isGood] of times) {
    test(`exp ${exp}, nbf ${nbf}, iat ${iat} is ${isGood ? 'in' : 'out of'} its time`, () => {
      const claims = { exp: at + exp, nbf: at + nbf, iat: at + iat }
      assert.equal(isWithinLifetime(claims, now), isGood)
      assert.equal(parseAccessClaims({ ...access, ...claims }, config, now) !== null, isGood)
      if (nbf > 0) return // a refresh token has none
      const { nbf: _, ...rest } = claims
      assert.equal(
        parseRefreshClaims({ ...refresh, ...rest }, header, config, now) !== null,
        isGood,
      )
    })
  }
})
