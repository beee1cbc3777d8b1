import type { Language } from '../lib/languages.ts'

/** The parts of the service that refuse, in about the order in which a request meets them. */
export const guards = [
  'connection',
  'rate limit',
  'route',
  'forwarded request',
  'credential',
  'session',
  'token',
  'password',
  'account',
  'login limit',
  'second factor',
  'mailed code',
  'registration',
  'cross-site protection',
  'access rule',
  'forward rule',
  'recent login',
  'resource',
  'body',
  'precondition',
  'identity provider',
  'service',
] as const
export type Guard = (typeof guards)[number]

/** What an administrator can do about a refusal; each remedy is one request. docs/explain.md */
export const remedies = [
  'unlock',
  'enable',
  'clear_throttle',
  'clear_address',
  'send_reset',
  'set_password',
  'remove_second_factor',
  'change_roles',
] as const
export type Remedy = (typeof remedies)[number]

/**
 * Why a request was refused: what a code means. Each module has a `reasons.ts`, which imports types
 * alone: the build of the console loads it too. A reason that several modules use stands in
 * core/reasons/. A caller never learns a reason: many reasons share one error text, so that the
 * answer shows no account (docs/adr/0053). A code is never renamed, because programs of operators may
 * read it.
 */
export interface Reason {
  /** What has refused. */
  readonly guard: Guard
  /** One sentence for the operator. */
  readonly explanation: string
  /** The explanation in the other languages of the console, which shows the English one otherwise. */
  readonly words?: Readonly<Record<Exclude<Language, 'en'>, string>>
  /** The names of its facts. Times (`..._at`, `until`) are epoch milliseconds. */
  readonly facts?: readonly string[]
  /** The event of its refusals, where that is not the event of the error. */
  readonly event?: 'sequenceFail' | 'sessionUseAfterExpire' | 'tokenReuse'
  /** The first is the one to try first. */
  readonly remedies?: readonly Remedy[]
  /** The remedy on the command line. NAME stands for the username, IP for the address. */
  readonly nextStep?: string
  /** The advice of the console, where no remedy exists or before the remedy. */
  readonly advice?: Readonly<Record<Language, string>>
}

/** A reason of a module of this program, which the console says in each language. */
export type TranslatedReason = Reason & Required<Pick<Reason, 'words'>>

/** The names of the facts of each reason of a table, for `ReasonFacts`. */
export type FactsOf<Table extends Readonly<Record<string, Reason>>> = {
  readonly [Code in keyof Table]: Table[Code] extends { readonly facts: readonly (infer Name)[] }
    ? Name
    : never
}
