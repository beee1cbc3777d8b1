import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  token_of_another_kind: {
    guard: 'token',
    explanation: 'The token of the provider is no access token, or is bound to a key.',
    words: {
      de: 'Das Token des Anbieters ist kein Access-Token oder ist an einen Schlüssel gebunden.',
    },
    facts: ['user_id'],
  },
  external_account_unusable: {
    guard: 'token',
    explanation: 'The account that the identity is linked to is locked or disabled.',
    words: {
      de: 'Das Konto, mit dem die Identität verknüpft ist, ist gesperrt oder ausgeschaltet.',
    },
    facts: ['user_id'],
    remedies: ['unlock', 'enable'],
  },
  password_grant_off: {
    guard: 'access rule',
    explanation: 'OIDC_PASSWORD_GRANT is off for this provider.',
    words: { de: 'OIDC_PASSWORD_GRANT ist für diesen Anbieter aus.' },
    facts: ['provider'],
  },
  no_such_identity: {
    guard: 'resource',
    explanation: 'The account has no linked identity of this id.',
    words: { de: 'Das Konto hat keine verknüpfte Identität dieser Kennung.' },
  },
  identity_of_another: {
    guard: 'resource',
    explanation: 'The identity is linked to another account.',
    words: { de: 'Die Identität ist mit einem anderen Konto verknüpft.' },
    facts: ['user_id'],
  },
  flow_cookie_absent: {
    guard: 'identity provider',
    explanation: 'The browser returned without the cookie of a sign-in that it began here.',
    words: { de: 'Der Browser kam ohne das Cookie einer Anmeldung zurück, die er hier begann.' },
  },
  proof_not_fresh: {
    guard: 'identity provider',
    explanation:
      'A sign-in at the provider that was to prove a person was older than the request for it, or its ID token has no auth_time.',
    words: {
      de: 'Eine Anmeldung beim Anbieter, mit der sich eine Person ausweisen sollte, war älter als die Anfrage danach, oder ihr ID-Token hat kein auth_time.',
    },
    facts: ['user_id', 'provider'],
  },
  proof_of_another_identity: {
    guard: 'identity provider',
    explanation:
      'A sign-in at the provider that was to prove a person was by an identity that is not linked to the account.',
    words: {
      de: 'Eine Anmeldung beim Anbieter, mit der sich eine Person ausweisen sollte, gehört zu einer Identität, die nicht mit dem Konto verknüpft ist.',
    },
    facts: ['user_id', 'provider'],
  },
  flow_unknown: {
    guard: 'identity provider',
    explanation:
      'No sign-in of this state and browser is under way: it expired, was used, or began elsewhere.',
    words: {
      de: 'Keine Anmeldung dieses Zustands und Browsers läuft: Sie ist abgelaufen, wurde benutzt oder begann anderswo.',
    },
  },
  flow_of_another_issuer: {
    guard: 'identity provider',
    explanation: 'The issuer of the provider was changed while the sign-in was under way.',
    words: { de: 'Der Aussteller des Anbieters wurde geändert, während die Anmeldung lief.' },
    facts: ['provider'],
  },
  flow_ticket_unknown: {
    guard: 'identity provider',
    explanation: 'No sign-in waits for this code: it expired, was used, or began elsewhere.',
    words: {
      de: 'Keine Anmeldung wartet auf diesen Code: Sie ist abgelaufen, wurde benutzt oder begann anderswo.',
    },
  },
  linker_ended: {
    guard: 'identity provider',
    explanation: 'The session or token that began the linking has ended.',
    words: { de: 'Die Sitzung oder das Token, mit dem die Verknüpfung begann, ist beendet.' },
  },
  provider_denied: {
    guard: 'identity provider',
    explanation: 'The provider, or the user there, has denied the sign-in.',
    words: { de: 'Der Anbieter, oder die Person dort, hat die Anmeldung verweigert.' },
    facts: ['detail'],
  },
  provider_answer_unacceptable: {
    guard: 'identity provider',
    explanation: 'The answer of the provider is not acceptable.',
    words: { de: 'Die Antwort des Anbieters ist nicht annehmbar.' },
    facts: ['detail'],
  },
  provider_return_invalid: {
    guard: 'identity provider',
    explanation: 'The browser returned with parameters that do not fit the sign-in.',
    words: { de: 'Der Browser kam mit Parametern zurück, die nicht zur Anmeldung passen.' },
    facts: ['detail'],
  },
  provider_unreachable: {
    guard: 'identity provider',
    explanation: 'The provider does not answer.',
    words: { de: 'Der Anbieter antwortet nicht.' },
    facts: ['detail'],
  },
  sign_up_off: {
    guard: 'identity provider',
    explanation: 'The identity is linked to no account, and OIDC_SIGN_UP is off.',
    words: { de: 'Die Identität ist mit keinem Konto verknüpft, und OIDC_SIGN_UP ist aus.' },
    facts: ['provider'],
    advice: {
      en: 'Create the account, and link the identity to it; or set OIDC_SIGN_UP.',
      de: 'Legen Sie das Konto an, und verknüpfen Sie die Identität damit; oder setzen Sie OIDC_SIGN_UP.',
    },
  },
  sign_up_without_email: {
    guard: 'identity provider',
    explanation: 'A new account needs a valid e-mail address, which the provider does not state.',
    words: {
      de: 'Ein neues Konto braucht eine gültige E-Mail-Adresse, die der Anbieter nicht nennt.',
    },
    facts: ['issuer'],
  },
  sign_up_names_taken: {
    guard: 'identity provider',
    explanation: 'All usernames that fit the new account are taken.',
    words: { de: 'Alle Benutzernamen, die zum neuen Konto passen, sind vergeben.' },
    facts: ['issuer'],
  },
  no_such_provider: {
    guard: 'route',
    explanation: 'No identity provider of this name is configured for sign-in.',
    words: { de: 'Für die Anmeldung ist kein Anbieter dieses Namens eingerichtet.' },
  },
  too_many_sign_ins: {
    guard: 'identity provider',
    explanation: 'Too many sign-ins through providers are under way.',
    words: { de: 'Zu viele Anmeldungen über Anbieter laufen gerade.' },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
