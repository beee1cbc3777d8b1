import type { PasswordProblem } from '../../../core/http/pages/views/password-problem.ts'
import type { StepForm } from '../../../core/http/pages/views/step-form.ts'
import type { MailboxView } from '../../mail/mailbox-view.ts'

/** The pages on which a person signs up. */
export interface SignUpViews {
  'sign-up': SignUpView
  'sign-up-mailbox': SignUpMailboxView
  'sign-up-profile': SignUpProfileView
  'sign-up-closed': SignUpClosedView
  'sign-up-taken': Record<never, never>
  'sign-up-dead-link': SignUpDeadLinkView
}

/** Asks for the mail address. */
export interface SignUpView extends StepForm {
  readonly email: string
  readonly problem: 'form' | 'domain' | 'too_often' | null
  /** After too many requests. */
  readonly retryAfterSeconds: number | null
  /** Whether an earlier sign-up has ended, so that this one begins anew. */
  readonly isEnded: boolean
}

/** Says that a mail is on its way, whatever the address is, and asks for its code. */
export interface SignUpMailboxView extends MailboxView {
  readonly email: string
}

/** Asks for username, name and password, behind the link or the code. */
export interface SignUpProfileView extends StepForm, ProfileFieldsView {}

/** The fields that a new owner fills in, of a sign-up and of an invitation. */
export interface ProfileFieldsView {
  readonly email: string
  readonly username: string
  readonly name: string
  /** `PASSWORD_MIN_LENGTH`. */
  readonly minLength: number
  readonly problems: ProfileProblems
}

/** What is wrong with each field. */
export interface ProfileProblems {
  readonly username?:
    | 'missing'
    | 'form'
    | 'taken'
    | 'too_often'
    | 'scripts'
    | 'address'
    | 'reserved'
  readonly name?: 'missing' | 'form'
  readonly password?: PasswordProblem
  readonly passwordAgain?: 'differs'
}

/** Why no one, or no stranger, can sign up. */
export interface SignUpClosedView {
  readonly why: 'off' | 'invitation' | 'mail'
}

/** The link of the mail counts no more. */
export interface SignUpDeadLinkView {
  /** The text of the error in the contract. */
  readonly message: string
  readonly requestId: string
}

declare module '../../../modules/pages/sign-in/views.ts' {
  interface SignInLinks {
    signUp: true
  }
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends SignUpViews {}
}
