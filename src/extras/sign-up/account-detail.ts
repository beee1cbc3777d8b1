import type { Needs } from '../../core/module/services.ts'
import type { AccountDetail } from '../../modules/accounts/account-detail.ts'
import { invitationView } from './admin-routes.ts'
import { invitationSchemas } from './schemas.ts'

export type InvitationDetailDeps = Pick<Needs, 'clock' | 'config' | 'invitations'>

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
