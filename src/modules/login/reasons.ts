import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  password_change_absent: {
    guard: 'password',
    explanation:
      'The password was right; the account must set a new one, and new_password was not sent.',
    words: {
      de: 'Das Passwort stimmte; das Konto muss ein neues setzen, und new_password fehlte.',
    },
    facts: ['user_id'],
    remedies: ['send_reset', 'set_password'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
