import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  client_basic_malformed: {
    guard: 'credential',
    explanation: 'The Authorization header is no valid Basic credential of a client.',
    words: {
      de: 'Der Header Authorization enthält keine gültigen Basic-Anmeldedaten eines Clients.',
    },
  },
  unknown_client: {
    guard: 'credential',
    explanation: 'CLIENTS_FILE has no client of this id.',
    words: { de: 'CLIENTS_FILE hat keinen Client mit dieser Kennung.' },
  },
  wrong_client_secret: {
    guard: 'credential',
    explanation: 'The secret is not the one of this client in CLIENTS_FILE.',
    words: { de: 'Das Geheimnis ist nicht das dieses Clients in CLIENTS_FILE.' },
    facts: ['client'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
