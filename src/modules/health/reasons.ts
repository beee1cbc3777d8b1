import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  shutting_down: {
    guard: 'service',
    explanation: 'The service is shutting down.',
    words: { de: 'Der Dienst wird gerade beendet.' },
  },
  not_ready: {
    guard: 'service',
    explanation: 'The service is not ready to serve: docs/health.md has a row for each cause.',
    words: { de: 'Der Dienst ist nicht bereit: docs/health.md hat eine Zeile für jede Ursache.' },
    facts: ['cause'],
    advice: { en: 'The overview says what is wrong.', de: 'Die Übersicht sagt, was fehlt.' },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
