import type { OwnPage } from '../own-account/pages/views.ts'

/** The pages of the own data: their copy, and the end of the account. */
export interface OwnDataViews {
  'account-data': AccountDataView
  'account-delete': AccountDeletionView
  'account-deleted': AccountDeletedView
}

export interface AccountDataView {
  /** The address of the file. */
  readonly file: string
}

export interface AccountDeletionView extends OwnPage {
  /** For how many days the deletion can be cancelled; 0: the account is erased at once. */
  readonly days: number
}

/** Says one thing, and knows no person any more. */
export interface AccountDeletedView {
  /** When the account is erased, in epoch milliseconds; null if it is erased already. */
  readonly deletionAt: number | null
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends OwnDataViews {}
}

declare module '../own-account/pages/views.ts' {
  interface AccountProblems {
    username_wrong: true
    last_administrator: true
  }
}
