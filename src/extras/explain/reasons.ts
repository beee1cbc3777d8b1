import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  unknown_refusal: {
    guard: 'resource',
    explanation:
      'No refusal of this id is kept: unknown, of another installation, older than 24 hours, or displaced by later ones of its address.',
    words: {
      de: 'Keine Ablehnung dieser Kennung ist aufbewahrt: unbekannt, von einer anderen Installation, älter als 24 Stunden oder von späteren ihrer Adresse verdrängt.',
    },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
