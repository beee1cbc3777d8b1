import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  isScope,
  type Principal,
  parseRole,
  parseRoleName,
  type Role,
  type RoleName,
  rolesAmong,
  sortRoles,
  userIdOf,
} from './principal.ts'

const support = 'SUPPORT' as Role // as `ROLES` makes it one
const texts = (names: readonly string[]) => names as readonly RoleName[]

suite('principals and roles', () => {
  test('the subject is the id of a user only in its canonical form', () => {
    const idOf = (subject: string) => {
      const principal: Principal = {
        subject,
        username: '',
        roles: new Set(),
        credential: { scheme: 'basic' },
        amr: [],
        authTime: 0,
      }
      return userIdOf(principal)
    }
    assert.equal(idOf('1'), 1)
    assert.equal(idOf('2'), 2)
    assert.equal(idOf('9007199254740991'), 9007199254740991)
    const others = ['0', '-1', '01', '1.5', '1e3', ' 1', '', 'client:1', 'https://a#1', 'Infinity']
    for (const subject of [...others, '9007199254740992']) {
      assert.equal(idOf(subject), null, subject)
    }
  })

  test('the name of a role loses one prefix ROLE_, and must be valid without it', () => {
    const longest = `A${'B'.repeat(31)}`
    for (const [text, name] of [
      ['ADMIN', 'ADMIN'],
      ['ROLE_ADMIN', 'ADMIN'],
      ['A', 'A'],
      ['A_1', 'A_1'],
      [longest, longest],
      [`ROLE_${longest}`, longest],
      ['ROLE', 'ROLE'],
      ['ROLES_A', 'ROLES_A'],
    ] as const) {
      assert.equal(parseRoleName(text), name, text)
    }
    for (const text of [
      '',
      'admin',
      '1A',
      '_A',
      'ROLE_',
      'ROLE_ROLE_ADMIN',
      `${longest}B`,
      'A-B',
    ]) {
      assert.equal(parseRoleName(text), null, text)
    }
    for (const value of [null, undefined, 1, ['ADMIN']]) assert.equal(parseRoleName(value), null)
  })

  test('a configured role is found with and without the prefix', () => {
    const roles: readonly Role[] = ['USER', support]
    assert.equal(parseRole('USER', roles), 'USER')
    assert.equal(parseRole('ROLE_SUPPORT', roles), 'SUPPORT')
    for (const value of ['ADMIN', 'user', 'ROLE_ROLE_USER', '', null, 1, ['USER']]) {
      assert.equal(parseRole(value, roles), null)
    }
  })

  test('only configured roles count, in the configured order', () => {
    const roles: readonly Role[] = ['USER', 'ADMIN', support]
    assert.deepEqual(rolesAmong(texts(['SUPPORT', 'OTHER', 'USER']), roles), ['USER', 'SUPPORT'])
    assert.deepEqual(rolesAmong([], roles), [])
  })

  test('roles are stored in the order of the contract, then by alphabet, each once', () => {
    const given = texts(['Z', 'ADMIN', 'A', 'USER', 'Z', 'EDITOR', 'ADMIN'])
    assert.deepEqual(sortRoles(given), ['USER', 'EDITOR', 'ADMIN', 'A', 'Z'])
    assert.deepEqual(sortRoles(texts(['B', 'ADMIN'])), ['ADMIN', 'B'])
  })

  test('a scope is visible ASCII without quotation mark and backslash', () => {
    for (const text of ['read', '!', '#', '[', ']', '~', 'users:read']) assert.ok(isScope(text))
    for (const value of ['', ' ', 'a b', '"', '\\', '\x7f', 'ä', 1, null, ['read']]) {
      assert.equal(isScope(value), false, String(value))
    }
  })
})
