import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  roles_unknown: {
    guard: 'body',
    explanation: 'The list of roles has a name that is no role here.',
    words: { de: 'Die Liste der Rollen enthält einen Namen, der hier keine Rolle ist.' },
  },
  username_absent: {
    guard: 'password',
    explanation: 'No username was sent: the field `username` is absent, empty or no text.',
    words: {
      de: 'Es wurde kein Benutzername gesendet: Das Feld `username` fehlt, ist leer oder kein Text.',
    },
    nextStep: 'the client sends the fields username and password, as a form or as JSON',
    advice: {
      en: 'The client sends the fields username and password, as a form or as JSON: look at the names of its fields.',
      de: 'Der Client sendet die Felder username und password, als Formular oder als JSON: Sehen Sie sich die Namen seiner Felder an.',
    },
  },
  credentials_incomplete: {
    guard: 'password',
    explanation: 'The request lacks a username or a password.',
    words: { de: 'In der Anfrage fehlt der Benutzername oder das Passwort.' },
  },
  username_invalid: {
    guard: 'password',
    explanation: 'The text that was sent as username can be the name of no account.',
    words: { de: 'Der gesendete Benutzername kann der Name keines Kontos sein.' },
  },
  no_such_account: {
    guard: 'password',
    explanation: 'No account has the username that was sent.',
    words: { de: 'Kein Konto hat den gesendeten Benutzernamen.' },
    nextStep: 'gatehouse account list shows which there are',
    advice: {
      en: 'Look for the right spelling among the accounts.',
      de: 'Suchen Sie in den Konten nach der richtigen Schreibweise.',
    },
  },
  wrong_password: {
    guard: 'password',
    explanation: 'The account exists, and the password is wrong.',
    words: { de: 'Das Konto gibt es, und das Passwort ist falsch.' },
    facts: ['user_id'],
    remedies: ['clear_throttle', 'send_reset', 'set_password'],
    nextStep: 'gatehouse account password NAME, if the user has forgotten it',
    advice: {
      en: 'If the person has forgotten it, mail a link that sets a new one.',
      de: 'Hat die Person es vergessen, senden Sie ihr einen Link, der ein neues setzt.',
    },
  },
  account_without_password: {
    guard: 'password',
    explanation: 'The account exists and has no password: it logs in through an identity provider.',
    words: {
      de: 'Das Konto gibt es, und es hat kein Passwort: Es meldet sich über einen Anbieter an.',
    },
    facts: ['user_id'],
    remedies: ['send_reset', 'set_password'],
    nextStep: 'gatehouse account password NAME',
  },
  limit_account_address: {
    guard: 'login limit',
    explanation:
      'Too many failed logins of this account from this address, by its username and its mail address together (LOGIN_ATTEMPTS). The password was not verified.',
    words: {
      de: 'Zu viele Fehlversuche dieses Kontos von dieser Adresse, mit Benutzername und E-Mail-Adresse zusammen (LOGIN_ATTEMPTS). Das Passwort wurde nicht geprüft.',
    },
    facts: ['used', 'attempts', 'window_seconds', 'frees_at', 'user_id'],
    remedies: ['clear_throttle', 'send_reset', 'set_password'],
    nextStep: 'wait until then, or gatehouse throttle clear NAME',
  },
  own_account_here: {
    guard: 'access rule',
    explanation: 'An administrator changes the own password at /api/account/password, not here.',
    words: { de: 'Das eigene Passwort ändert man unter /api/account/password, nicht hier.' },
    facts: ['user_id'],
  },
  no_own_account: {
    guard: 'resource',
    explanation:
      'The caller has no account: it is a client, or an identity that is linked to none.',
    words: {
      de: 'Die Anfrage kommt von keinem Konto, sondern von einem Client oder einer nicht verknüpften Identität.',
    },
  },
  no_such_user: {
    guard: 'resource',
    explanation: 'The body names a user who does not exist.',
    words: { de: 'Der Inhalt nennt eine Person, die es nicht gibt.' },
  },
  username_taken: {
    guard: 'resource',
    explanation: 'Another account has this username.',
    words: { de: 'Ein anderes Konto hat diesen Benutzernamen.' },
  },
  user_has_account: {
    guard: 'resource',
    explanation: 'The user has an account already.',
    words: { de: 'Die Person hat schon ein Konto.' },
    facts: ['user_id'],
  },
  last_administrator: {
    guard: 'resource',
    explanation: 'The change would leave no active account with the role ADMIN.',
    words: { de: 'Die Änderung ließe kein aktives Konto mit der Rolle ADMIN übrig.' },
    facts: ['user_id'],
  },
  no_own_user: {
    guard: 'resource',
    explanation: 'The user of the account was deleted while the request was under way.',
    words: { de: 'Die Person des Kontos wurde gelöscht, während die Anfrage lief.' },
    facts: ['user_id'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
