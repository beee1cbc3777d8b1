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
    explanation: 'Neither CLIENTS_FILE nor the database has an enabled client of this id.',
    words: {
      de: 'Weder CLIENTS_FILE noch die Datenbank hat einen aktiven Client mit dieser Kennung.',
    },
  },
  wrong_client_secret: {
    guard: 'credential',
    explanation: 'The secret is not the one of this client.',
    words: { de: 'Das Geheimnis ist nicht das dieses Clients.' },
    facts: ['client'],
  },
  client_refused: {
    guard: 'body',
    explanation: 'The entry of the client has mistakes, which the answer lists.',
    words: { de: 'Der Eintrag des Clients hat Fehler, die die Antwort aufzählt.' },
  },
  client_exists: {
    guard: 'resource',
    explanation: 'The database has a client of this id.',
    words: { de: 'Die Datenbank hat einen Client mit dieser Kennung.' },
    facts: ['client'],
  },
  client_in_file: {
    guard: 'resource',
    explanation: 'CLIENTS_FILE has the client: the file wins, and is changed by its owner.',
    words: {
      de: 'CLIENTS_FILE hat den Client: Die Datei geht vor, und ihr Besitzer ändert sie.',
    },
    facts: ['client'],
  },
  client_without_secret: {
    guard: 'resource',
    explanation: 'The client authenticates by keys, or not at all.',
    words: { de: 'Der Client weist sich durch Schlüssel aus oder gar nicht.' },
    facts: ['client'],
  },
  no_earlier_secret: {
    guard: 'resource',
    explanation: 'The client has one secret.',
    words: { de: 'Der Client hat ein Geheimnis.' },
    facts: ['client'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
