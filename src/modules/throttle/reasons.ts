import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

const counted = ['used', 'attempts', 'window_seconds', 'frees_at'] as const

export const reasons = {
  limit_taken_usernames: {
    guard: 'rate limit',
    explanation:
      'With one link or code, or from one address, too many usernames were tried that are taken.',
    words: {
      de: 'Mit einem Link oder Code oder von einer Adresse wurden zu viele Benutzernamen versucht, die vergeben sind.',
    },
    facts: counted,
  },
  captchas_off: {
    guard: 'route',
    explanation: 'Captchas are off: LOGIN_PROOF_OF_WORK_AFTER is 0.',
    words: { de: 'Captchas sind aus: LOGIN_PROOF_OF_WORK_AFTER ist 0.' },
  },
  limit_username_address: {
    guard: 'login limit',
    explanation: 'Too many failed logins of this username from this address (LOGIN_ATTEMPTS).',
    words: {
      de: 'Zu viele Fehlversuche dieses Benutzernamens von dieser Adresse (LOGIN_ATTEMPTS).',
    },
    facts: counted,
    remedies: ['clear_throttle', 'send_reset', 'set_password'],
    nextStep: 'wait until then; gatehouse throttle list, and throttle clear NAME',
    advice: {
      en: 'Wait until it is free again, or clear the count of the username. Ask here for the name to see what its account needs.',
      de: 'Warten Sie, bis es wieder frei ist, oder leeren Sie die Zählung des Benutzernamens. Fragen Sie hier nach dem Namen, um zu sehen, was sein Konto braucht.',
    },
  },
  limit_address: {
    guard: 'login limit',
    explanation: 'Too many failed logins from this address (LOGIN_IP_ATTEMPTS).',
    words: { de: 'Zu viele Fehlversuche von dieser Adresse (LOGIN_IP_ATTEMPTS).' },
    facts: counted,
    remedies: ['clear_address'],
    nextStep: 'wait until then, or gatehouse throttle clear --address IP',
    advice: {
      en: 'The whole address is throttled, with all accounts behind it. Wait until it is free again, or clear the address.',
      de: 'Die ganze Adresse wird gedrosselt, mit allen Konten dahinter. Warten Sie, bis sie wieder frei ist, oder geben Sie die Adresse frei.',
    },
  },
  limit_second_factor: {
    guard: 'login limit',
    explanation: 'Too many wrong codes of the second factor of this account.',
    words: { de: 'Zu viele falsche Codes des zweiten Faktors dieses Kontos.' },
    facts: [...counted, 'user_id'],
    remedies: ['clear_throttle', 'remove_second_factor'],
    nextStep: 'wait until then, or gatehouse throttle clear NAME',
    advice: {
      en: 'Wait until it is free again, or clear the count of the username.',
      de: 'Warten Sie, bis es wieder frei ist, oder leeren Sie die Zählung des Benutzernamens.',
    },
  },
  limit_client: {
    guard: 'login limit',
    explanation: 'Too many wrong secrets of this client from this address.',
    words: { de: 'Zu viele falsche Geheimnisse dieses Clients von dieser Adresse.' },
    facts: counted,
  },
  limit_client_address: {
    guard: 'login limit',
    explanation: 'Too many wrong secrets of clients from this address.',
    words: { de: 'Zu viele falsche Geheimnisse von Clients von dieser Adresse.' },
    facts: counted,
    remedies: ['clear_address'],
    nextStep: 'wait until then, or gatehouse throttle clear --address IP',
  },
  limit_passkey_address: {
    guard: 'login limit',
    explanation: 'Too many wrong passkeys from this address (LOGIN_IP_ATTEMPTS).',
    words: { de: 'Zu viele falsche Passkeys von dieser Adresse (LOGIN_IP_ATTEMPTS).' },
    facts: counted,
    remedies: ['clear_address'],
    nextStep: 'wait until then, or gatehouse throttle clear --address IP',
  },
  captcha_absent: {
    guard: 'login limit',
    explanation:
      'After LOGIN_PROOF_OF_WORK_AFTER failures the login needs a solved captcha, and none was sent.',
    words: {
      de: 'Nach LOGIN_PROOF_OF_WORK_AFTER Fehlversuchen braucht die Anmeldung ein gelöstes Captcha, und keines kam.',
    },
    facts: counted,
    remedies: ['clear_throttle', 'send_reset', 'set_password'],
  },
  captcha_wrong: {
    guard: 'login limit',
    explanation: 'The captcha is wrong, has expired, or was used before.',
    words: { de: 'Das Captcha ist falsch, abgelaufen oder wurde schon benutzt.' },
    facts: counted,
    remedies: ['clear_throttle', 'send_reset', 'set_password'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
