import type { FastifyRequest } from 'fastify'
import type { Account } from '../authentication/account.ts'
import { goneMeanwhile } from '../http/changes/resource.ts'
import { stillAllowed } from '../http/changes/still-allowed.ts'
import { refuseField } from '../kernel/errors.ts'
import { canonicalUsername } from '../kernel/username.ts'
import type { Users } from '../users/users.ts'

/**
 * Removes the account of the caller and its user, and erases what names the person.
 * @throws ApiError validationFailed unless `username` names this account, lastAdministrator
 */
export async function removeOwn(
  users: Pick<Users, 'remove'>,
  request: FastifyRequest,
  { account, username }: { readonly account: Account; readonly username: string },
): Promise<void> {
  if (canonicalUsername(username) !== account.username) {
    refuseField(['username'], 'must be the username of the account')
  }
  const guard = stillAllowed(request)
  const removed = await users.remove(account.userId, { guard })
  if (!removed) throw goneMeanwhile('accountNotFound')
}
