import type { FactsOf, TranslatedReason } from './types.ts'

/** Failures of the service or an identity provider. */
export const reasons = {
  database_unavailable: {
    guard: 'service',
    explanation: 'The database is locked, full or away.',
    words: { de: 'Die Datenbank ist gesperrt, voll oder nicht erreichbar.' },
    advice: {
      en: 'The overview says what is wrong with the database.',
      de: 'Die Übersicht sagt, was der Datenbank fehlt.',
    },
  },
  queue_full: {
    guard: 'service',
    explanation: 'More work waits than the queue takes.',
    words: { de: 'Es wartet mehr Arbeit, als die Warteschlange fasst.' },
    facts: ['queue'],
    nextStep: 'the client tries again; docs/monitoring.md if it stays',
    advice: {
      en: 'Too much was asked for at once. If it stays, give the service more cores.',
      de: 'Es wurde zu viel auf einmal verlangt. Bleibt es dabei, geben Sie dem Dienst mehr Kerne.',
    },
  },
  bodies_hold_memory: {
    guard: 'service',
    explanation: 'The bodies of the requests under way hold all the memory that they may.',
    words: { de: 'Die Inhalte der laufenden Anfragen belegen allen Speicher, den sie dürfen.' },
  },
  large_answers_wait: {
    guard: 'service',
    explanation: 'Too many large answers wait for their turn.',
    words: { de: 'Zu viele große Antworten warten, bis sie an der Reihe sind.' },
  },
  unexpected_failure: {
    guard: 'service',
    explanation: 'The service failed: the log has the error under this request id.',
    words: {
      de: 'Der Dienst hat einen Fehler gemacht: Im Log steht er unter der Kennung dieser Anfrage.',
    },
    facts: ['error'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
