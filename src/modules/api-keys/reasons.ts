import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  key_malformed: {
    guard: 'credential',
    explanation: 'The text begins like a key, and its length, letters or checksum are wrong.',
    words: {
      de: 'Der Text beginnt wie ein Schlüssel; Länge, Zeichen oder Prüfsumme stimmen nicht.',
    },
    advice: {
      en: 'The key was copied incompletely, or is none of this service.',
      de: 'Der Schlüssel wurde unvollständig kopiert oder ist keiner dieses Dienstes.',
    },
  },
  key_unknown: {
    guard: 'credential',
    explanation: 'No account has the key: it was revoked, has ended with others, or never existed.',
    words: {
      de: 'Kein Konto hat den Schlüssel: Er wurde widerrufen, endete mit anderen oder war nie gültig.',
    },
  },
  key_expired: {
    guard: 'credential',
    explanation: 'The key has expired, or its rotation was too long ago.',
    words: { de: 'Der Schlüssel ist abgelaufen, oder seine Erneuerung liegt zu lange zurück.' },
    facts: ['user_id', 'key_id', 'expires_at'],
    nextStep: 'gatehouse api-key create NAME makes a key',
  },
  key_misplaced: {
    guard: 'credential',
    explanation:
      'A key was sent as a password, or an app password as a bearer token or with the username of another account.',
    words: {
      de: 'Ein Schlüssel kam als Passwort, oder ein App-Passwort als Bearer-Token oder mit dem Benutzernamen eines anderen Kontos.',
    },
    facts: ['user_id', 'key_id'],
  },
  app_passwords_off: {
    guard: 'route',
    explanation: 'App passwords are off: APP_PASSWORDS is off.',
    words: { de: 'App-Passwörter sind aus: APP_PASSWORDS ist off.' },
  },
  limit_key_address: {
    guard: 'login limit',
    explanation: 'This address has sent too many unknown keys, or too many keys to revoke.',
    words: {
      de: 'Diese Adresse hat zu viele unbekannte Schlüssel gesendet, oder zu viele zum Widerruf.',
    },
    facts: ['used', 'attempts', 'window_seconds', 'frees_at'],
  },
  no_such_api_key: {
    guard: 'resource',
    explanation: 'The account has no such key.',
    words: { de: 'Das Konto hat keinen solchen Schlüssel.' },
    facts: ['user_id'],
  },
  too_many_keys: {
    guard: 'resource',
    explanation: 'The account has as many keys as it can have.',
    words: { de: 'Das Konto hat so viele Schlüssel, wie es haben kann.' },
    facts: ['user_id', 'max'],
  },
  keys_of_person: {
    guard: 'access rule',
    explanation: 'An administrator makes keys for service accounts alone.',
    words: { de: 'Die Administration erstellt Schlüssel nur für Dienstkonten.' },
    facts: ['user_id'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
