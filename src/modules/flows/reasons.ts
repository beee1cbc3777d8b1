import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  too_many_page_flows: {
    guard: 'service',
    explanation: 'Too many flows of pages are under way.',
    words: { de: 'Zu viele Abläufe von Seiten sind im Gang.' },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
