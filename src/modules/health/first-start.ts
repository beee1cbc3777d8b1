import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import type { Accounts } from '../accounts/accounts.ts'

const retrySeconds = 1

/**
 * Answers 503 to everything but probes until there is an account. The port is open a moment before the
 * first administrator is made, and a login in between was a wrong password, which counts as a guess.
 * Not for a database with accounts: a hook costs each request. Answers what the process that made the
 * account calls, so that no request asks for it; other processes read it once.
 */
export function waitForFirstAccount(
  app: FastifyInstance,
  { accounts }: { readonly accounts: Pick<Accounts, 'after'> },
): () => void {
  let isThere = false
  app.addHook('onRequest', async ({ url }) => {
    if (isThere || url.startsWith('/health/')) return
    isThere = (await accounts.after(0, 1)).length > 0
    if (isThere) return
    const reason = { code: 'not_ready', facts: { cause: 'first_start' } } as const
    throw new ApiError('serviceUnavailable', { retryAfterSeconds: retrySeconds, reason })
  })
  return () => {
    isThere = true
  }
}
