import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  sign_in_by_mail_off: {
    guard: 'route',
    explanation: 'Sign-in by mail is off: EMAIL_SIGN_IN.',
    words: { de: 'Die Anmeldung per E-Mail ist aus: EMAIL_SIGN_IN.' },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
