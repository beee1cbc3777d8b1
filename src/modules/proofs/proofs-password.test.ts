// A database makes a difference: the password is in a row.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { fixedClock } from '../../../test/clock.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { ApiError } from '../../core/errors.ts'
import type { Account } from '../authentication/account.ts'
import { type Attempt, runAttempt } from '../throttle/attempt.ts'
import { createProofs, type ProofsDeps } from './proofs.ts'

suite('a password and a code that prove a change', async () => {
  const db = await databaseWithAccounts(1)
  await db.insertInto('passwords').values({ account: 1, hash: 'h', must_change: 0 }).execute()
  const account = { userId: 1, username: 'user1', passwordHash: 'h', secondFactor: true } as Account
  const seen: string[] = []
  const reservation = {
    takenAt: 0,
    fail: async () => void seen.push('counted'),
    succeed: async () => void seen.push('settled'),
    cancel: async () => void seen.push('cancelled'),
  }
  const events = { emit: ({ name }: { name: string }) => void seen.push(name) }
  const wrong = new ApiError('invalidCredentials', { reason: { code: 'x-wrong' } })
  const proofs = createProofs({
    ...{ db, clock: fixedClock(), config: {}, passwords: { isOutdated: () => false } },
    verifier: {
      prepare: async () => {},
      verify: async (password: string) => ({ matches: password === 'right' }),
      untilRefusal: async () => void seen.push('waited'),
    },
    accounts: { reread: async (_db: unknown, of: Account) => of },
    factors: {
      isSent: () => true,
      isBothFactors: () => false,
      async prove(_account: Account, { app }: { app?: string }) {
        seen.push('code')
        if (app !== 'right') throw wrong
      },
    },
    grants: { of: async () => null },
    limits: {
      attempt: (_login: unknown, work: (attempt: Attempt) => Promise<unknown>) =>
        runAttempt({ db }, { reservation, events }, work),
    },
    loginAddress: () => '::1',
    requirements: { refuse() {} },
  } as unknown as ProofsDeps) // what it calls
  const principal = { subject: '1', credential: { scheme: 'session', sessionId: 's' } }
  const request = { principal, guard: null } as unknown as FastifyRequest
  const send = (currentPassword: unknown, app: string, change: 'email' | 'password' = 'email') =>
    proofs.prove(request, { account, change, sent: { currentPassword, factor: { app } } })

  async function steps(work: Promise<unknown>, error?: object): Promise<string[]> {
    if (error) await assert.rejects(work, error)
    else await work
    return seen.splice(0)
  }

  test('a wrong password is counted, reported and delayed, and no code is read', async () => {
    const failed = await steps(send('no', 'right'), { row: 'invalidCredentials' })
    assert.deepEqual(failed, ['counted', 'authn_proof_fail', 'waited'])
  })

  test('a wrong password of a new password is reported as such', async () => {
    const failed = await steps(send('no', 'right', 'password'), { row: 'invalidCredentials' })
    assert.deepEqual(failed, ['counted', 'authn_password_change_fail', 'waited'])
  })

  test('what is no text is no password', async () => {
    const refused = { row: 'invalidCredentials', reason: { code: 'credentials_incomplete' } }
    assert.deepEqual(await steps(send(7, 'right'), refused), ['counted', 'authn_proof_fail'])
  })

  test('a wrong code is counted here, and reported by the factors alone, without a delay', async () => {
    assert.deepEqual(await steps(send('right', 'no'), wrong), ['code', 'counted'])
  })

  test('both are settled', async () => {
    assert.deepEqual(await steps(send('right', 'right')), ['code', 'settled'])
  })

  test('what fails after a right code is reported again', async () => {
    const late = proofs.proveAround(
      request,
      { account, change: 'email', sent: { currentPassword: 'right', factor: { app: 'right' } } },
      async ({ factor }) => {
        await factor()
        throw wrong
      },
    )
    assert.deepEqual(await steps(late, wrong), ['code', 'counted', 'authn_proof_fail'])
  })
})
