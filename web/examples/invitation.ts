import type { InvitationViews } from '../../src/http/pages/views/invitation.ts'
import type { ExamplesOf } from './types.ts'

export const invitationExamples: ExamplesOf<InvitationViews> = {}
