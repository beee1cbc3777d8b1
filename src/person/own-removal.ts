import type { FastifyRequest } from 'fastify'
import type { Account } from '../authentication/account.ts'
import type { Proofs, SentProofs } from '../authentication/proofs.ts'
import { goneMeanwhile } from '../http/changes/resource.ts'
import { refuseField } from '../kernel/errors.ts'
import { canonicalUsername } from '../kernel/username.ts'
import type { Users } from '../users/users.ts'

export interface OwnRemovalDeps {
  readonly proofs: Pick<Proofs, 'prove'>
  readonly users: Pick<Users, 'remove'>
}

export interface OwnRemoval {
  readonly account: Account
  readonly username: string
  readonly sent: SentProofs
}

/**
 * Removes the account of the caller and its user, and erases what names the person.
 * @throws ApiError validationFailed unless `username` names this account; as `prove` of `Proofs`;
 * lastAdministrator
 */
export async function removeOwn(
  { proofs, users }: OwnRemovalDeps,
  request: FastifyRequest,
  { account, username, sent }: OwnRemoval,
): Promise<void> {
  if (canonicalUsername(username) !== account.username) {
    refuseField(['username'], 'must be the username of the account')
  }
  const guard = await proofs.prove(request, { account, change: 'deletion', sent })
  const removed = await users.remove(account.userId, { guard })
  if (!removed) throw goneMeanwhile('accountNotFound')
}
