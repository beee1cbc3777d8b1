import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Username } from '../../core/lib/username.ts'
import type { Account } from './account.ts'
import type { Evidence } from './evidence.ts'
import type { Facts } from './requirement-facts.ts'
import { type Requirement, requirementTable, type Step, stages } from './requirement-table.ts'
import { createRequirements, reasonOfUnmet } from './requirements.ts'

const now = 1_000_000
const clock = { now: () => now, wait: async () => {} }
const lock = { after: 10, seconds: 60 }
const config = { login: { lock }, secondFactor: { requiredOf: ['ADMIN'] } }
type Deps = Parameters<typeof createRequirements>[0]
const deps: Deps = { config: config as unknown as Deps['config'], clock } // what it reads
const requirements = createRequirements(deps)

const account: Account = {
  userId: 1,
  username: 'ann' as Username, // canonical
  passwordHash: 'one',
  roles: ['USER'],
  locked: false,
  active: true,
  deletionAt: null,
  failedLogins: 0,
  lockedUntil: null,
  secondFactor: false,
  mustChange: false,
  accessVersion: 1,
  refreshVersion: 1,
  createdAt: 0,
  email: null,
  language: null,
  isService: false,
}
const before = { refreshVersion: 1, passwordHash: 'one' }
const evidence = (more: Partial<Account> = {}): Evidence => ({
  account: { ...account, ...more },
  amr: ['pwd'],
  authTime: now,
})

/** An account that meets all requirements but one. */
const breaks: Record<Requirement, Facts> = {
  no_deletion: { account: { ...account, deletionAt: now + 1 }, since: { now: account, before } },
  of_person: { account: { ...account, isService: true }, since: { now: account, before } },
  account_usable: { account: { ...account, active: false }, since: { now: account, before } },
  not_locked_out: {
    account: { ...account, lockedUntil: now + 1 },
    since: { now: account, before },
  },
  unchanged: { account, since: { now: { ...before, refreshVersion: 2 }, before } },
  same_password: {
    account,
    since: { now: { refreshVersion: 2, passwordHash: 'two' }, before },
  },
  second_factor: { account: { ...account, secondFactor: true }, since: { now: account, before } },
  password_change: { account: { ...account, mustChange: true }, since: { now: account, before } },
  enrolment: { account: { ...account, roles: ['ADMIN'] }, since: { now: account, before } },
}

