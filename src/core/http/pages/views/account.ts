import type { Language } from '../../../lib/languages.ts'
import type { ProofKind, ProtectedChange } from '../proof-kinds.ts'
import type { PasswordProblem } from './password-problem.ts'

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
  'account-email': EmailView
  'account-notices': NoticesView
  'account-data': AccountDataView
  'account-confirm': ConfirmView
  'account-delete': AccountDeletionView
  'account-deleted': AccountDeletedView
}

/** What was done: a page says so once the browser has come to it. */
export type AccountDone =
  | 'password'
  | 'language'
  | 'factor_removed'
  | 'session_ended'
  | 'sessions_ended'
  | 'unlinked'
  | 'email_sent'
  | 'email_cancelled'
  | 'email_verified'
  | 'email_changed'
  | 'confirmed'

/** What was wrong with a form, and with which of its fields, if with one. */
export interface AccountProblem {
  readonly code: AccountProblemCode
  readonly field: string | null
  /** Of a new password. */
  readonly password?: PasswordProblem
  /** When it may be tried again. */
  readonly seconds?: number
}

export type AccountProblemCode =
  | 'wrong_password'
  | 'new_password'
  | 'passwords_differ'
  | 'captcha'
  | 'code_missing'
  | 'code_wrong'
  | 'too_many'
  | 'too_many_mails'
  | 'email_invalid'
  | 'email_taken'
  | 'mailed_code_wrong'
  | 'username_wrong'
  | 'proof_missing'
  | 'proof_refused'
  | 'last_administrator'

interface OwnPage {
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

export interface EmailView extends OwnPage {
  readonly email: string | null
  readonly verifiedAt: number | null
  readonly isUndeliverable: boolean
  readonly pending: { readonly address: string; readonly expiresAt: number } | null
  /** Whether the service can send mail. */
  readonly hasMail: boolean
  /** What was typed last. */
  readonly typed: string
}

export interface NoticesView {
  /** The newest first. */
  readonly notices: readonly NoticeRow[]
}

export interface NoticeRow {
  readonly type:
    | 'new_sign_in'
    | 'password_changed'
    | 'email_changed'
    | 'factor_added'
    | 'factor_removed'
    | 'recovery_codes_renewed'
    | 'recovery_code_used'
    | 'identity_linked'
    | 'identity_unlinked'
    | 'locked'
    | 'deletion_requested'
    | 'deletion_cancelled'
    | 'locked_at_reset'
  readonly at: number
  readonly by: 'owner' | 'administrator' | 'operator' | 'service'
  readonly browser: string | null
  readonly system: string | null
  /** Of the client; null if it is not that of the owner. */
  readonly address: string | null
}

export interface AccountDataView {
  /** The address of the file. */
  readonly file: string
}

export interface AccountDeletionView extends OwnPage {
  /** For how many days the deletion can be cancelled; 0: the account is erased at once. */
  readonly days: number
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

/** Says one thing, and knows no person any more. */
export interface AccountDeletedView {
  /** When the account is erased, in epoch milliseconds; null if it is erased already. */
  readonly deletionAt: number | null
}
