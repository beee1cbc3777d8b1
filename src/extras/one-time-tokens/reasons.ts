import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  confirmation_malformed: {
    guard: 'mailed code',
    explanation: 'The text that was sent can be no link and no code of a mail.',
    words: { de: 'Der gesendete Text kann kein Link und kein Code einer E-Mail sein.' },
  },
  confirmation_wrong: {
    guard: 'mailed code',
    explanation: 'The link or the code is wrong, or belongs to another browser.',
    words: { de: 'Der Link oder der Code ist falsch oder gehört zu einem anderen Browser.' },
    facts: ['user_id', 'purpose'],
  },
  confirmation_used: {
    guard: 'mailed code',
    explanation: 'The link or the code was used before, or withdrawn.',
    words: { de: 'Der Link oder der Code wurde schon benutzt oder zurückgezogen.' },
    facts: ['user_id', 'purpose'],
    remedies: ['send_reset'],
  },
  confirmation_expired: {
    guard: 'mailed code',
    explanation: 'The link or the code has expired.',
    words: { de: 'Der Link oder der Code ist abgelaufen.' },
    facts: ['user_id', 'purpose'],
    remedies: ['send_reset'],
  },
  confirmation_of_another_purpose: {
    guard: 'mailed code',
    explanation: 'The mail was sent for something else.',
    words: { de: 'Die E-Mail wurde für etwas anderes gesendet.' },
    facts: ['user_id', 'purpose'],
  },
  confirmation_tries_used: {
    guard: 'mailed code',
    explanation: 'Too many codes were typed; the link of the mail still counts.',
    words: { de: 'Zu viele Codes wurden eingegeben; der Link der E-Mail gilt noch.' },
    facts: ['user_id', 'purpose'],
    remedies: ['send_reset'],
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

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
