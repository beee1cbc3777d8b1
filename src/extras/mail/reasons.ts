import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  limit_mail_of_client: {
    guard: 'rate limit',
    explanation:
      'The address has asked for more mail than MAIL_REQUESTS_PER_CLIENT allows in an hour.',
    words: {
      de: 'Die Adresse hat mehr E-Mails verlangt, als MAIL_REQUESTS_PER_CLIENT in einer Stunde erlaubt.',
    },
    facts: ['used', 'max', 'frees_at'],
  },
  mail_off: {
    guard: 'route',
    explanation: 'The service sends no mail: SMTP_URL is not set.',
    words: { de: 'Der Dienst sendet keine E-Mail: SMTP_URL ist nicht gesetzt.' },
    advice: {
      en: 'Set SMTP_URL, and start the service again.',
      de: 'Setzen Sie SMTP_URL, und starten Sie den Dienst neu.',
    },
  },
  no_such_mail: {
    guard: 'resource',
    explanation: 'There is no mail of this id.',
    words: { de: 'Es gibt keine E-Mail dieser Kennung.' },
  },
  mail_closed: {
    guard: 'resource',
    explanation: 'The mail was sent, is being sent, or has ended.',
    words: { de: 'Die E-Mail wurde gesendet, wird gerade gesendet oder ist beendet.' },
    facts: ['state'],
  },
  mail_not_sent: {
    guard: 'service',
    explanation:
      'The mail server takes no mail, or notices wait in the queue, and the change needs a notice.',
    words: {
      de: 'Der Mailserver nimmt keine E-Mails an, oder Hinweise stauen sich; die Änderung setzt einen Hinweis per E-Mail voraus.',
    },
    facts: ['since'],
    nextStep: 'gatehouse mail test ADDRESS shows what the mail server answers',
    advice: {
      en: 'The mail view shows what the mail server answers. Then the person tries again.',
      de: 'Die Ansicht der E-Mails zeigt, was der Mailserver antwortet. Danach versucht die Person es noch einmal.',
    },
  },
  email_of_another: {
    guard: 'resource',
    explanation: 'Another account has verified the same mail address.',
    words: { de: 'Ein anderes Konto hat dieselbe E-Mail-Adresse bestätigt.' },
    facts: ['user_id'],
  },
  email_not_verified: {
    guard: 'resource',
    explanation: 'The account has no verified mail address.',
    words: { de: 'Das Konto hat keine bestätigte E-Mail-Adresse.' },
    facts: ['user_id'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
