import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  no_device: {
    guard: 'resource',
    explanation: 'The account has no remembered device of this id.',
    words: { de: 'Das Konto hat kein gemerktes Gerät dieser Kennung.' },
    facts: ['user_id'],
  },
  device_forgotten: {
    guard: 'second factor',
    explanation: 'The device was forgotten while the sign-in was under way.',
    words: { de: 'Das Gerät wurde vergessen, während die Anmeldung lief.' },
    facts: ['user_id'],
    advice: {
      en: 'The person signs in again, with a code.',
      de: 'Die Person meldet sich neu an, mit einem Code.',
    },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
