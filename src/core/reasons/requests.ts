import type { FactsOf, TranslatedReason } from './types.ts'

/** For malformed requests: connection, number, route. */
export const reasons = {
  misshapen_request: {
    guard: 'connection',
    explanation:
      'The request is not HTTP/1.1 or 1.0, has no valid Host, repeats a header that may be sent once, or has chunks in HTTP/1.0.',
    words: {
      de: 'Die Anfrage ist weder HTTP/1.1 noch 1.0, hat keinen gültigen Host, wiederholt einen Header, der einmal vorkommen darf, oder hat Stücke in HTTP/1.0.',
    },
  },
  bad_url: {
    guard: 'connection',
    explanation: 'The address of the request cannot be decoded.',
    words: { de: 'Die Adresse der Anfrage lässt sich nicht dekodieren.' },
  },
  client_gone: {
    guard: 'connection',
    explanation: 'The client closed the connection before the request or its answer was complete.',
    words: {
      de: 'Der Client hat die Verbindung beendet, bevor Anfrage oder Antwort vollständig waren.',
    },
  },
  too_many_requests: {
    guard: 'rate limit',
    explanation: 'The address has sent more requests than RATE_LIMIT_MAX allows in the window.',
    words: {
      de: 'Die Adresse hat mehr Anfragen gesendet, als RATE_LIMIT_MAX in diesem Zeitraum erlaubt.',
    },
    facts: ['requests', 'max', 'frees_at'],
    nextStep: 'wait until then, or raise RATE_LIMIT_MAX',
    advice: {
      en: 'Wait until the address is free again, or raise RATE_LIMIT_MAX.',
      de: 'Warten Sie, bis die Adresse wieder frei ist, oder erhöhen Sie RATE_LIMIT_MAX.',
    },
  },
  unknown_route: {
    guard: 'route',
    explanation: 'No route has this method and path.',
    words: { de: 'Keine Route hat diese Methode und diesen Pfad.' },
  },
  unknown_route_of_group: {
    guard: 'route',
    explanation: 'The path belongs to a group of routes, and no route of the group has it.',
    words: { de: 'Der Pfad gehört zu einer Gruppe von Routen, und keine der Gruppe hat ihn.' },
  },
  empty_parameter: {
    guard: 'route',
    explanation: 'A parameter of the path is empty.',
    words: { de: 'Ein Parameter des Pfads ist leer.' },
  },
  unknown_asset: {
    guard: 'route',
    explanation: 'The page has no file of this name.',
    words: { de: 'Die Seite hat keine Datei dieses Namens.' },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
