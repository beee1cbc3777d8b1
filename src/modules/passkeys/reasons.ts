import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  passkey_refused: {
    guard: 'credential',
    explanation:
      'The answer of a passkey is refused: `step` names the check of WebAuthn, `unknown` a passkey that is not known, `rp_id` a passkey of another domain, `used` a challenge that was used before.',
    words: {
      de: 'Die Antwort eines Passkeys ist abgelehnt: `step` nennt die Prüfung von WebAuthn, `unknown` einen unbekannten Passkey, `rp_id` einen Passkey einer anderen Domain, `used` eine Aufgabe, die schon benutzt wurde.',
    },
    facts: ['user_id', 'step'],
    nextStep: 'gatehouse factor list NAME; with `counter`, the passkey may have been copied',
  },
  registration_refused: {
    guard: 'body',
    explanation: 'A new passkey is refused: `step` names the check of WebAuthn.',
    words: { de: 'Ein neuer Passkey ist abgelehnt: `step` nennt die Prüfung von WebAuthn.' },
    facts: ['user_id', 'step'],
  },
  no_passkey: {
    guard: 'resource',
    explanation: 'The account has no passkey with this id.',
    words: { de: 'Das Konto hat keinen Passkey mit dieser ID.' },
    facts: ['user_id'],
  },
  passkeys_full: {
    guard: 'resource',
    explanation: 'The account has as many passkeys as an account can have.',
    words: { de: 'Das Konto hat so viele Passkeys, wie ein Konto haben kann.' },
    facts: ['user_id'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
