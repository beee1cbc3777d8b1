import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  second_factor_wrong: {
    guard: 'second factor',
    explanation: 'The code of the authenticator is wrong, is not of this time, or was used before.',
    words: { de: 'Der Code der App ist falsch, nicht von dieser Zeit, oder wurde schon benutzt.' },
    facts: ['user_id'],
    remedies: ['clear_throttle', 'remove_second_factor'],
    nextStep: 'gatehouse account reset-factor NAME, if device and codes are lost',
  },
  enrolment_code_wrong: {
    guard: 'second factor',
    explanation:
      'The code does not confirm the enrolment: it is wrong, or no enrolment is under way.',
    words: {
      de: 'Der Code bestätigt die Einrichtung nicht: Er ist falsch, oder keine Einrichtung läuft.',
    },
    facts: ['user_id'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
