import type { InvitationViews } from '../../src/http/pages/views/invitation.ts'
import type { PagesOf } from './page.ts'

export const invitationPages: PagesOf<InvitationViews> = {}
