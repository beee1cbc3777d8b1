import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiError } from '../../core/errors.ts'
import type { Attempt } from '../throttle/attempt.ts'
import type { Account } from './account.ts'
import { type Authentication, authenticate } from './attempt.ts'
import { loginFail } from './events.ts'
import type { Evidence } from './evidence.ts'

const evidence: Evidence = {
  account: { userId: 7 } as unknown as Account, // what it reads
  amr: ['pwd'],
  authTime: 5,
}

suite('an authentication', () => {
  /** Runs it; returns its steps in order. */
  async function stepsOf(
    failing: string | null,
    more: Partial<Authentication> = {},
    own: Partial<Authentication['method']> = {},
  ) {
    const steps: unknown[] = []
    const step = (...what: unknown[]) => {
      steps.push(what)
      if (what[0] === failing) throw new ApiError('accessDenied', { reason: { code: 'x-test' } })
    }
    const attempt = {
      onFailure: (failure: object) => step('onFailure', failure),
    } as unknown as Attempt // what it calls
    const method: Authentication['method'] = {
      prepare: async () => step('prepare'),
      async prove(given) {
        step('prove', given === attempt)
        return evidence
      },
      accepted: async (given) => step('accepted', given === evidence),
      ...own,
    }
    const result = authenticate(
      {
        limits: {
          attempt(login, work) {
            step('attempt', login)
            return work(attempt)
          },
        },
        requirements: { refuse: (stage, facts) => step('refuse', stage, facts === evidence) },
      },
      { login: 'ann' as never, method, ...more },
      async (given, at) => {
        step('work', given === evidence, at === attempt)
        return 'done'
      },
    )
    if (failing === null) assert.equal(await result, 'done')
    else await assert.rejects(result, { row: 'accessDenied' })
    return steps
  }

  const all = [
    ['prepare'],
    ['attempt', 'ann'],
    ['onFailure', { event: loginFail }],
    ['prove', true],
    ['onFailure', { userId: 7 }],
    ['refuse', 'login', true],
    ['accepted', true],
    ['work', true, true],
  ]

  test('prepares, counts, proves, refuses, accepts and works, in this order', async () => {
    assert.deepEqual(await stepsOf(null), all)
  })

  for (const failing of ['prepare', 'attempt', 'prove', 'refuse', 'accepted']) {
    test(`ends where it fails to ${failing}`, async () => {
      const end = all.findIndex(([name]) => name === failing)
      assert.deepEqual(await stepsOf(failing), all.slice(0, end + 1))
    })
  }

  test('has a stage and a failure of its own, and a method may have no slow work', async () => {
    const own = { prepare: undefined, accepted: undefined } as never
    const steps = await stepsOf(null, { stage: 'passkey', failure: null }, own)
    assert.deepEqual(steps, [
      ['attempt', 'ann'],
      ['onFailure', { event: null }],
      ...all.slice(3, 5),
      ['refuse', 'passkey', true],
      ['work', true, true],
    ])
  })
})
