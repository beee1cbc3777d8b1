import type { PasswordProblem } from '../../../core/http/pages/views/password-problem.ts'
import type { RequestOptions } from '../../passkeys/options.ts'

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

/** Common to all steps. */
export interface SignInForm {
  readonly action: string
  readonly csrf: string
  /** Restarts the sign-in. */
  readonly begin: string
  /** After too many attempts. */
  readonly retryAfterSeconds: number | null
}

/** Link names, declared by modules. */
// biome-ignore lint/suspicious/noEmptyInterface: modules declare the names in it
export interface SignInLinks {}

export interface SignInLink {
  readonly name: keyof SignInLinks
  readonly href: string
}

export interface SignInView extends SignInForm {
  /** In the order of the modules. */
  readonly links: readonly SignInLink[]
  readonly username: string
  /** Reauthentication. */
  readonly isAgain: boolean
  readonly problem: 'wrong' | 'missing' | 'captcha' | 'throttled' | 'ended' | 'passkey' | null
  readonly hasCaptcha: boolean
  /** Offers to keep the person signed in. */
  readonly keepDays: number | null
  readonly isKeepChosen: boolean
  /** Null: no passkey can be used. */
  readonly passkey: RequestOptions | null
  readonly providers: readonly { readonly href: string; readonly label: string }[]
}

/** Reloads the page from its own site, with the Strict session cookie. */
export interface ArrivalView {
  readonly path: string
}

/** What a step asks of the factors of the account. */
export interface Asked {
  /** The kinds that a field proves: `factor-part.tsx` of their folders. */
  readonly kinds: readonly string[]
  /** Null: the account has no passkey. */
  readonly passkey: RequestOptions | null
}

export interface FactorView extends SignInForm, Asked {
  /** Offers to remember the device. */
  readonly rememberDays: number | null
  readonly isRememberChosen: boolean
  readonly problem: 'wrong' | 'missing' | 'throttled' | 'passkey' | null
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
  /** Options of a new passkey in place of the app. Null: none can be made. */
  readonly passkey: object | null
  readonly problem: FactorView['problem']
}

export interface RecoveryCodesView extends SignInForm {
  readonly codes: readonly string[]
}

export interface SignOutView {
  /** Null: no person is signed in. */
  readonly form: {
    readonly action: string
    readonly csrf: string
    readonly username: string
  } | null
  readonly isDone: boolean
  /** The application that the person came from. */
  readonly back: { readonly href: string; readonly host: string } | null
  /** Sign-out links. */
  readonly providers: readonly { readonly href: string; readonly label: string }[]
}

export interface ProviderSignOutView {
  readonly action: string
  /** Null: no person is signed in. */
  readonly session: { readonly csrf: string; readonly username: string } | null
  /** Readable name. */
  readonly provider: string
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends SignInViews {}
}
