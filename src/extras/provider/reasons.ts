import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  provider_off: {
    guard: 'route',
    explanation: 'PROVIDER is off: applications cannot sign people in.',
    words: { de: 'Anwendungen melden hier niemanden an: PROVIDER ist off.' },
  },
  application_grant_used: {
    guard: 'credential',
    explanation:
      'A code or refresh token of an application was used a second time: what came of it has ended.',
    words: {
      de: 'Ein Code oder Refresh-Token einer Anwendung kam zum zweiten Mal: Alles daraus ist beendet.',
    },
  },
  application_proof_used: {
    guard: 'credential',
    explanation: 'A client assertion or a DPoP proof came a second time.',
    words: { de: 'Eine Client-Assertion oder ein DPoP-Nachweis kam zum zweiten Mal.' },
  },
  application_login_ended: {
    guard: 'credential',
    explanation: 'The sign-in that the application wanted to use has ended in the meantime.',
    words: { de: 'Die Anmeldung, die die Anwendung nutzen wollte, ist inzwischen beendet.' },
  },
  application_request_unknown: {
    guard: 'resource',
    explanation:
      'The request of an application has expired, is complete, or began in another browser.',
    words: {
      de: 'Die Anfrage einer Anwendung ist abgelaufen, erledigt oder begann in einem anderen Browser.',
    },
  },
  application_unknown: {
    guard: 'resource',
    explanation: 'The client is no application, or it is disabled or removed.',
    words: { de: 'Der Client ist keine Anwendung, oder er ist deaktiviert oder entfernt.' },
    facts: ['client'],
  },
  application_entry_changed: {
    guard: 'access rule',
    explanation:
      'The entry of the application has changed since the token was issued: it wants two factors, or no longer has offline_access.',
    words: {
      de: 'Der Eintrag der Anwendung hat sich seit der Ausgabe des Tokens geändert: Er verlangt zwei Faktoren oder hat offline_access nicht mehr.',
    },
    facts: ['client'],
  },
  application_role_missing: {
    guard: 'access rule',
    explanation:
      'The entry of the application allows accounts of some roles, and the account has none of them.',
    words: {
      de: 'Der Eintrag der Anwendung erlaubt Konten bestimmter Rollen, und das Konto hat keine davon.',
    },
    facts: ['client', 'roles'],
    remedies: ['change_roles'],
  },
  application_request_refused: {
    guard: 'body',
    explanation: 'The protocol refuses the request of an application; the facts say why.',
    words: {
      de: 'Das Protokoll lehnt die Anfrage einer Anwendung ab; die Fakten nennen den Grund.',
    },
    facts: ['error', 'why'],
  },
  application_request_too_long: {
    guard: 'body',
    explanation: 'The request of an application is too long.',
    words: { de: 'Die Anfrage einer Anwendung ist zu lang.' },
  },
  device_polls_too_often: {
    guard: 'credential',
    explanation: 'A device asks for its tokens more often than its interval allows.',
    words: { de: 'Ein Gerät fragt öfter nach seinen Tokens, als sein Intervall erlaubt.' },
  },
  device_code_unknown: {
    guard: 'credential',
    explanation: 'The code of a device is unknown, has expired, or was decided.',
    words: { de: 'Der Code eines Geräts ist unbekannt, abgelaufen oder entschieden.' },
  },
  sign_out_request_invalid: {
    guard: 'body',
    explanation:
      'The application asked for a sign-out with an ID token or an address that are not its own.',
    words: {
      de: 'Die Anwendung bat um eine Abmeldung mit einem ID-Token oder einer Adresse, die nicht ihre sind.',
    },
  },
  application_token_bound: {
    guard: 'credential',
    explanation:
      'The access token is bound to a key (DPoP), and the API of this service takes bearer tokens.',
    words: {
      de: 'Das Zugriffstoken ist an einen Schlüssel gebunden (DPoP), und die API dieses Dienstes nimmt Bearer-Token.',
    },
  },
  application_token_ended: {
    guard: 'credential',
    explanation: 'The access token of an application has expired, or what it came of has ended.',
    words: {
      de: 'Das Zugriffstoken einer Anwendung ist abgelaufen, oder das, woraus es kam, ist beendet.',
    },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
