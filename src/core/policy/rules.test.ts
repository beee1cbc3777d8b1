import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  all,
  any,
  anyone,
  asksClient,
  asksPrivilege,
  authenticated,
  canDeny,
  client,
  describeRule,
  needsResource,
  owner,
  type Rule,
  role,
  scope,
  scopesOf,
  unlocked,
  unprivileged,
} from './rules.ts'

interface Row {
  readonly text: string
  /** Absent: false. */
  readonly needsResource?: true
  readonly canDeny?: true
  readonly asksPrivilege?: true
  readonly asksClient?: true
  readonly scopes?: readonly string[]
}

const admin = role('ADMIN')
const reads = scope('read')

const rules: readonly (readonly [Rule, Row])[] = [
  [anyone, { text: 'anyone' }],
  [authenticated, { text: 'authenticated' }],
  [owner, { text: 'owner', needsResource: true, canDeny: true }],
  [unlocked, { text: 'unlocked', needsResource: true, canDeny: true }],
  [unprivileged, { text: 'unprivileged', needsResource: true, canDeny: true, asksPrivilege: true }],
  [role('EDITOR', 'ADMIN'), { text: 'EDITOR or ADMIN', canDeny: true }],
  [
    scope('read', 'write', 'read'),
    { text: 'scope read write read', canDeny: true, scopes: ['read', 'write'] },
  ],
  [client('revoke'), { text: 'client that may revoke', canDeny: true, asksClient: true }],
  [any(), { text: '', canDeny: true }],
  [all(), { text: '' }],
  [any(admin, authenticated), { text: 'ADMIN or authenticated' }],
  [any(anyone, admin), { text: 'anyone or ADMIN' }],
  [any(admin, reads), { text: 'ADMIN or scope read', canDeny: true, scopes: ['read'] }],
  [all(authenticated, anyone), { text: 'authenticated and anyone' }],
  [all(authenticated, admin), { text: 'authenticated and ADMIN', canDeny: true }],
  [any(admin, owner), { text: 'ADMIN or owner', needsResource: true, canDeny: true }],
  [all(unlocked, admin), { text: 'unlocked and ADMIN', needsResource: true, canDeny: true }],
  [
    any(admin, all(owner, unprivileged)),
    {
      text: 'ADMIN or (owner and unprivileged)',
      needsResource: true,
      canDeny: true,
      asksPrivilege: true,
    },
  ],
  [
    all(any(reads, client('metrics')), any(scope('write', 'read'), anyone)),
    {
      text: '(scope read or client that may metrics) and (scope write read or anyone)',
      canDeny: true,
      asksClient: true,
      scopes: ['read', 'write'],
    },
  ],
  [
    all(any(unprivileged, anyone), authenticated),
    {
      text: '(unprivileged or anyone) and authenticated',
      needsResource: true,
      asksPrivilege: true,
    },
  ],
]

suite('what a rule depends on, and how it is printed', () => {
  for (const [rule, row] of rules) {
    test(row.text || `no part of "${rule.kind}"`, () => {
      const found = {
        text: describeRule(rule),
        needsResource: needsResource(rule),
        canDeny: canDeny(rule),
        asksPrivilege: asksPrivilege(rule),
        asksClient: asksClient(rule),
        scopes: scopesOf(rule),
      }
      const none = {
        needsResource: false,
        canDeny: false,
        asksPrivilege: false,
        asksClient: false,
        scopes: [],
      }
      assert.deepEqual(found, { ...none, ...row })
    })
  }

  test('a scope is text of RFC 6749 section 3.3', () => {
    assert.deepEqual(scope('a!#[]~'), { kind: 'scope', scopes: ['a!#[]~'] })
    assert.throws(() => scope('read', 'a b'), { message: '"a b" is no scope' })
  })
})
