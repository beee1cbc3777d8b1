import { accessReasons } from './access.ts'
import { confirmationReasons } from './confirmations.ts'
import { credentialReasons } from './credentials.ts'
import { forwardReasons } from './forward.ts'
import { forwardSessionReasons } from './forward-sessions.ts'
import { loginReasons } from './logins.ts'
import { registrationReasons } from './registration.ts'
import { requestReasons } from './requests.ts'
import { serviceReasons } from './service.ts'

/**
 * The registry of the reasons of refusals: what a code means, in a sentence for the operator, and
 * the facts that it has. A caller never learns a reason: many reasons share one error text, so that
 * the answer shows no account (docs/adr/0053). A code names one reason; codes are never renamed,
 * because programs of operators may read them. A module from outside names its own in its manifest.
 *
 * Times in facts (`..._at`, `until`) are epoch milliseconds.
 */
export const reasons = {
  ...requestReasons,
  ...credentialReasons,
  ...loginReasons,
  ...confirmationReasons,
  ...registrationReasons,
  ...accessReasons,
  ...forwardReasons,
  ...forwardSessionReasons,
  ...serviceReasons,
} as const

export type ReasonCode = keyof typeof reasons

type Table = { readonly [Code in ReasonCode]: (typeof reasons)[Code]['facts'][number] }

declare module '../errors.ts' {
  interface ReasonFacts extends Table {}
}
