import type { OwnPage } from '../own-account/pages/views.ts'

export interface AppPasswordsViews {
  'account-app-passwords': AppPasswordsView
  'account-new-app-password': NewAppPasswordView
}

export interface AppPasswordsView extends OwnPage {
  readonly keys: readonly AppPasswordRow[]
}

export interface AppPasswordRow {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  readonly expiresAt: number
  /** To the minute; null: never. */
  readonly lastUsedAt: number | null
}

export interface NewAppPasswordView {
  readonly name: string
  readonly key: string
  readonly username: string
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends AppPasswordsViews {}
}

declare module '../own-account/pages/views.ts' {
  interface AccountDones {
    app_password_revoked: true
  }
  interface AccountProblems {
    app_password_name: true
    app_passwords_full: true
  }
}
