import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { type ResourceLoader, resource } from '../../core/http/changes/resource.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import { userIdOf } from '../../core/policy/principal.ts'
import type { Account } from '../authentication/account.ts'
import type { Accounts } from './accounts.ts'

/** By username in any spelling; `show` gives the ETag body. */
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

/** @throws ApiError accountNotFound */
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
 * /api/account requires a proof; a stolen administrator session must not bypass the proof. @throws
 * ApiError accessDenied
 */
export function assertNotOwn(request: FastifyRequest, { userId }: Pick<Account, 'userId'>): void {
  if (callerOf(request).subject !== String(userId)) return
  const reason = { code: 'own_account_here', facts: { user_id: userId } } as const
  throw new ApiError('accessDenied', { reason })
}

/** The session to keep when callers change their own account. */
export function ownSession(request: FastifyRequest, userId: number): string | undefined {
  const { subject, credential } = callerOf(request)
  if (subject !== String(userId) || credential.scheme !== 'session') return undefined
  return credential.sessionId
}

/** For any account, and for the role USER. */
export const ownAccountPrefixes = ['/api/account', '/api/user/account'] as const

/** Operation ids are unique per prefix. */
export function ownOperationId(id: string, prefix: string): string {
  return prefix === '/api/user/account' ? `${id}AsUser` : id
}
