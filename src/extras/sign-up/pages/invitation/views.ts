import type { StepForm } from '../../../../core/http/pages/views/step-form.ts'
import type { ProfileFieldsView } from '../views.ts'

export interface InvitationViews {
  invitation: InvitationView
  'invitation-dead-link': InvitationDeadLinkView
}

export interface InvitationView extends StepForm, ProfileFieldsView {
  /** Built-in or configured roles. */
  readonly roles: readonly string[]
}

/** The link is invalid or missing. */
export interface InvitationDeadLinkView {
  readonly message: string
  readonly requestId: string
}

declare module '../../../../core/http/pages/views.ts' {
  interface Views extends InvitationViews {}
}
