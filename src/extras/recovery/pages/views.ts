import type { PasswordProblem } from '../../../core/http/pages/views/password-problem.ts'
import type { StepForm } from '../../../core/http/pages/views/step-form.ts'
import type { MailboxView } from '../../mail/mailbox-view.ts'

/** The pages on which a person chooses a new password, having forgotten the old one. */
export interface ResetViews {
  reset: ResetView
  'reset-mailbox': ResetMailboxView
  'reset-factor': ResetFactorView
  'reset-password': ResetPasswordView
  'reset-done': ResetDoneView
  'reset-unavailable': Record<never, never>
}

/** Asks for the username or the mail address. */
export interface ResetView extends StepForm {
  readonly typed: string
  readonly problem: 'missing' | 'form' | 'too_often' | null
  readonly retryAfterSeconds: number | null
  /** Why it begins anew: a link that counts no more, or a flow that has ended. */
  readonly notice: 'link' | 'ended' | null
}

/** Says that a mail is on its way, whatever was typed, and asks for its code. */
export interface ResetMailboxView extends MailboxView {
  readonly typed: string
}

/** What was done before the reset. `restored`: the address before a change is back. */
export type ResetNotice = 'restored'

/** Asks for the second factor, which the reset leaves as it is. */
export interface ResetFactorView extends StepForm {
  readonly username: string
  readonly notice: ResetNotice | null
  readonly problem: 'wrong' | 'missing' | 'throttled' | null
  readonly retryAfterSeconds: number | null
}

/** Asks for the new password, behind the link or the code. */
export interface ResetPasswordView extends StepForm {
  readonly username: string
  readonly notice: ResetNotice | null
  /** `PASSWORD_MIN_LENGTH`. */
  readonly minLength: number
  readonly problem: PasswordProblem | null
  /** Whether the two passwords are not the same. */
  readonly differs: boolean
  /**
   * How the link cancels a deletion: with a new password; `password_optional`: also without one, for an
   * account that has none. Null for a reset.
   */
  readonly deletion: 'with_password' | 'password_optional' | null
}

export interface ResetDoneView {
  readonly username: string
  /** What was done: a new password was set, or a deletion was taken back, or both. */
  readonly done: 'password' | 'password_and_deletion' | 'deletion'
}

declare module '../../../modules/pages/sign-in/views.ts' {
  interface SignInLinks {
    reset: true
  }
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends ResetViews {}
}
