import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { ProvenAccount } from '../authentication/completion.ts'
import type { Evidence } from '../authentication/evidence.ts'
import { pairResult, type TokenResultDeps, tokenResult } from './results.ts'

test('a login records the id of its token, and signs the token after the commit', async () => {
  const steps: unknown[] = []
  const deps = {
    config: loadConfig({ TOKEN_SECONDS: '3600', ACCESS_TOKEN_SECONDS: '900' }),
    tokens: {
      newJti: () => 'j',
      issueAccess: async (...given: unknown[]) => void steps.push(['single', ...given]),
      issuePair: async (...given: unknown[]) => void steps.push(['pair', ...given]),
    },
    events: {
      async emitInTransaction(on: unknown, type: { name: string }, payload: object, more: object) {
        steps.push([on, type.name, payload, more])
      },
    },
  } as unknown as TokenResultDeps
  const trx = {} as DatabaseOrTransaction
  const account = { userId: 7, username: 'ann' }
  const evidence = { account, amr: ['pwd', 'otp', 'mfa'], authTime: 5000 } as unknown as Evidence
  const login = { username: 'ann', factors: ['pwd', 'otp', 'mfa'], jti: 'j' }
  const recorded = [trx, 'authn_token_created', { user_id: 7, grant: 'login' }, { login }]
  const options = { amr: ['pwd', 'otp', 'mfa'], authTime: 5000, jti: 'j' }
  for (const [result, kind, seconds] of [
    [tokenResult(deps), 'single', 3600],
    [pairResult(deps), 'pair', 900],
  ] as const) {
    steps.length = 0
    const jti = await result.issue(trx, evidence as unknown as ProvenAccount)
    assert.deepEqual([jti, steps], ['j', [recorded]])
    await result.respond(jti, evidence)
    assert.deepEqual(steps[1], [kind, account, { seconds, ...options }])
  }
})
