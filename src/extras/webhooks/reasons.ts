import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  no_such_webhook_delivery: {
    guard: 'resource',
    explanation: 'There is no delivery of this id.',
    words: { de: 'Es gibt keine Zustellung dieser Kennung.' },
  },
  webhook_disabled: {
    guard: 'resource',
    explanation: 'Nothing is sent to the endpoint, which is not enabled.',
    words: { de: 'An den Endpunkt wird nichts gesendet, denn er ist nicht eingeschaltet.' },
    facts: ['state'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
