import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { ApiError } from '../../core/errors.ts'
import type { Attempt } from '../throttle/attempt.ts'
import type { Account } from './account.ts'
import { type CompletionDeps, type commitStages, createCompletion } from './completion.ts'
import { loginSuccess, loginSuccessAfterFail } from './events.ts'
import type { Evidence } from './evidence.ts'
import type { Passed } from './requirements.ts'

const account = (more: object = {}) =>
  ({ userId: 1, username: 'ann', failedLogins: 0, roles: ['USER'], ...more }) as unknown as Account
const before = account({ version: 'before' })
const passed = (more: object = {}) =>
  ({ account: before, amr: ['pwd'], authTime: 5, stage: 'login', ...more }) as unknown as Passed<
    keyof typeof commitStages
  >

suite('the completion of a login', async () => {
  const db = await databaseWithAccounts(1)

  async function complete(
    given: Passed<keyof typeof commitStages>,
    {
      found = account(),
      unmet = null,
      refuses = false,
      hasAttempt = true,
      browser = 'firefox',
    }: {
      found?: Account | null
      unmet?: string | null
      refuses?: boolean
      hasAttempt?: boolean
      browser?: string | null
    } = {},
  ) {
    const steps: unknown[][] = []
    const present = found && { account: found, sessions: 3 }
    const databases: Record<string, number> = { db: 0, asyncCommitDb: 0 }
    const counted = (name: string) =>
      new Proxy(db, {
        get(target, key) {
          if (key === 'transaction' || key === 'getExecutor') databases[name] = 1
          const value = Reflect.get(target, key)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    const deps: CompletionDeps = {
      db: counted('db'),
      asyncCommitDb: counted('asyncCommitDb'),
      events: {
        emitInTransaction: async (_trx, type, payload, forAudit) =>
          void steps.push([type.name, payload, forAudit]),
      },
      requirements: {
        refuse(stage, facts) {
          steps.push(['refuse', stage, facts])
          if (refuses) throw new ApiError('accessDenied', { reason: { code: 'x-test' } })
        },
        unmet(stage, facts) {
          steps.push(['unmet', stage, facts])
          return unmet === null ? null : ({ requirement: unmet } as never)
        },
      },
      async present(_trx, userId) {
        steps.push(['present', userId])
        return present
      },
      async presentAtLogin(_trx, userId, byPassword) {
        steps.push(['presentAtLogin', userId, byPassword])
        return present
      },
      signedIn: async (trx, of, from) => void steps.push(['signedIn', trx.isTransaction, of, from]),
    }
    const attempt = {
      succeed: async (_trx: unknown, of: Account) => void steps.push(['succeed', of]),
    } as unknown as Attempt // what it calls
    const result = createCompletion(deps).complete(given, hasAttempt ? attempt : null, {
      async issue(trx, proven) {
        steps.push(['issue', trx.isTransaction, proven])
        return 'issued'
      },
      respond(issued, evidence: Evidence) {
        steps.push(['respond', issued, evidence])
        return 'answer'
      },
      ...(browser !== null && { browser }),
    })
    return { result, steps, databases }
  }
  const names = (steps: unknown[][]) => steps.map(([name]) => name)

  test('judges again, issues, records and settles in one transaction, and then responds', async () => {
    const { result, steps, databases } = await complete(passed())
    assert.equal(await result, 'answer')
    const now = account()
    assert.deepEqual(steps, [
      ['presentAtLogin', 1, true],
      ['refuse', 'commit', { account: now, amr: ['pwd'], since: { now, before } }],
      ['unmet', 'login', { account: now, amr: ['pwd'], isRemembered: false }],
      [
        ...['issue', true],
        { account: now, sessions: 3, amr: ['pwd'], authTime: 5, isRemembered: false },
      ],
      [loginSuccess.name, { user_id: 1 }, { login: { username: 'ann', factors: ['pwd'] } }],
      ['signedIn', true, now, 'firefox'],
      ['succeed', now],
      ['respond', 'issued', { account: now, amr: ['pwd'], authTime: 5 }],
    ])
    assert.deepEqual(databases, { db: 1, asyncCommitDb: 0 })
  })

  test('keeps that the device is remembered, and that no password was used', async () => {
    const { result, steps } = await complete(passed({ amr: ['fed'], isRemembered: true }), {
      browser: null,
    })
    await result
    assert.deepEqual(steps[0], ['presentAtLogin', 1, false])
    assert.deepEqual(steps[2]?.[2], { account: account(), amr: ['fed'], isRemembered: true })
    assert.partialDeepStrictEqual(steps[3]?.[2], { isRemembered: true })
    assert.equal(steps[5]?.[3], undefined)
  })

  for (const [failedLogins, hasAttempt, event, payload] of [
    [2, true, loginSuccessAfterFail.name, { user_id: 1, failures: 2 }],
    [1, true, loginSuccessAfterFail.name, { user_id: 1, failures: 1 }],
    [0, true, loginSuccess.name, { user_id: 1 }],
    [2, false, loginSuccess.name, { user_id: 1 }],
  ] as const) {
    test(`${failedLogins} failures, attempt ${hasAttempt}: ${event}`, async () => {
      const found = account({ failedLogins })
      const { result, steps } = await complete(passed(), { found, hasAttempt })
      await result
      const login = { username: 'ann', factors: ['pwd'] }
      assert.deepEqual(steps[4], [event, payload, { login }])
      assert.equal(names(steps).includes('succeed'), hasAttempt)
    })
  }

  test('of Basic records no login, and does not wait for the disk', async () => {
    const { result, steps, databases } = await complete(passed({ stage: 'basic' }))
    assert.equal(await result, 'answer')
    const all = ['present', 'refuse', 'unmet', 'issue', 'succeed', 'respond']
    assert.deepEqual(names(steps), all)
    assert.deepEqual(databases, { db: 0, asyncCommitDb: 1 })
  })

  for (const [stage, commit] of Object.entries({
    ...{ login: 'commit', basic: 'commit', provider: 'providerCommit' },
    ...{ providerPage: 'providerCommit', passkey: 'passkeyCommit' },
  })) {
    test(`of ${stage} meets ${commit}`, async () => {
      const { result, steps } = await complete(passed({ stage }))
      await result
      assert.deepEqual([steps[1]?.[1], steps[2]?.[1]], [commit, stage])
    })
  }

  test('is refused without the account, by a requirement, and by one that was added', async () => {
    const gone = await complete(passed(), { found: null })
    await assert.rejects(gone.result, {
      ...{ row: 'invalidCredentials' },
      reason: { code: 'account_gone', facts: { user_id: 1 } },
    })
    assert.deepEqual(names(gone.steps), ['presentAtLogin'])
    const refused = await complete(passed(), { refuses: true })
    await assert.rejects(refused.result, { row: 'accessDenied' })
    assert.deepEqual(names(refused.steps), ['presentAtLogin', 'refuse'])
    const added = await complete(passed(), { unmet: 'enrolment' })
    await assert.rejects(added.result, {
      ...{ row: 'invalidCredentials' },
      reason: { code: 'requirement_added', facts: { user_id: 1, requirement: 'enrolment' } },
    })
    assert.deepEqual(names(added.steps), ['presentAtLogin', 'refuse', 'unmet'])
  })
})
