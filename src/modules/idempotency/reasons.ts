import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  idempotency_key_reused: {
    guard: 'precondition',
    explanation: 'The Idempotency-Key was used before with another body.',
    words: { de: 'Der Idempotency-Key wurde schon mit einem anderen Inhalt benutzt.' },
  },
  idempotency_answer_erased: {
    guard: 'precondition',
    explanation:
      'The Idempotency-Key was used before, and the person whom the answer named was erased meanwhile.',
    words: {
      de: 'Der Idempotency-Key wurde schon benutzt, und die Person, die die Antwort nannte, wurde inzwischen gelöscht.',
    },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
