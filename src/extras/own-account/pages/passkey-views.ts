import type { CreationOptions } from '../../../modules/passkeys/options.ts'
import type { OwnPage } from './views.ts'

export interface PasskeyViews {
  'account-passkeys': PasskeysView
  'account-new-passkey': NewPasskeyView
  'account-passkey': OnePasskeyView
  'account-remove-passkey': OnePasskeyView
}

export interface PasskeysView extends OwnPage {
  readonly passkeys: readonly PasskeyRow[]
  /** Browsers create passkeys at the address of the service. */
  readonly isPossible: boolean
  /** For the authenticators of the person. */
  readonly signals: {
    readonly credentials: Readonly<Record<string, unknown>>
    readonly user: Readonly<Record<string, unknown>>
  }
}

export interface PasskeyRow {
  readonly id: string
  readonly name: string
  readonly isSynced: boolean
  readonly isUsable: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

export interface NewPasskeyView extends OwnPage {
  readonly action: string
  readonly options: CreationOptions
  readonly name: string
}

export interface OnePasskeyView extends OwnPage {
  readonly id: string
  readonly name: string
}

declare module './views.ts' {
  interface AccountDones {
    passkey_added: true
    passkey_renamed: true
    passkey_removed: true
  }
  interface AccountProblems {
    passkey_refused: true
    passkey_name: true
    passkeys_full: true
  }
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends PasskeyViews {}
}
