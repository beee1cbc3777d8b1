import type { FunctionComponent } from 'preact'
import type {
  AccountDone,
  AccountProblemCode,
  AccountView,
} from '../../../src/extras/own-account/pages/views.ts'
import type { ProtectedChange } from '../../../src/modules/authentication/proof-kinds.ts'
import type { Texts } from '../../languages/languages.ts'

/** What a feature adds to the pages of the own account: `account-part.ts` of its folder. */
export interface AccountPart {
  /** Its pages, which the overview links to. */
  readonly links: readonly AccountLink[]
  /** What the overview shows of the person, with a label each. */
  readonly rows?: (view: AccountView, texts: Texts) => readonly (readonly [string, string])[]
  /** Explains the rows. */
  readonly hint?: (texts: Texts) => string
  /** What follows the rows of the card `you`. */
  readonly Section?: FunctionComponent<{ view: AccountView }>
  /** What was done on its pages, and what was wrong. */
  readonly words?: (texts: Texts) => Partial<AccountWords>
}

/** The cards of the overview, in their order. */
export const accountGroups = [
  ...(['you', 'sign_in', 'sessions', 'applications', 'activity', 'data'] as const),
  'deletion',
] as const
export type AccountGroup = (typeof accountGroups)[number]

export interface AccountLink {
  readonly group: AccountGroup
  /** Its place in the group. */
  readonly order: number
  readonly href: string
  readonly title: (texts: Texts) => string
  readonly summary: (texts: Texts) => string
  /** What is there now. By default the summary. */
  readonly state?: (view: AccountView, texts: Texts) => string
  /** By default it always is. */
  readonly isShown?: (view: AccountView) => boolean
}

export interface AccountWords {
  /** What a change that wants a proof is. */
  readonly changes: Partial<Readonly<Record<ProtectedChange, string>>>
  readonly done: Partial<Readonly<Record<AccountDone, string>>>
  readonly problems: Partial<Readonly<Record<AccountProblemCode, string>>>
}
