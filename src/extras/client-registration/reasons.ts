import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  registration_off: {
    guard: 'route',
    explanation: 'CLIENT_REGISTRATION or PROVIDER is off: applications cannot register themselves.',
    words: {
      de: 'CLIENT_REGISTRATION oder PROVIDER ist aus: Anwendungen können sich nicht selbst registrieren.',
    },
  },
  registration_token_unknown: {
    guard: 'credential',
    explanation: 'There is no registration token of this text.',
    words: { de: 'Es gibt keinen Registrierungs-Token mit diesem Text.' },
  },
  registration_token_ended: {
    guard: 'credential',
    explanation: 'The registration token has expired, or all its registrations are used.',
    words: {
      de: 'Der Registrierungs-Token ist abgelaufen, oder alle seine Registrierungen sind verbraucht.',
    },
    facts: ['registration_token'],
  },
  client_metadata_refused: {
    guard: 'body',
    explanation: 'The application asks for what the token or the service does not allow.',
    words: { de: 'Die Anwendung verlangt, was der Token oder der Dienst nicht erlaubt.' },
    facts: ['registration_token', 'message'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
