import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  proof_absent: {
    guard: 'recent login',
    explanation:
      'The change can take over or destroy the account, and the request lacks proofs of its owner.',
    words: {
      de: 'Mit der Änderung lässt sich das Konto übernehmen oder löschen, und der Anfrage fehlen Nachweise der Person, der das Konto gehört.',
    },
    facts: ['user_id', 'change', 'missing'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
