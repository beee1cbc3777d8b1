import type { FastifyRequest } from 'fastify'
import type { Account } from '../authentication/account.ts'
import { stillAllowed } from '../http/changes/still-allowed.ts'
import { refuseField } from '../kernel/errors.ts'
import { canonicalUsername } from '../kernel/username.ts'
import type { AccountDeletion } from './deletion.ts'

/**
 * Deletes the account of the caller: see `AccountDeletion.request`, whose answer it is.
 * @throws ApiError validationFailed unless `username` names this account; as `request`
 */
export async function removeOwn(
  deletion: Pick<AccountDeletion, 'request'>,
  request: FastifyRequest,
  { account, username }: { readonly account: Account; readonly username: string },
): Promise<number | null> {
  if (canonicalUsername(username) !== account.username) {
    refuseField(['username'], 'must be the username of the account')
  }
  return deletion.request(account, stillAllowed(request))
}
