import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { type Principal, type Role, roleNames } from '../kernel/principal.ts'
import { decide, type Resource } from './decide.ts'
import {
  all,
  any,
  anyone,
  authenticated,
  owner,
  postsRules,
  type Rule,
  role,
  unlocked,
  unprivileged,
} from './rules.ts'

const roleSets = [...Array(8).keys()].map((bits) =>
  roleNames.filter((_, index) => bits & (1 << index)),
)
const principal = (roles: readonly Role[]): Principal => ({
  subject: '7',
  username: 'ann',
  roles: new Set(roles),
  credential: { scheme: 'basic' },
  authenticatedAt: 0,
})
const principals: readonly (Principal | null)[] = [null, ...roleSets.map(principal)]
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
]

/** What a rule means, told without the third value: with the resource at hand. */
function holds(rule: Rule, caller: Principal | null, resource: Resource): boolean {
  switch (rule.kind) {
    case 'anyone':
      return true
    case 'authenticated':
      return caller !== null
    case 'role':
      return caller !== null && rule.roles.filter((name) => caller.roles.has(name)).length > 0
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
    assert.equal(decide(any(), principal([...roleNames])), false)
    assert.equal(decide(all(), null), true)
    assert.equal(decide(role(), principal([...roleNames])), false)
  })

  test('an absent caller satisfies "anyone" alone, whoever owns the resource', () => {
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

  test('nobody owns what has no owner, and an owner is compared exactly', () => {
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
})
