import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import type { AccountDetail } from '../../modules/accounts/account-detail.ts'
import { ann } from '../../modules/users/schemas.ts'
import type { Emails } from './emails.ts'
import { AccountEmailBody, showToAdministrator } from './schemas.ts'

export function emailDetail({ emails }: { readonly emails: Pick<Emails, 'of'> }): AccountDetail {
  return {
    name: 'email',
    schema: AccountEmailBody,
    example: {
      email: ann.email,
      verified_at: '2026-03-02T09:00:00.000Z',
      pending: null,
      undeliverable_at: null,
      undeliverable_reason: null,
    },
    async read({ userId }) {
      const own = await emails.of(userId)
      if (!own) throw goneMeanwhile('accountNotFound')
      return showToAdministrator(own)
    },
  }
}
