import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  author_needed: {
    guard: 'access rule',
    explanation: 'The caller has no user here, who could be the author.',
    words: {
      de: 'Die Anfrage kommt von keiner Person dieses Dienstes, die etwas verfassen könnte.',
    },
  },
  author_gone: {
    guard: 'access rule',
    explanation: 'The user of the caller was deleted while the request was under way.',
    words: { de: 'Die Person wurde gelöscht, während die Anfrage lief.' },
    facts: ['user_id'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
