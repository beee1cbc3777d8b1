import type { FastifyRequest } from 'fastify'
import { refuseField } from '../../core/errors.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { ProofsInput } from '../../modules/authentication/proofs.ts'

export interface OwnRemoval {
  readonly account: Account
  readonly username: string
  readonly sent: ProofsInput
}

/**
 * Deletes the account of the caller: see `AccountDeletion.request`, whose answer it is.
 * @throws ApiError validationFailed unless `username` names this account; as `prove` of `Proofs`; as
 * `request`
 */
export async function removeOwn(
  { accountDeletion, proofs }: Pick<Needs, 'accountDeletion' | 'proofs'>,
  request: FastifyRequest,
  { account, username, sent }: OwnRemoval,
): Promise<number | null> {
  if (canonicalUsername(username) !== account.username) {
    refuseField(['username'], {
      en: 'must be the username of the account',
      de: 'muss der Benutzername des Kontos sein',
    })
  }
  const guard = await proofs.prove(request, { account, change: 'deletion', sent })
  return accountDeletion.request(account, guard)
}
