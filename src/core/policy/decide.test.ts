import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { postsRules } from '../../modules/posts/rules.ts'
import { decide, lackedScopes, type Resource } from './decide.ts'
import { contractRoles, type Principal, type Role } from './principal.ts'
import {
  all,
  any,
  anyone,
  authenticated,
  client,
  describeRule,
  needsResource,
  owner,
  type Rule,
  role,
  scope,
  unlocked,
  unprivileged,
} from './rules.ts'

const roleSets = [...Array(8).keys()].map((bits) =>
  contractRoles.filter((_, index) => bits & (1 << index)),
)
const principal = (roles: readonly Role[]): Principal => ({
  subject: '7',
  username: 'ann',
  roles: new Set(roles),
  credential: { scheme: 'basic' },
  amr: [],
  authTime: 0,
})
const ofClient = { scheme: 'client', audiences: new Set<string>() } as const
const own = 'SUPPORT' as Role // as `ROLES` makes it one
const limited: readonly Principal[] = [
  { ...principal(['ADMIN']), client: 'app' },
  { ...principal(['ADMIN']), client: 'app', scopes: new Set() },
  { ...principal(['USER']), client: 'app', scopes: new Set(['read']) },
  { ...principal(['USER']), scopes: new Set(['read', 'write']) },
  // Allowed to introspect, to revoke, and a user whose token says so.
  { ...principal([]), client: 'app', scopes: new Set(['introspect']), credential: ofClient },
  { ...principal([]), client: 'app', scopes: new Set(['revoke']), credential: ofClient },
  { ...principal(['USER']), client: 'app', scopes: new Set(['introspect']) },
]
const principals: readonly (Principal | null)[] = [
  null,
  ...roleSets.map(principal),
  principal([own]),
  ...limited,
]
const both = new Set(['read', 'write'])
const others = new Set(['other', 'reader'])
const session = { scheme: 'session', sessionId: '', csrfToken: '', expiresAt: 0 } as const
const bearer = (caller: Principal | undefined): Principal => {
  const claims = { iss: '', sub: '7', aud: '', exp: 1, nbf: 0, iat: 0, jti: '', username: 'ann' }
  const rest = { roles: [], type: 'access', auth_time: 0, amr: [], ver: 1 } as const
  return {
    ...(caller ?? principal([])),
    credential: { scheme: 'bearer', claims: { ...claims, ...rest } },
  }
}
const resources: readonly Resource[] = [
  { ownerId: '7' },
  { ownerId: '8' },
  { ownerId: null },
  { ownerId: '' },
  { ownerId: '07' },
  { ownerId: '7', locked: true },
  { ownerId: '7', locked: false },
  { ownerId: '8', locked: true },
  { ownerId: '8', locked: false },
  { ownerId: null, locked: false },
  ...['7', '8', null].flatMap((ownerId) =>
    [true, false].flatMap((locked) =>
      [true, false].map((privileged) => ({ ownerId, locked, privileged })),
    ),
  ),
]
const atoms: readonly Rule[] = [
  anyone,
  authenticated,
  owner,
  unlocked,
  unprivileged,
  ...roleSets.map((set) => role(...set)),
  role(own),
  scope('read'),
  scope('read', 'write'),
  client('introspect'),
]

/** Decides a rule with a given resource, so that the answer is never undefined. */
function holds(rule: Rule, caller: Principal | null, resource: Resource): boolean {
  switch (rule.kind) {
    case 'anyone':
      return true
    case 'authenticated':
      return caller !== null
    case 'role':
      return caller !== null && rule.roles.filter((name) => caller.roles.has(name)).length > 0
    case 'scope':
      if (caller === null || (caller.client !== undefined && !caller.scopes)) return false
      return !caller.scopes || new Set(rule.scopes).difference(caller.scopes).size === 0
    case 'client':
      return caller?.credential.scheme === 'client' && (caller.scopes?.has(rule.may) ?? false)
    case 'owner':
      return caller !== null && caller.subject === resource.ownerId
    case 'unlocked':
      return caller !== null && resource.locked === false
    case 'unprivileged':
      return resource.privileged === false
    case 'any':
      return rule.rules.map((part) => holds(part, caller, resource)).includes(true)
    case 'all':
      return !rule.rules.map((part) => holds(part, caller, resource)).includes(false)
  }
}

function assertDecides(rule: Rule) {
  for (const caller of principals) {
    const answers = resources.map((resource) => holds(rule, caller, resource))
    for (const [index, resource] of resources.entries()) {
      assert.equal(decide(rule, caller, resource), answers[index], JSON.stringify(rule))
    }
    const unknown = answers.includes(true) && answers.includes(false)
    assert.equal(decide(rule, caller), unknown ? undefined : answers[0], JSON.stringify(rule))
  }
}

