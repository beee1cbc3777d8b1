import type { FactsOf, TranslatedReason } from './types.ts'

/** Why a credential was refused, by the core or by several modules. */
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
  token_malformed: {
    guard: 'token',
    explanation:
      'The token is no compact JWS: three canonical base64url segments with a JSON header, of at most 8 kB.',
    words: {
      de: 'Das Token ist kein kompaktes JWS: drei kanonische base64url-Teile mit JSON-Header, höchstens 8 kB.',
    },
  },
  token_payload_malformed: {
    guard: 'token',
    explanation: 'The payload of the token is no JSON object.',
    words: { de: 'Der Inhalt des Tokens ist kein JSON-Objekt.' },
  },
  claim_iss: {
    guard: 'token',
    explanation: 'The claim iss is not the configured issuer.',
    words: { de: 'Der Anspruch iss ist nicht der eingestellte Aussteller.' },
    facts: ['iss', 'expected'],
  },
  claim_sub: {
    guard: 'token',
    explanation: 'The claim sub is no subject.',
    words: { de: 'Der Anspruch sub ist keine gültige Person.' },
  },
  claim_aud: {
    guard: 'token',
    explanation: 'The claim aud does not contain the configured audience.',
    words: { de: 'Der Anspruch aud enthält nicht den eingestellten Empfänger.' },
    facts: ['aud', 'expected'],
  },
  account_changed: {
    guard: 'account',
    explanation:
      'The account ended its logins since: a new password, a lock, a factor, or a sign-out everywhere.',
    words: {
      de: 'Das Konto hat seine Anmeldungen seitdem beendet: durch ein neues Passwort, eine Sperre, einen Faktor oder eine Abmeldung überall.',
    },
    facts: ['user_id', 'asked_of'],
  },
  account_gone: {
    guard: 'account',
    explanation: 'The account was deleted while the request was under way.',
    words: { de: 'Das Konto wurde gelöscht, während die Anfrage lief.' },
    facts: ['user_id'],
  },
  enrolment_due: {
    guard: 'account',
    explanation:
      'The login was right; a role of the account requires a second factor, which must be enrolled first.',
    words: {
      de: 'Die Anmeldung stimmte; eine Rolle des Kontos verlangt einen zweiten Faktor, der zuerst eingerichtet werden muss.',
    },
    facts: ['user_id'],
  },
  login_too_old: {
    guard: 'recent login',
    explanation:
      'The login of the caller is older than REAUTHENTICATE_SECONDS, and this change asks for a recent one.',
    words: {
      de: 'Die Anmeldung ist älter als REAUTHENTICATE_SECONDS, und diese Änderung verlangt eine frische.',
    },
    facts: ['user_id', 'login_at', 'max_age_seconds'],
    nextStep: 'the user logs in again',
    advice: {
      en: 'The person logs in again, and repeats the action.',
      de: 'Die Person meldet sich neu an und wiederholt es.',
    },
  },
  confirmation_unknown: {
    guard: 'mailed code',
    explanation: 'No link or code of this id is kept: it was never made, or expired some time ago.',
    words: {
      de: 'Kein Link und kein Code dieser Kennung ist aufbewahrt: Es gab ihn nie, oder er ist vor einiger Zeit abgelaufen.',
    },
  },
  confirmation_outlived: {
    guard: 'mailed code',
    explanation:
      'The account has ended its logins since the mail: a new password, address or factor, or a lock.',
    words: {
      de: 'Das Konto hat seine Anmeldungen seit der E-Mail beendet: durch ein neues Passwort, eine neue Adresse, einen Faktor oder eine Sperre.',
    },
    facts: ['user_id', 'purpose'],
    remedies: ['send_reset'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
