import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  console_address: {
    guard: 'access rule',
    explanation: 'CONSOLE_ADDRESSES does not hold the address of the client.',
    words: { de: 'CONSOLE_ADDRESSES enthält die Adresse des Clients nicht.' },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
