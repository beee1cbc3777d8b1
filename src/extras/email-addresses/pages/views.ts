import type { StepForm } from '../../../core/http/pages/views/step-form.ts'
import type { OwnPage } from '../../own-account/pages/views.ts'

export interface VerifyViews {
  'account-email': EmailView
  verify: VerifyView
  'verify-done': VerifyDoneView
  'verify-taken': VerifyTakenView
  'verify-no-link': VerifyNoLinkView
}

export interface VerifyView extends StepForm {
  readonly what: 'verification' | 'email_change' | 'email_undo'
  readonly address: string
  readonly username: string
}

export interface VerifyDoneView {
  readonly what: 'verified' | 'changed' | 'restored'
  readonly address: string
}

/** Another account has verified the address in the meantime. */
export interface VerifyTakenView {
  readonly address: string
}

/** Without a valid link. */
export interface VerifyNoLinkView {
  readonly isInvalid: boolean
}

export interface EmailView extends OwnPage {
  readonly email: string | null
  readonly verifiedAt: number | null
  readonly isUndeliverable: boolean
  readonly pending: { readonly address: string; readonly expiresAt: number } | null
  readonly hasMail: boolean
  readonly typed: string
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends VerifyViews {}
}

declare module '../../own-account/pages/views.ts' {
  interface AccountDones {
    language: true
    email_sent: true
    email_cancelled: true
    email_verified: true
    email_changed: true
  }
  interface AccountProblems {
    email_invalid: true
    email_taken: true
  }
}
