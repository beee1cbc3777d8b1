import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  basic_malformed: {
    guard: 'credential',
    explanation:
      'The Authorization header is no valid Basic credential: no Base64 of UTF-8 with a colon.',
    words: {
      de: 'Der Header Authorization enthält keine gültigen Basic-Anmeldedaten: kein Base64 von UTF-8 mit Doppelpunkt.',
    },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
