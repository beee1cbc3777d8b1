import type { PasswordProblem } from '../../../core/http/pages/views/password-problem.ts'
import type { Language } from '../../../core/lib/languages.ts'
import type { ProofKind, ProtectedChange } from '../../../modules/authentication/proof-kinds.ts'

/** The pages of a person's own account. */
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

/**
 * What was done: a page says so once the browser has come to it. Other features add what their pages
 * do by `declare module`.
 */
export interface AccountDones {
  password: true
  factor_removed: true
  session_ended: true
  sessions_ended: true
  unlinked: true
  confirmed: true
}

export type AccountDone = keyof AccountDones

/** What was wrong with a form, and with which of its fields, if with one. */
export interface AccountProblem {
  readonly code: AccountProblemCode
  readonly field: string | null
  /** Of a new password. */
  readonly password?: PasswordProblem
  /** When it may be tried again. */
  readonly seconds?: number
}

/** Other features add what can be wrong on their pages by `declare module`. */
export interface AccountProblems {
  wrong_password: true
  new_password: true
  passwords_differ: true
  captcha: true
  code_missing: true
  code_wrong: true
  too_many: true
  too_many_mails: true
  mailed_code_wrong: true
  proof_missing: true
  proof_refused: true
}

export type AccountProblemCode = keyof AccountProblems

export interface OwnPage {
  /** What the field `csrf_token` of its forms holds. */
  readonly csrf: string
  readonly done: AccountDone | null
  readonly problem: AccountProblem | null
}

export interface AccountView extends OwnPage {
  readonly username: string
  /** That of the user, by which others know the person. */
  readonly name: string
  /** The contact address of the user, which proves nothing. */
  readonly contact: string
  /** The verified address. */
  readonly email: string | null
  readonly secondFactor: boolean
  readonly since: number
  /** The chosen language; null: that of the browser. */
  readonly language: Language | null
  readonly languages: readonly Language[]
  readonly hasProviders: boolean
}

export interface AccountPasswordView extends OwnPage {
  readonly username: string
  readonly minLength: number
  readonly asksCaptcha: boolean
  /** Whether the form asks for the present password; otherwise the confirmation page does. */
  readonly asksPassword: boolean
}

export interface SecondFactorStateView extends OwnPage {
  readonly isOn: boolean
}

export interface EnrolmentView extends OwnPage {
  /** The id of the flow, for the addresses of its forms. */
  readonly flow: string
  readonly qr: string
  readonly secret: string
}

export type RenewCodesView = OwnPage & { readonly isOn: boolean }

export interface NewCodesView {
  readonly codes: readonly string[]
  /** Whether the second factor was turned on with them. */
  readonly isFirst: boolean
}

export interface SessionsView extends OwnPage {
  readonly sessions: readonly SessionRow[]
}

export interface SessionRow {
  readonly id: string
  readonly isCurrent: boolean
  readonly browser: string | null
  readonly system: string | null
  readonly address: string
  readonly createdAt: number
  readonly lastSeenAt: number
}

export interface ProvidersView extends OwnPage {
  readonly linked: readonly {
    readonly id: number
    /** Its name; null if it is configured no more. */
    readonly provider: string | null
    readonly issuer: string
    readonly since: number
  }[]
  /** Those that can be linked. */
  readonly offered: readonly { readonly name: string; readonly label: string }[]
}

export interface LeavingView {
  readonly provider: string
  readonly url: string
}

/** Asks for the proofs of a person before a change of the account. */
export interface ConfirmView extends OwnPage {
  /** The address of its forms. */
  readonly action: string
  /** The page of the change. */
  readonly cancel: string
  readonly change: ProtectedChange
  /** The address that the account is to get. */
  readonly newEmail: string | null
  readonly username: string
  /** The proofs that are still missing. */
  readonly asks: readonly ProofKind[]
  /** Whether some were given. */
  readonly isConfirmed: boolean
  /** The providers at which the person can sign in as a proof. */
  readonly providers: readonly { readonly name: string; readonly label: string }[]
  /** The masked address to which a code can be mailed; null: none can. */
  readonly mailbox: string | null
  readonly isMailed: boolean
  readonly asksCaptcha: boolean
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends AccountViews {}
}
