import type { FastifyRequest } from 'fastify'
import type { Account } from '../authentication/account.ts'
import { callerOf } from '../http/routes/access.ts'
import { type ResourceLoader, resource } from '../http/routes/resource.ts'
import { ApiError } from '../kernel/errors.ts'
import { userIdOf } from '../kernel/principal.ts'
import { canonicalUsername } from '../kernel/username.ts'
import type { Accounts } from './accounts.ts'

/** The account that a path names, in any spelling; `show`: as its ETag has it. */
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

/** The caller's own. @throws ApiError accountNotFound where it is gone, or the caller has none */
export async function ownAccount(
  accounts: Pick<Accounts, 'byUserId'>,
  request: FastifyRequest,
): Promise<Account> {
  const userId = userIdOf(callerOf(request))
  const account = userId === null ? null : await accounts.byUserId(userId)
  if (!account) throw new ApiError('accountNotFound')
  return account
}

/**
 * For what an owner must do with a proof, at /api/account: a session found lying about must not get
 * around it as an administrator's. @throws ApiError accessDenied for the caller's own account
 */
export function assertNotOwn(request: FastifyRequest, { userId }: Pick<Account, 'userId'>): void {
  if (callerOf(request).subject === String(userId)) throw new ApiError('accessDenied')
}

/** The caller's session, where the caller changes its own account: that one goes on. */
export function ownSession(request: FastifyRequest, userId: number): string | undefined {
  const { subject, credential } = callerOf(request)
  if (subject !== String(userId) || credential.scheme !== 'session') return undefined
  return credential.sessionId
}
