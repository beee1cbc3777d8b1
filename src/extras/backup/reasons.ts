import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  backup_under_way: {
    guard: 'route',
    explanation: 'Another backup is being made, perhaps at another node.',
    words: { de: 'Eine andere Sicherung wird gerade gemacht, vielleicht an einem anderen Knoten.' },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
