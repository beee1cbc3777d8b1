import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  no_such_key: {
    guard: 'resource',
    explanation: 'The key set has no key of this id that verifies.',
    words: { de: 'Kein Schlüssel dieser kid prüft hier Signaturen.' },
  },
  key_signs: {
    guard: 'resource',
    explanation: 'The key signs, or does until its successor does.',
    words: { de: 'Der Schlüssel signiert, oder tut es, bis sein Nachfolger signiert.' },
    facts: ['detail'],
  },
  key_not_replaced: {
    guard: 'resource',
    explanation: 'The operator has configured the key, or no key of the algorithm signs here.',
    words: {
      de: 'Der Schlüssel steht in den Einstellungen, oder kein Schlüssel dieses Algorithmus signiert hier.',
    },
    facts: ['detail'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
