import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  too_many_page_flows: {
    guard: 'service',
    explanation: 'Too many flows of pages are under way.',
    words: { de: 'Zu viele Abläufe von Seiten sind im Gang.' },
  },
  page_flow_unknown: {
    guard: 'service',
    explanation:
      'No flow of this id and browser is under way: it expired, has ended, or began elsewhere.',
    words: {
      de: 'Kein Ablauf dieser Kennung und dieses Browsers ist im Gang: Er ist abgelaufen, beendet oder begann anderswo.',
    },
  },
  page_flow_moved_on: {
    guard: 'service',
    explanation: 'Another request has taken the flow further, or has ended it.',
    words: { de: 'Eine andere Anfrage hat den Ablauf weitergeführt oder beendet.' },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
