import type { InputProblem, ShownInput } from '../../../core/http/pages/views/account-input.ts'
import type { PasswordProblem } from '../../../core/http/pages/views/password-problem.ts'
import type { StepForm } from '../../../core/http/pages/views/step-form.ts'
import type { MailboxView } from '../../mail/mailbox-view.ts'

export interface SignUpViews {
  'sign-up': SignUpView
  'sign-up-mailbox': SignUpMailboxView
  'sign-up-profile': SignUpProfileView
  'sign-up-closed': SignUpClosedView
  'sign-up-taken': Record<never, never>
  'sign-up-dead-link': SignUpDeadLinkView
}

export interface SignUpView extends StepForm {
  readonly email: string
  readonly problem: 'form' | 'domain' | 'too_often' | null
  /** After too many requests. */
  readonly retryAfterSeconds: number | null
  /** True after an expired sign-up. */
  readonly isEnded: boolean
}

/** Sent for every address, to reveal no accounts; asks for the code. */
export interface SignUpMailboxView extends MailboxView {
  readonly email: string
}

export interface SignUpProfileView extends StepForm, ProfileFieldsView {}

export interface ProfileFieldsView {
  readonly email: string
  readonly username: string
  readonly name: string
  /** Of other modules. */
  readonly inputs: readonly ShownInput[]
  /** `PASSWORD_MIN_LENGTH`. */
  readonly minLength: number
  readonly problems: ProfileProblems
}

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
  /** By the name of the input. */
  readonly inputs?: Readonly<Record<string, InputProblem>>
}

/** Sign-up is off, or by invitation only. */
export interface SignUpClosedView {
  readonly why: 'off' | 'invitation' | 'mail'
}

export interface SignUpDeadLinkView {
  /** The contract's error text. */
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
