import type { FastifyRequest } from 'fastify'
import { refuseField } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Account } from '../authentication/account.ts'
import type { ProofsInput } from '../authentication/proofs.ts'
import { assertOtherPassword } from '../passwords/rules.ts'
import { ownSession } from './look-up.ts'

export interface OwnPasswordChange {
  readonly account: Account
  readonly sent: ProofsInput
  readonly wanted: string
}

/**
 * Ends all other sessions and all tokens. @throws ApiError as `prove` of `Proofs`, validationFailed
 * (`new_password`)
 */
export async function changeOwnPassword(
  { accounts, passwords, proofs }: Pick<Needs, 'accounts' | 'passwords' | 'proofs'>,
  request: FastifyRequest,
  { account: own, sent, wanted }: OwnPasswordChange,
): Promise<void> {
  await proofs.proveAround(
    request,
    { account: own, change: 'password', sent },
    async ({ account, guard, factor, succeed }) => {
      const { userId, passwordHash } = account
      // Pages send an empty password after the confirmation page.
      if (typeof sent.currentPassword === 'string' && sent.currentPassword !== '') {
        assertOtherPassword(wanted, sent.currentPassword, 'new_password')
      } else if ((await passwords.verify(wanted, passwordHash)).matches) {
        refuseField(['new_password'], {
          en: 'must differ from the present one',
          de: 'muss sich vom jetzigen unterscheiden',
        })
      }
      await accounts.replacePassword(account, {
        text: wanted,
        field: 'new_password',
        keepSession: ownSession(request, userId),
        guard,
        prove: factor,
        also: succeed,
      })
    },
  )
}
