import type { StepForm } from '../../../core/http/pages/views/step-form.ts'

/** The pages on which a person confirms an address, or takes its change back. */
export interface VerifyViews {
  verify: VerifyView
  'verify-done': VerifyDoneView
  'verify-taken': VerifyTakenView
  'verify-no-link': VerifyNoLinkView
}

/** Names the address and the account, and asks for a press of the button. */
export interface VerifyView extends StepForm {
  readonly what: 'verification' | 'email_change' | 'email_undo'
  readonly address: string
  readonly username: string
}

export interface VerifyDoneView {
  readonly what: 'verified' | 'changed' | 'restored'
  readonly address: string
}

/** Another account has verified the address meanwhile. */
export interface VerifyTakenView {
  readonly address: string
}

/** The page without a link, or with one that counts no more. */
export interface VerifyNoLinkView {
  readonly isInvalid: boolean
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends VerifyViews {}
}
