import type { Language } from '../../core/lib/languages.ts'

export interface NoticesViews {
  'account-notices': NoticesView
}

export interface NoticesView {
  /** Newest first. */
  readonly notices: readonly NoticeRow[]
}

export interface NoticeRow {
  readonly type:
    | 'new_sign_in'
    | 'password_changed'
    | 'email_changed'
    | 'factor_added'
    | 'factor_removed'
    | 'passkey_refused'
    | 'recovery_codes_renewed'
    | 'recovery_code_used'
    | 'identity_linked'
    | 'identity_unlinked'
    | 'locked'
    | 'deletion_requested'
    | 'deletion_cancelled'
    | 'app_password_added'
    | 'device_remembered'
    | 'key_expiring'
    | 'account_event'
    | 'locked_at_reset'
  readonly at: number
  readonly by: 'owner' | 'administrator' | 'operator' | 'service'
  readonly browser: string | null
  readonly system: string | null
  /** The client's; null for another person. */
  readonly address: string | null
  /** Of `account_event`. */
  readonly words: Readonly<Record<Language, string>> | null
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends NoticesViews {}
}
