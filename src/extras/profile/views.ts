import type { ShownInput } from '../../core/http/pages/views/account-input.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { OwnPage } from '../own-account/pages/views.ts'

export interface ProfileViews {
  'account-profile': ProfileView
}

export interface ProfileView extends OwnPage {
  /** The fields that their owner reads and does not write. */
  readonly fixed: readonly FixedValue[]
  readonly inputs: readonly ShownInput[]
  /** JSON: the texts of the inputs as the page first showed them; the form sends it back. */
  readonly shown: string
}

interface FixedValue {
  readonly name: string
  readonly labels: Readonly<Record<Language, string>>
  /** Null: no value. */
  readonly value: string | boolean | null
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends ProfileViews {}
}

declare module '../own-account/pages/views.ts' {
  interface AccountDones {
    profile: true
  }
  interface AccountProblems {
    profile_wrong: true
  }
}
