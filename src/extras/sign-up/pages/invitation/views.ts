import type { StepForm } from '../../../../core/http/pages/views/step-form.ts'
import type { ProfileFieldsView } from '../views.ts'

/** The pages on which a person accepts an invitation. */
export interface InvitationViews {
  invitation: InvitationView
  'invitation-dead-link': InvitationDeadLinkView
}

/** Names the address and the roles, and asks for username, name and password. */
export interface InvitationView extends StepForm, ProfileFieldsView {
  /** `USER`, `EDITOR`, `ADMIN`, or roles of the operator. */
  readonly roles: readonly string[]
}

/** The link counts no more, or none was opened. */
export interface InvitationDeadLinkView {
  readonly message: string
  readonly requestId: string
}

declare module '../../../../core/http/pages/views.ts' {
  interface Views extends InvitationViews {}
}
