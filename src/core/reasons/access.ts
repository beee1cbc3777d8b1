import type { FactsOf, TranslatedReason } from './types.ts'

/** For authenticated callers. */
export const reasons = {
  csrf_token_absent: {
    guard: 'cross-site protection',
    explanation: 'The request changes something by a session, and carries no X-CSRF-Token.',
    words: { de: 'Die Anfrage ändert etwas mit einer Sitzung und enthält kein X-CSRF-Token.' },
    advice: {
      en: 'The page or the client sends X-CSRF-Token with each change by a session.',
      de: 'Die Seite oder der Client muss bei jeder Änderung mit einer Sitzung X-CSRF-Token senden.',
    },
  },
  csrf_token_other: {
    guard: 'cross-site protection',
    explanation: 'X-CSRF-Token is not the token of this session.',
    words: { de: 'X-CSRF-Token ist nicht das Token dieser Sitzung.' },
  },
  cross_site_request: {
    guard: 'cross-site protection',
    explanation:
      'A page of another site, not in CORS_ORIGINS, sent the request with a credential of the browser.',
    words: {
      de: 'Eine Seite einer anderen Site, nicht in CORS_ORIGINS, hat die Anfrage mit Anmeldedaten des Browsers gesendet.',
    },
    facts: ['origin', 'fetch_site'],
  },
  foreign_page: {
    guard: 'cross-site protection',
    explanation: 'A page of another origin, not in CORS_ORIGINS, sent the request.',
    words: {
      de: 'Eine Seite eines anderen Ursprungs, nicht in CORS_ORIGINS, hat die Anfrage gesendet.',
    },
    facts: ['origin', 'fetch_site'],
  },
  role_lacking: {
    guard: 'access rule',
    explanation: 'The caller has none of the roles that the rule asks for.',
    words: { de: 'Das Konto hat keine der Rollen, die die Regel verlangt.' },
    facts: ['rule', 'lacks', 'roles'],
    remedies: ['change_roles'],
    nextStep: 'gatehouse account roles NAME ROLE... gives roles; gatehouse routes shows the rules',
  },
  scope_lacking: {
    guard: 'access rule',
    explanation: 'The token lacks a scope that the rule asks for.',
    words: { de: 'Dem Token fehlt ein Scope, den die Regel verlangt.' },
    facts: ['rule', 'lacks'],
  },
  key_out_of_scope: {
    guard: 'access rule',
    explanation: 'The key lacks the scope of the route, or the route has no scope.',
    words: { de: 'Dem Schlüssel fehlt der Scope der Route, oder die Route hat keinen Scope.' },
    facts: ['user_id', 'scope'],
    nextStep: 'docs/access.txt shows the scope of each route; make a key with this scope',
  },
  client_permission_lacking: {
    guard: 'access rule',
    explanation: 'CLIENTS_FILE does not let this client do that.',
    words: { de: 'CLIENTS_FILE erlaubt das diesem Client nicht.' },
    facts: ['rule', 'lacks'],
  },
  resource_rule: {
    guard: 'access rule',
    explanation:
      'The rule about the resource does not hold for this caller: not its owner, or it is locked, or of an ADMIN.',
    words: {
      de: 'Die Regel der Ressource gilt hier nicht: Das Konto besitzt sie nicht, sie ist gesperrt, oder sie gehört einem ADMIN.',
    },
    facts: ['rule', 'lacks'],
  },
  resource_rule_now: {
    guard: 'access rule',
    explanation:
      'The resource changed while the request was under way, and the rule does not hold for it any more.',
    words: {
      de: 'Die Ressource änderte sich, während die Anfrage lief, und die Regel gilt nicht mehr.',
    },
  },
  resource_absent: {
    guard: 'resource',
    explanation: 'The resource that the path names does not exist.',
    words: { de: 'Die Ressource, die der Pfad nennt, gibt es nicht.' },
    facts: ['resource'],
  },
  resource_gone: {
    guard: 'resource',
    explanation: 'The resource was deleted while the request was under way.',
    words: { de: 'Die Ressource wurde gelöscht, während die Anfrage lief.' },
    facts: ['resource'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
