import type { FactsOf, TranslatedReason } from './types.ts'

export const reasons = {
  no_credential: {
    guard: 'credential',
    explanation: 'The request carries no credential of a scheme that the route accepts.',
    words: { de: 'Die Anfrage enthält keine Anmeldedaten einer Art, die die Route annimmt.' },
    facts: ['accepted', 'sent_scheme'],
  },
  caller_ended: {
    guard: 'credential',
    explanation:
      'The credential was good when the request began, and its session, token or account ended before the request was done.',
    words: {
      de: 'Die Anmeldedaten galten zu Beginn der Anfrage; Sitzung, Token oder Konto endeten, bevor sie fertig war.',
    },
    facts: ['user_id', 'scheme'],
    advice: { en: 'The person logs in again.', de: 'Die Person meldet sich neu an.' },
  },
  no_caller_at_resource: {
    guard: 'credential',
    explanation: 'The rule needs a caller for this resource, and the request has none.',
    words: { de: 'Die Regel verlangt hier eine Anmeldung, und die Anfrage hat keine.' },
    facts: ['rule'],
  },
  login_too_old: {
    guard: 'recent login',
    explanation:
      'The login of the caller is older than REAUTHENTICATE_SECONDS, or lacks a factor of the account, and this change asks for a recent one with all factors.',
    words: {
      de: 'Die Anmeldung ist älter als REAUTHENTICATE_SECONDS, oder ihr fehlt ein Faktor des Kontos; diese Änderung verlangt eine frische mit allen Faktoren.',
    },
    facts: ['user_id', 'login_at', 'max_age_seconds'],
    nextStep: 'the user logs in again',
    advice: {
      en: 'The person logs in again, and repeats the action.',
      de: 'Die Person meldet sich neu an und wiederholt es.',
    },
  },
  login_without_factor: {
    guard: 'recent login',
    explanation:
      'The login of the caller proved one factor, and this route asks for a login with two.',
    words: {
      de: 'Die Anmeldung hat einen Faktor bewiesen, und diese Route verlangt eine Anmeldung mit zwei Faktoren.',
    },
    facts: ['user_id'],
    nextStep: 'the user logs in with a second factor',
    advice: {
      en: 'The person logs in with a code, and repeats the action.',
      de: 'Die Person meldet sich mit einem Code an und wiederholt es.',
    },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
