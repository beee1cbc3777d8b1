import type { PasswordProblem } from '../../../core/http/pages/views/password-problem.ts'
import type { Language } from '../../../core/lib/languages.ts'
import type { ProofKind, ProtectedChange } from '../../../modules/authentication/proof-kinds.ts'
import type { Asked } from '../../../modules/pages/sign-in/views.ts'

export interface AccountViews {
  account: AccountView
  'account-password': AccountPasswordView
  'account-second-factor': SecondFactorStateView
  'account-enrolment': EnrolmentView
  'account-remove-factor': OwnPage
  'account-recovery-codes': RenewCodesView
  'account-new-codes': NewCodesView
  'account-sessions': SessionsView
  'account-providers': ProvidersView
  'account-leaving': LeavingView
  'account-confirm': ConfirmView
}

/** Success messages. Other modules extend by `declare module`. */
export interface AccountDones {
  password: true
  factor_added: true
  factor_removed: true
  session_ended: true
  sessions_ended: true
  unlinked: true
  confirmed: true
}

export type AccountDone = keyof AccountDones

/** The error of a form, and its field if known. */
export interface AccountProblem {
  readonly code: AccountProblemCode
  readonly field: string | null
  /** Of a new password. */
  readonly password?: PasswordProblem
  /** Retry after. */
  readonly seconds?: number
}

/** Other modules extend by `declare module`. */
export interface AccountProblems {
  wrong_password: true
  new_password: true
  passwords_differ: true
  captcha: true
  code_missing: true
  factor_required: true
  code_wrong: true
  too_many: true
  too_many_mails: true
  mailed_code_wrong: true
  proof_missing: true
  proof_refused: true
}

export type AccountProblemCode = keyof AccountProblems

export interface OwnPage {
  /** Value of `csrf_token`. */
  readonly csrf: string
  readonly done: AccountDone | null
  readonly problem: AccountProblem | null
}

export interface AccountView extends OwnPage {
  readonly username: string
  /** Display name. */
  readonly name: string
  /** Unverified contact address. */
  readonly contact: string
  readonly email: string | null
  readonly secondFactor: boolean
  readonly hasPassword: boolean
  /** How many of each, by the names of the hook point `waysIn`. */
  readonly waysIn: Readonly<Record<string, number>>
  readonly since: number
  readonly language: Language | null
  readonly languages: readonly Language[]
  readonly hasProviders: boolean
}

export interface AccountPasswordView extends OwnPage {
  readonly username: string
  readonly minLength: number
  readonly asksCaptcha: boolean
  /** If false, the confirmation page asks. */
  readonly asksPassword: boolean
}

export interface SecondFactorStateView extends OwnPage {
  /** An authenticator app is set up. */
  readonly isOn: boolean
  /** The account has another factor. */
  readonly hasOther: boolean
}

export interface EnrolmentView extends OwnPage {
  /** Flow id for form URLs. */
  readonly flow: string
  readonly qr: string
  readonly secret: string
}

export type RenewCodesView = OwnPage & { readonly isOn: boolean }

export interface NewCodesView {
  readonly codes: readonly string[]
  /** The second factor was just enabled. */
  readonly isFirst: boolean
}

export interface SessionsView extends OwnPage {
  readonly sessions: readonly SessionRow[]
}

export interface SessionRow {
  readonly id: string
  readonly isCurrent: boolean
  readonly isKept: boolean
  readonly browser: string | null
  readonly system: string | null
  readonly address: string
  readonly createdAt: number
  readonly lastSeenAt: number
}

export interface ProvidersView extends OwnPage {
  readonly linked: readonly {
    readonly id: number
    /** Null if no longer configured. */
    readonly provider: string | null
    readonly issuer: string
    readonly since: number
  }[]
  /** Providers that can be linked. */
  readonly offered: readonly { readonly name: string; readonly label: string }[]
}

export interface LeavingView {
  readonly provider: string
  readonly url: string
}

export interface ConfirmView extends OwnPage, Asked {
  /** Form URL. */
  readonly action: string
  /** Page of the change. */
  readonly cancel: string
  readonly change: ProtectedChange
  /** The requested address. */
  readonly newEmail: string | null
  readonly username: string
  readonly asks: readonly ProofKind[]
  /** Some proofs were given. */
  readonly isConfirmed: boolean
  /** Providers usable as a proof. */
  readonly providers: readonly { readonly name: string; readonly label: string }[]
  /** Masked address for a mailed code; null: unavailable. */
  readonly mailbox: string | null
  readonly isMailed: boolean
  readonly asksCaptcha: boolean
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends AccountViews {}
}
