import type { PasswordProblem } from '../../../core/http/pages/views/password-problem.ts'
import type { StepForm } from '../../../core/http/pages/views/step-form.ts'
import type { Asked } from '../../../modules/pages/sign-in/views.ts'
import type { MailboxView } from '../../mail/mailbox-view.ts'

export interface ResetViews {
  reset: ResetView
  'reset-mailbox': ResetMailboxView
  'reset-factor': ResetFactorView
  'reset-password': ResetPasswordView
  'reset-done': ResetDoneView
  'reset-unavailable': Record<never, never>
}

export interface ResetView extends StepForm {
  readonly typed: string
  readonly problem: 'missing' | 'form' | 'too_often' | null
  readonly retryAfterSeconds: number | null
  /** Why it restarts: invalid link or ended flow. */
  readonly notice: 'link' | 'ended' | null
}

/** Always claims that a mail was sent. */
export interface ResetMailboxView extends MailboxView {
  readonly typed: string
}

/** `restored`: the previous address is back. */
export type ResetNotice = 'restored'

export interface ResetFactorView extends StepForm, Asked {
  readonly username: string
  readonly notice: ResetNotice | null
  readonly problem: 'wrong' | 'missing' | 'throttled' | 'passkey' | null
  readonly retryAfterSeconds: number | null
}

export interface ResetPasswordView extends StepForm {
  readonly username: string
  readonly notice: ResetNotice | null
  /** `PASSWORD_MIN_LENGTH`. */
  readonly minLength: number
  readonly problem: PasswordProblem | null
  readonly differs: boolean
  /**
   * How the link cancels a deletion; `password_optional` for accounts without a password. Null for
   * a reset.
   */
  readonly deletion: 'with_password' | 'password_optional' | null
}

export interface ResetDoneView {
  readonly username: string
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
