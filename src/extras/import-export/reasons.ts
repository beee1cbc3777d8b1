import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  lines_refused: {
    guard: 'body',
    explanation: 'Lines of the import are not acceptable.',
    words: { de: 'Zeilen des Imports sind nicht annehmbar.' },
    facts: ['errors'],
  },
  import_given_up: {
    guard: 'service',
    explanation: 'Another process took the import for dead and has ended it.',
    words: { de: 'Ein anderer Prozess hielt den Import für tot und hat ihn beendet.' },
  },
  deadline_passed: {
    guard: 'service',
    explanation: 'The request took longer than its route allows.',
    words: { de: 'Die Anfrage dauerte länger, als ihre Route erlaubt.' },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
