import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { type ExportSection, list } from '../../core/module/export-section.ts'
import { type InvitationStoreDeps, invitationStores } from './invitation-store.ts'

/** The invitation of the account. */
export function sectionsOf(deps: InvitationStoreDeps): readonly ExportSection[] {
  return [
    list({ name: 'invitations', tables: ['invitations'] }, async (db, userId) =>
      (await invitationStores(deps).of(db).ofUser(userId)).map((one) => ({
        email: one.email.address,
        name: one.name,
        roles: one.roles,
        created_at: isoTime(one.createdAt),
        expires_at: isoTime(one.expiresAt),
        accepted_at: isoTimeOrNull(one.acceptedAt),
      })),
    ),
  ]
}
