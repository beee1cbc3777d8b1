import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  second_factor_absent: {
    guard: 'second factor',
    explanation: 'The account has a second factor, and no code was sent.',
    words: { de: 'Das Konto hat einen zweiten Faktor, und kein Code kam.' },
    facts: ['user_id'],
    remedies: ['remove_second_factor'],
  },
  recovery_code_wrong: {
    guard: 'second factor',
    explanation: 'The recovery code is wrong, or was used before.',
    words: { de: 'Der Wiederherstellungscode ist falsch oder wurde schon benutzt.' },
    facts: ['user_id'],
    remedies: ['clear_throttle', 'remove_second_factor'],
    nextStep: 'gatehouse account reset-factor NAME, if device and codes are lost',
  },
  second_factor_removed: {
    guard: 'second factor',
    explanation: 'The second factor was removed after it was proved.',
    words: { de: 'Der zweite Faktor wurde entfernt, nachdem er bewiesen war.' },
    facts: ['user_id'],
  },
  no_second_factor: {
    guard: 'resource',
    explanation: 'The account has no second factor.',
    words: { de: 'Das Konto hat keinen zweiten Faktor.' },
    facts: ['user_id'],
  },
  last_factor_required: {
    guard: 'resource',
    explanation: 'A role of the account must have a second factor, and this is the last one.',
    words: {
      de: 'Eine Rolle des Kontos muss einen zweiten Faktor haben, und dies ist der letzte.',
    },
    facts: ['user_id'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
