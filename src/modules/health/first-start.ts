import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import type { Accounts } from '../accounts/accounts.ts'

const retrySeconds = 1

/**
 * Answers 503, except to probes, until an account exists: earlier logins would count as wrong
 * guesses. Not used with existing accounts, because a hook costs time. Call the returned function
 * after creating the account.
 */
export function waitForFirstAccount(
  app: FastifyInstance,
  { accounts }: { readonly accounts: Pick<Accounts, 'after'> },
): () => void {
  let isThere = false
  app.addHook('onRequest', ({ url }, _reply, done) => {
    // Synchronous: after a promise, requests of one turn would not share a read of the version.
    if (isThere || url.startsWith('/health/')) return done()
    return assertIsThere()
  })
  return () => {
    isThere = true
  }

  async function assertIsThere(): Promise<void> {
    isThere = (await accounts.after(0, 1)).length > 0
    if (isThere) return
    const reason = { code: 'not_ready', facts: { cause: 'first_start' } } as const
    throw new ApiError('serviceUnavailable', { retryAfterSeconds: retrySeconds, reason })
  }
}