suite('requirements', () => {
  for (const [index, stage] of stages.entries()) {
    test(`${stage} asks what its cells say`, () => {
      assert.equal(
        requirements.unmet(stage, { account, since: { now: account, before } }),
        null,
        'an account that meets all of them',
      )
      for (const [name, row] of Object.entries(requirementTable)) {
        const requirement = name as Requirement // its keys
        const { cell = '' } = requirements.unmet(stage, breaks[requirement]) ?? {}
        // A changed version is no password of before either, and the other way round.
        if (requirement === 'same_password' && row[index] === '') continue
        if (requirement === 'unchanged' && stage === 'basicCaller') continue
        assert.equal(cell, row[index], requirement)
      }
    })
  }

  test('refusals come before questions, and each in the order of the rows', () => {
    const all = evidence({
      active: false,
      lockedUntil: now + 1,
      secondFactor: true,
      mustChange: true,
    })
    const named = (stage: (typeof stages)[number], facts: Facts) =>
      requirements.unmet(stage, facts)?.requirement
    assert.equal(named('login', all), 'account_usable')
    assert.equal(
      named('provider', evidence({ secondFactor: true, mustChange: true })),
      'password_change',
    )
    assert.equal(
      named('login', evidence({ secondFactor: true, mustChange: true })),
      'second_factor',
    )
    assert.equal(
      named('login', evidence({ mustChange: true, roles: ['ADMIN'] })),
      'password_change',
    )
  })

  for (const [what, passwordHash, refreshVersion, isSame] of [
    ['a hash that was made anew', 'two', 1, true],
    ['an end of all logins', 'one', 2, true],
    ['a change of the password', 'two', 2, false],
  ] as const) {
    test(`a caller with a password ${isSame ? 'goes on' : 'is refused'} after ${what}`, () => {
      const since = {
        now: { refreshVersion, passwordHash },
        before: { refreshVersion: 1, passwordHash: 'one' },
      }
      const unmet = requirements.unmet('basicCaller', { account, since })
      assert.equal(unmet?.requirement, isSame ? undefined : 'same_password')
    })
  }

  test('a stage that asks whether the account is unchanged refuses where that is not told', () => {
    for (const stage of [
      'ticket',
      'commit',
      'providerCommit',
      'change',
      'return',
      'refresh',
    ] as const) {
      assert.equal(requirements.unmet(stage, { account })?.requirement, 'unchanged')
    }
    assert.equal(requirements.unmet('basicCaller', { account })?.requirement, 'same_password')
    for (const absent of [{}, { passwordHash: null }]) {
      const since = {
        now: { refreshVersion: 2, ...absent },
        before: { refreshVersion: 1, ...absent },
      }
      const unmet = requirements.unmet('basicCaller', { account, since })
      assert.equal(unmet?.requirement, 'same_password', 'two absent hashes are not the same')
    }
  })

  test('the end of the automatic lock is the first moment without it', () => {
    const at = (lockedUntil: number | null) => requirements.lockedOutUntil({ lockedUntil })
    assert.deepEqual([at(null), at(now), at(now + 1)], [null, null, now + 1])
  })

  test('evidence passes, names the step before it, or is refused', () => {
    const pass = (more: Partial<Account>, amr: Evidence['amr'] = ['pwd']) =>
      requirements.pass('login', { ...evidence(more), amr })
    const steps: readonly (readonly [Partial<Account>, Step])[] = [
      [{ secondFactor: true }, 'second_factor'],
      [{ mustChange: true }, 'password_change'],
      [{ roles: ['ADMIN'] }, 'enrolment'],
    ]
    for (const [more, step] of steps) assert.equal(pass(more), step)
    const passed = pass({ secondFactor: true }, ['pwd', 'otp', 'mfa'])
    assert.ok(typeof passed === 'object' && passed.stage === 'login')
    assert.throws(() => pass({ locked: true }), { row: 'invalidCredentials' })
    const completesNothing = () => requirements.pass('external', evidence({ mustChange: true }))
    assert.throws(completesNothing, /external completes nothing/)
  })

  test('no limit of failed logins locks out', () => {
    const withoutLock = { ...config, login: { lock: { after: 0, seconds: 60 } } }
    const { lockedOutUntil } = createRequirements({
      ...deps,
      config: withoutLock as unknown as Deps['config'],
    })
    assert.equal(lockedOutUntil({ lockedUntil: now + 1 }), null)
  })

  test('a remembered device takes the place of the factor, except for roles that must have one', () => {
    const asked = (roles: Account['roles'], isRemembered: boolean) => {
      const facts = { account: { ...account, secondFactor: true, roles }, isRemembered }
      return requirements.unmet('login', facts)?.requirement
    }
    assert.equal(asked(['USER'], true), undefined)
    assert.equal(asked(['USER'], false), 'second_factor')
    assert.equal(asked(['USER', 'ADMIN'], true), 'second_factor')
  })

  test('a refusal names the account, the stage and what is unmet', () => {
    const codes: Record<Requirement, string> = {
      no_deletion: 'account_waits_for_deletion',
      of_person: 'account_of_service',
      account_usable: 'account_disabled',
      not_locked_out: 'account_locked_out',
      unchanged: 'account_changed',
      same_password: 'account_password_changed',
      second_factor: 'account_needs_factor',
      password_change: 'account_must_change_password',
      enrolment: 'account_must_enrol',
    }
    for (const [name, code] of Object.entries(codes)) {
      const requirement = name as Requirement // its keys
      const reason = reasonOfUnmet({ requirement }, 'session', breaks[requirement])
      const until = requirement === 'not_locked_out' ? { until: now + 1 } : {}
      assert.deepEqual(reason, { code, facts: { user_id: 1, asked_of: 'session', ...until } })
    }
    const locked = { account: { ...account, locked: true, userId: undefined } }
    assert.deepEqual(
      reasonOfUnmet({ requirement: 'account_usable' }, 'key', locked as unknown as Facts),
      { code: 'account_locked', facts: { user_id: null, asked_of: 'key' } },
    )
  })

  test('refuse throws the first refusal with its reason, and leaves questions alone', () => {
    const refuse = (more: Partial<Account>) => requirements.refuse('login', evidence(more))
    assert.doesNotThrow(() => refuse({}))
    assert.doesNotThrow(() => refuse({ secondFactor: true }))
    const reason = { code: 'account_disabled', facts: { user_id: 1, asked_of: 'login' } }
    assert.throws(() => refuse({ active: false }), { row: 'invalidCredentials', reason })
  })

  test('the requirement of a module applies where its cells say; a stage of a module asks ours', () => {
    const cells = Object.fromEntries(Object.keys(requirementTable).map((name) => [name, '']))
    const added = {
      stages: { 'x-door': { ...cells, account_usable: 'accessDenied' } },
      requirements: {
        'x-terms': {
          isMet: (facts: Facts) => facts.account.userId !== 1,
          cells: { session: '', login: 'accessDenied', 'x-door': 'unauthenticated' },
          otherwise: 'anonymous',
        },
      },
    } as unknown as NonNullable<Deps['added']>
    const withAdded = createRequirements({ ...deps, added })
    const unmet = (stage: Parameters<typeof withAdded.unmet>[0], more: Partial<Account> = {}) =>
      withAdded.unmet(stage, { account: { ...account, ...more } })
    const terms = 'x-terms'
    assert.deepEqual(unmet('login'), { requirement: terms, cell: 'accessDenied' })
    assert.deepEqual(unmet('external'), { requirement: terms, cell: 'anonymous' })
    assert.deepEqual(unmet('x-door'), { requirement: terms, cell: 'unauthenticated' })
    assert.equal(unmet('session'), null)
    assert.equal(unmet('x-door', { userId: 2 }), null)
    const locked = { locked: true, secondFactor: true }
    assert.deepEqual(unmet('x-door', locked), {
      requirement: 'account_usable',
      cell: 'accessDenied',
    })
    // A refusal comes before the questions of the rows above it.
    assert.equal(unmet('login', { secondFactor: true })?.requirement, terms)
    const facts = { user_id: 1, asked_of: 'login' }
    assert.throws(() => withAdded.refuse('login', evidence()), { reason: { code: terms, facts } })
    assert.throws(() => requirements.unmet('x-door', evidence()), /no module adds the stage x-door/)
  })
})