suite('decide', () => {
  test('every rule of up to two parts, every set of roles, every resource and none', () => {
    for (const rule of atoms) assertDecides(rule)
    for (const left of atoms) {
      assertDecides(any(left))
      assertDecides(all(left))
      for (const right of atoms) {
        assertDecides(any(left, right))
        assertDecides(all(left, right))
      }
    }
  })

  test('rules nested in each other mean what they say, and are undecided only when they depend', () => {
    const { rule } = fc.letrec<{ rule: Rule; parts: Rule[] }>((tie) => ({
      rule: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(...atoms),
        tie('parts').map((parts) => any(...parts)),
        tie('parts').map((parts) => all(...parts)),
      ),
      parts: fc.array(tie('rule'), { maxLength: 4 }),
    }))
    fc.assert(fc.property(rule, assertDecides), { numRuns: 500 })
  })

  test('no part makes "any" false and "all" true', () => {
    assert.equal(decide(any(), principal([...contractRoles])), false)
    assert.equal(decide(all(), null), true)
    assert.equal(decide(role(), principal([...contractRoles])), false)
  })

  test('an absent caller satisfies "anyone" alone, for any owner of the resource', () => {
    for (const rule of atoms.filter(({ kind }) => kind !== 'unprivileged')) {
      for (const resource of [undefined, ...resources]) {
        assert.equal(decide(rule, null, resource), rule.kind === 'anyone')
      }
    }
  })

  test('an absent caller may with a user who is no administrator, where the rule says so', () => {
    assert.equal(decide(unprivileged, null), undefined)
    for (const resource of resources) {
      assert.equal(decide(unprivileged, null, resource), resource.privileged === false)
      assert.equal(decide(all(authenticated, unprivileged), null, resource), false)
    }
  })

  test('no caller owns a resource without an owner, and an owner is compared exactly', () => {
    const caller = (subject: string) => ({ ...principal([]), subject })
    assert.equal(decide(owner, caller('null'), { ownerId: null }), false)
    assert.equal(decide(owner, caller('07'), { ownerId: '7' }), false)
    assert.equal(decide(owner, caller('7 '), { ownerId: '7' }), false)
    assert.equal(decide(owner, caller(''), { ownerId: null }), false)
  })

  test('T79: a locked post is updated by its author alone, an unlocked one by an ADMIN too', () => {
    const may = (roles: readonly Role[], resource: Resource) =>
      decide(postsRules.update, principal(roles), resource)
    for (const roles of roleSets) {
      const isAdmin = roles.includes('ADMIN')
      assert.equal(may(roles, { ownerId: '7', locked: true }), true)
      assert.equal(may(roles, { ownerId: '7', locked: false }), true)
      assert.equal(may(roles, { ownerId: '8', locked: true }), false)
      assert.equal(may(roles, { ownerId: '8', locked: false }), isAdmin)
      assert.equal(may(roles, { ownerId: null, locked: true }), false)
      assert.equal(may(roles, { ownerId: null }), false)
    }
  })

  suite('scope(...): every kind of principal', () => {
    const kinds: [name: string, Principal | null, reads: boolean, writes: boolean][] = [
      ['an absent caller', null, false, false],
      ['a person by Basic', principal(['USER']), true, true],
      ['a person by a session', { ...principal([]), credential: session }, true, true],
      ['a person by an access token of ours', bearer(principal(['USER'])), true, true],
      ['a client without a word of scopes', bearer(limited[0]), false, false],
      ['a client without scopes', bearer(limited[1]), false, false],
      ['a client with one of them', bearer(limited[2]), true, false],
      ['a key with both, of no client', { ...principal([]), scopes: both }, true, true],
      [
        'a client for an ADMIN, with others',
        { ...bearer(limited[1]), scopes: others },
        false,
        false,
      ],
      [
        "a provider's token without a client",
        { ...principal([]), scopes: new Set() },
        false,
        false,
      ],
    ]
    for (const [name, caller, reads, writes] of kinds) {
      test(`${name}: ${reads ? 'reads' : 'does not read'}, ${writes ? 'writes' : 'does not write'}`, () => {
        assert.equal(decide(scope('read'), caller), reads)
        assert.equal(decide(scope('read', 'write'), caller), writes)
        assert.equal(decide(any(scope('write'), scope('read')), caller), reads)
      })
    }

    test('a scope is compared whole and exactly', () => {
      const caller = {
        ...principal([]),
        client: 'app',
        scopes: new Set(['read write', 'READ', 're']),
      }
      assert.equal(decide(scope('read'), caller), false)
    })

    test('it needs no resource, is one line, and is made of scopes alone (RFC 6749 3.3)', () => {
      assert.equal(needsResource(all(scope('read'), authenticated)), false)
      assert.equal(
        describeRule(all(role('ADMIN'), scope('read', 'write'))),
        'ADMIN and scope read write',
      )
      for (const text of ['', ' ', 'a b', 'a"', 'a\\', 'ä', 'a\r\nSet-Cookie: a']) {
        assert.throws(() => scope(text), /is no scope/)
      }
    })

    test('what a caller lacks is told where a scope is all that it lacks', () => {
      const [, none = null, one = null] = limited
      const guarded = all(role('ADMIN'), scope('read', 'write'))
      assert.deepEqual(lackedScopes(guarded, none), ['read', 'write'])
      assert.equal(lackedScopes(guarded, one), null, 'not an ADMIN')
      assert.equal(lackedScopes(guarded, principal(['ADMIN'])), null, 'allowed')
      assert.equal(lackedScopes(role('EDITOR'), none), null, 'no scope is asked for')
      assert.equal(lackedScopes(guarded, null), null)
      const mine = all(owner, scope('write'))
      assert.deepEqual(lackedScopes(mine, one, { ownerId: '7' }), ['write'])
      assert.equal(lackedScopes(mine, one, { ownerId: '8' }), null, 'not the owner')
      assert.deepEqual(lackedScopes(mine, one), ['write'])
    })
  })
})
