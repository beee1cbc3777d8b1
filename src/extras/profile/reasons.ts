import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  profile_value_taken: {
    guard: 'body',
    explanation: 'Another account has this value of a field that is unique in PROFILE_FILE.',
    words: {
      de: 'Ein anderes Konto hat diesen Wert in einem Feld, das laut PROFILE_FILE eindeutig ist.',
    },
    facts: ['field'],
  },
  no_public_profile: {
    guard: 'resource',
    explanation:
      'No usable account has this user id, or the profile of the account has no value that everyone may read.',
    words: {
      de: 'Kein nutzbares Konto hat diese Kennung, oder sein Profil hat keinen Wert, den alle lesen dürfen.',
    },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
