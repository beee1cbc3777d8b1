import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { type ResourceLoader, resource } from '../../core/http/changes/resource.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import { userIdOf } from '../../core/policy/principal.ts'
import type { Account } from '../authentication/account.ts'
import type { Accounts } from './accounts.ts'

/**
 * Loads the account of a path by its username, in any spelling; `show` gives the body of its ETag.
 */
export function accountNamed(
  accounts: Pick<Accounts, 'byUsername'>,
  show?: (account: Account) => object,
): ResourceLoader<Account> {
  return resource({
    param: 'username',
    missing: 'accountNotFound',
    async load(text) {
      const username = canonicalUsername(text)
      return username && accounts.byUsername(username)
    },
    ...(show && { show }),
  })
}

/** The caller's own account. @throws ApiError accountNotFound if the caller has none */
export async function ownAccount(
  accounts: Pick<Accounts, 'byUserId'>,
  request: FastifyRequest,
): Promise<Account> {
  const userId = userIdOf(callerOf(request))
  const account = userId === null ? null : await accounts.byUserId(userId)
  if (!account) throw new ApiError('accountNotFound', { reason: { code: 'no_own_account' } })
  return account
}

/**
 * Refuses the caller's own account. Its owner uses /api/account, which asks for a proof: a stolen
 * session of an administrator must not avoid it. @throws ApiError accessDenied
 */
export function assertNotOwn(request: FastifyRequest, { userId }: Pick<Account, 'userId'>): void {
  if (callerOf(request).subject !== String(userId)) return
  const reason = { code: 'own_account_here', facts: { user_id: userId } } as const
  throw new ApiError('accessDenied', { reason })
}

/**
 * The id of the caller's session, which does not end, if the caller changes its own account by one.
 */
export function ownSession(request: FastifyRequest, userId: number): string | undefined {
  const { subject, credential } = callerOf(request)
  if (subject !== String(userId) || credential.scheme !== 'session') return undefined
  return credential.sessionId
}
