import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  session_expected: {
    guard: 'credential',
    explanation: 'The route works on the session of the caller, who used another scheme.',
    words: {
      de: 'Die Route arbeitet mit der Sitzung; die Anfrage hat sich auf andere Weise angemeldet.',
    },
  },
  session_malformed: {
    guard: 'session',
    explanation:
      'The value of the session cookie has not the form of a session id of this service.',
    words: {
      de: 'Der Wert des Sitzungs-Cookies hat nicht die Form einer Sitzung dieses Dienstes.',
    },
  },
  session_unknown: {
    guard: 'session',
    explanation:
      'No session has the value of the cookie: it ended by a logout, by another login or long ago, or never existed.',
    words: {
      de: 'Keine Sitzung hat den Wert des Cookies: Sie endete durch eine Abmeldung, eine andere Anmeldung oder vor langer Zeit, oder es gab sie nie.',
    },
    event: 'sessionUseAfterExpire',
    advice: { en: 'The person logs in again.', de: 'Die Person meldet sich neu an.' },
  },
  session_idle: {
    guard: 'session',
    explanation: 'The session ended because it was idle for longer than SESSION_IDLE_SECONDS.',
    words: {
      de: 'Die Sitzung endete, weil sie länger unbenutzt war, als SESSION_IDLE_SECONDS erlaubt.',
    },
    facts: ['user_id', 'last_seen_at', 'ended_at'],
    event: 'sessionUseAfterExpire',
    advice: { en: 'The person logs in again.', de: 'Die Person meldet sich neu an.' },
  },
  session_too_old: {
    guard: 'session',
    explanation:
      'The session ended because it reached SESSION_ABSOLUTE_SECONDS, or KEEP_SIGNED_IN_DAYS if it was kept.',
    words: {
      de: 'Die Sitzung endete, weil sie SESSION_ABSOLUTE_SECONDS erreichte, oder KEEP_SIGNED_IN_DAYS, wenn die Person angemeldet bleiben wollte.',
    },
    facts: ['user_id', 'created_at', 'ended_at'],
    event: 'sessionUseAfterExpire',
    advice: { en: 'The person logs in again.', de: 'Die Person meldet sich neu an.' },
  },
  session_ended_with_logins: {
    guard: 'session',
    explanation:
      'The session ended because all logins of the account were ended: a new password, a lock, a factor, or a sign-out everywhere.',
    words: {
      de: 'Die Sitzung endete, weil alle Anmeldungen des Kontos beendet wurden: durch ein neues Passwort, eine Sperre, einen Faktor oder eine Abmeldung überall.',
    },
    facts: ['user_id', 'ended_at'],
    event: 'sessionUseAfterExpire',
    advice: { en: 'The person logs in again.', de: 'Die Person meldet sich neu an.' },
  },
  session_of_unusable_account: {
    guard: 'session',
    explanation: 'The account of the session is locked by an administrator, or disabled.',
    words: {
      de: 'Das Konto der Sitzung ist durch die Administration gesperrt oder ausgeschaltet.',
    },
    facts: ['user_id'],
    event: 'sessionUseAfterExpire',
  },
  session_without_factor: {
    guard: 'session',
    explanation:
      'The session came from a remembered device, without the second factor, and a role of the account now requires it (REQUIRE_SECOND_FACTOR).',
    words: {
      de: 'Die Sitzung kam von einem gemerkten Gerät, ohne den zweiten Faktor, und eine Rolle des Kontos verlangt ihn jetzt (REQUIRE_SECOND_FACTOR).',
    },
    facts: ['user_id'],
    event: 'sequenceFail',
    advice: {
      en: 'The person signs in again, with a code.',
      de: 'Die Person meldet sich neu an, mit einem Code.',
    },
  },
  session_must_enrol: {
    guard: 'session',
    explanation:
      'A role of the account requires a second factor, so the session may only enrol one.',
    words: {
      de: 'Eine Rolle des Kontos verlangt einen zweiten Faktor; die Sitzung darf nur einen einrichten.',
    },
    facts: ['user_id'],
    event: 'sequenceFail',
    nextStep: 'the user enrols a second factor at /api/account/totp',
  },
  session_absent: {
    guard: 'session',
    explanation: 'The account has no session of this id.',
    words: { de: 'Das Konto hat keine Sitzung dieser Kennung.' },
    facts: ['user_id'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
