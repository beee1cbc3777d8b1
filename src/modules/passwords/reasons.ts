import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  password_waited_too_long: {
    guard: 'service',
    explanation: 'The password waited so long to be verified that its attempt could lapse.',
    words: {
      de: 'Das Passwort wartete so lange auf seine Prüfung, dass der Versuch verfallen konnte.',
    },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
