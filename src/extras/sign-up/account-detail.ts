import type { Config } from '../../core/config/load.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { AccountDetail } from '../../modules/accounts/account-detail.ts'
import { invitationView } from './admin-routes.ts'
import type { Invitations } from './invitations.ts'
import { invitationSchemas } from './schemas.ts'

export interface InvitationDetailDeps {
  readonly clock: Clock
  readonly config: Pick<Config, 'roles'>
  readonly invitations: Pick<Invitations, 'ofUser' | 'rolesOf'>
}

/** The invitation of which an account was made. */
export function invitationDetail(deps: InvitationDetailDeps): AccountDetail {
  const { clock, config, invitations } = deps
  const show = invitationView(invitations, clock)
  return {
    name: 'invitations',
    schema: {
      type: 'array',
      items: invitationSchemas(config.roles).InvitationBody,
      description: 'The invitation that it was made of',
    },
    example: [],
    read: async ({ userId }) => (await invitations.ofUser(userId)).map(show),
  }
}
