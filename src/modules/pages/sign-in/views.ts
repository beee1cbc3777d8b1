import type { PasswordProblem } from '../../../core/http/pages/views/password-problem.ts'

/** The pages of a sign-in: of a password, of a second factor, of what an account must do first. */
export interface SignInViews {
  'sign-in': SignInView
  'sign-in-arrival': ArrivalView
  'sign-in-second-factor': FactorView
  'sign-in-new-password': NewPasswordView
  'sign-in-enrolment': EnrolmentView
  'sign-in-recovery-codes': RecoveryCodesView
  'sign-out': SignOutView
  'sign-out-provider': ProviderSignOutView
}

/** What the form of each step has. */
export interface SignInForm {
  /** Where it is sent. */
  readonly action: string
  readonly csrf: string
  /** Where the sign-in begins anew. */
  readonly begin: string
  /** After too many attempts, when the next one is possible. */
  readonly retryAfterSeconds: number | null
}

/** The names of the links that modules add to the first page: each module declares its own in it. */
// biome-ignore lint/suspicious/noEmptyInterface: modules declare the names in it
export interface SignInLinks {}

export interface SignInLink {
  readonly name: keyof SignInLinks
  readonly href: string
}

export interface SignInView extends SignInForm {
  /** In the order of the modules. */
  readonly links: readonly SignInLink[]
  /** As it was typed, or that of the account that signs in again. */
  readonly username: string
  /** Whether the signed-in account signs in once more. */
  readonly isAgain: boolean
  readonly problem: 'wrong' | 'missing' | 'captcha' | 'throttled' | 'ended' | null
  readonly hasCaptcha: boolean
  readonly providers: readonly { readonly href: string; readonly label: string }[]
}

/** A page that loads the sign-in or sign-out once more from its own site, with the Strict cookie of a session. */
export interface ArrivalView {
  readonly path: string
}

export interface FactorView extends SignInForm {
  readonly problem: 'wrong' | 'missing' | 'throttled' | null
}

export interface NewPasswordView extends SignInForm {
  readonly username: string
  /** `PASSWORD_MIN_LENGTH`. */
  readonly minLength: number
  readonly problem: PasswordProblem | 'differs' | 'throttled' | null
}

export interface EnrolmentView extends SignInForm {
  readonly secret: string
  /** SVG. */
  readonly qr: string
  readonly problem: 'wrong' | 'missing' | 'throttled' | null
}

export interface RecoveryCodesView extends SignInForm {
  readonly codes: readonly string[]
}

export interface SignOutView {
  /** The form; null: no one is signed in. */
  readonly form: { readonly csrf: string; readonly username: string } | null
  readonly isDone: boolean
  /** Where one logs out of the identity providers. */
  readonly providers: readonly { readonly href: string; readonly label: string }[]
}

/** Asks before a session ends here and at an identity provider. */
export interface ProviderSignOutView {
  readonly action: string
  /** The session that ends; null: no one is signed in. */
  readonly session: { readonly csrf: string; readonly username: string } | null
  /** The provider, as people know it. */
  readonly provider: string
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends SignInViews {}
}
