import type { Language } from '../lib/languages.ts'

/** In about the order of the checks. */
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

/** One request each. docs/explain.md */
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
 * Why a request was refused. A `reasons.ts` imports only types: the console's build loads the file
 * too. Callers never see reasons: many reasons share one error text, so that no answer reveals an
 * account (docs/adr/0053). Codes are never renamed, because operators' programs may read codes.
 */
export interface Reason {
  readonly guard: Guard
  /** One sentence for the operator. */
  readonly explanation: string
  /** Translations; otherwise the console shows English. */
  readonly words?: Readonly<Record<Exclude<Language, 'en'>, string>>
  /** Times (`..._at`, `until`) are epoch milliseconds. */
  readonly facts?: readonly string[]
  /** If different from the error's event. */
  readonly event?: 'sequenceFail' | 'sessionUseAfterExpire' | 'tokenReuse'
  /** Best first. */
  readonly remedies?: readonly Remedy[]
  /** For the command line. NAME stands for the username, IP for the address. */
  readonly nextStep?: string
  /** For the console, without or before a remedy. */
  readonly advice?: Readonly<Record<Language, string>>
}

export type TranslatedReason = Reason & Required<Pick<Reason, 'words'>>

/** For `ReasonFacts`. */
export type FactsOf<Table extends Readonly<Record<string, Reason>>> = {
  readonly [Code in keyof Table]: Table[Code] extends { readonly facts: readonly (infer Name)[] }
    ? Name
    : never
}
