import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  forward_untrusted_peer: {
    guard: 'forwarded request',
    explanation:
      'The peer of the connection is no proxy of TRUST_PROXY, so what it tells of a request does not count.',
    words: {
      de: 'Die Verbindung kommt von keinem Proxy aus TRUST_PROXY; was sie von einer Anfrage erzählt, zählt nicht.',
    },
  },
  forward_header_absent: {
    guard: 'forwarded request',
    explanation: 'The proxy has not sent this header.',
    words: { de: 'Der Proxy hat diesen Header nicht gesendet.' },
    facts: ['header'],
  },
  forward_header_invalid: {
    guard: 'forwarded request',
    explanation:
      'The header came twice, or has no valid value: a host as a browser writes it, http or https, a path in visible ASCII, a method in upper case.',
    words: {
      de: 'Der Header kam zweimal oder hat keinen gültigen Wert: einen Host, wie ihn ein Browser schreibt, http oder https, einen Pfad in sichtbarem ASCII, eine Methode in Großbuchstaben.',
    },
    facts: ['header'],
  },
  forward_address_absent: {
    guard: 'forwarded request',
    explanation:
      'A rule asks from which network the request comes, and the proxy has sent no valid X-Forwarded-For with the address of the visitor.',
    words: {
      de: 'Eine Regel fragt, aus welchem Netz die Anfrage kommt, und der Proxy hat kein gültiges X-Forwarded-For mit der Adresse des Besuchers gesendet.',
    },
    facts: ['host', 'rule'],
  },
  forward_method_override: {
    guard: 'forwarded request',
    explanation: 'The request names another method for the application, which is not a valid one.',
    words: { de: 'Die Anfrage nennt der Anwendung eine andere Methode, die nicht gültig ist.' },
  },
  forward_path_differs: {
    guard: 'forwarded request',
    explanation:
      'The path that the proxy appended to the address of the route is not that of X-Forwarded-Uri.',
    words: {
      de: 'Der Pfad, den der Proxy an die Adresse der Route hängte, ist nicht der von X-Forwarded-Uri.',
    },
  },
  forward_own_path: {
    guard: 'forwarded request',
    explanation:
      'The proxy asks about a path below /.gatehouse/ in place of giving it to this service, so that no sign-in can come back.',
    words: {
      de: 'Der Proxy fragt nach einem Pfad unter /.gatehouse/, statt ihn diesem Dienst zu geben; so kommt keine Anmeldung zurück.',
    },
    facts: ['host'],
  },
  forward_plain_http: {
    guard: 'forwarded request',
    explanation:
      'Who asks is looked at only over HTTPS, except on this machine: a cookie or password would be readable.',
    words: {
      de: 'Wer fragt, wird nur über HTTPS angesehen, außer auf diesem Rechner: Cookie oder Passwort wären lesbar.',
    },
    facts: ['host'],
  },
  forward_key: {
    guard: 'forward rule',
    explanation:
      'The rule accepts no app password ("app_passwords": true), and no rule accepts the key of a program.',
    words: {
      de: 'Die Regel nimmt kein App-Passwort an ("app_passwords": true), und keine Regel den Schlüssel eines Programms.',
    },
    facts: ['host', 'rule', 'user_id'],
  },
  forward_denied: {
    guard: 'forward rule',
    explanation: 'A rule of FORWARD_AUTH_FILE denies it.',
    words: { de: 'Eine Regel von FORWARD_AUTH_FILE verbietet es.' },
    facts: ['host', 'rule'],
  },
  forward_no_rule: {
    guard: 'forward rule',
    explanation: 'No rule of FORWARD_AUTH_FILE is for it.',
    words: { de: 'Keine Regel von FORWARD_AUTH_FILE ist dafür da.' },
    facts: ['host'],
  },
  forward_ambiguous: {
    guard: 'forward rule',
    explanation:
      'The spelling of the path, or a second method, could make the application read the request as one of another rule. A path with more than 200 escapes and semicolons is not read at all.',
    words: {
      de: 'Die Schreibweise des Pfads oder eine zweite Methode könnte die Anwendung die Anfrage anders lesen lassen als die Regel. Ein Pfad mit mehr als 200 Escapes und Semikolons wird gar nicht gelesen.',
    },
    facts: ['host'],
  },
  forward_path_override: {
    guard: 'forward rule',
    explanation:
      'A header names another path, which another rule covers, and the application could serve that path.',
    words: {
      de: 'Ein Header nennt einen anderen Pfad, für den eine andere Regel gilt; die Anwendung könnte diesen Pfad ausliefern.',
    },
    facts: ['host', 'header'],
  },
  forward_no_account: {
    guard: 'forward rule',
    explanation:
      'The token of the identity provider belongs to no account here, so the application could take its name for that of another.',
    words: {
      de: 'Das Token des Anbieters gehört zu keinem Konto hier; die Anwendung könnte seinen Namen für den eines anderen halten.',
    },
    facts: ['host'],
  },
  forward_second_factor: {
    guard: 'forward rule',
    explanation: 'The rule wants a login with a second factor, and this one was without.',
    words: { de: 'Die Regel verlangt eine Anmeldung mit zweitem Faktor, und diese war ohne.' },
    facts: ['host', 'rule', 'user_id'],
  },
  forward_session_malformed: {
    guard: 'session',
    explanation:
      'The value of the cookie at the host of the application has not the form of one of this service.',
    words: {
      de: 'Der Wert des Cookies beim Host der Anwendung hat nicht die Form eines solchen dieses Dienstes.',
    },
  },
  forward_session_unknown: {
    guard: 'session',
    explanation:
      'No session at a host of an application has the value of the cookie: its session has ended, or a later one took its place.',
    words: {
      de: 'Keine Sitzung beim Host einer Anwendung hat den Wert des Cookies: Sie ist beendet, oder eine spätere nahm ihren Platz ein.',
    },
  },
  forward_session_other_host: {
    guard: 'session',
    explanation: 'The cookie is of a session at the host of another application.',
    words: { de: 'Das Cookie gehört zu einer Sitzung beim Host einer anderen Anwendung.' },
  },
  forward_ticket_unknown: {
    guard: 'session',
    explanation:
      'There is no such ticket: it was used before, its session has ended, or it never existed.',
    words: {
      de: 'Es gibt kein solches Ticket: Es wurde schon benutzt, seine Sitzung ist beendet, oder es gab es nie.',
    },
  },
  forward_ticket_late: {
    guard: 'session',
    explanation: 'The ticket came later than ten seconds after it was issued.',
    words: { de: 'Das Ticket kam später als zehn Sekunden nach seiner Ausstellung.' },
  },
  forward_ticket_other_host: {
    guard: 'session',
    explanation: 'The ticket was issued for another host.',
    words: { de: 'Das Ticket wurde für einen anderen Host ausgestellt.' },
    facts: ['of', 'at'],
  },
  forward_ticket_other_browser: {
    guard: 'session',
    explanation:
      'The ticket was issued for another browser: the cookie of the one that brought it is absent or another.',
    words: {
      de: 'Das Ticket wurde für einen anderen Browser ausgestellt: Das Cookie dessen, der es brachte, fehlt oder ist ein anderes.',
    },
  },
  forward_ticket_session_ended: {
    guard: 'session',
    explanation: 'The session of the ticket has come to its timeout.',
    words: { de: 'Die Sitzung des Tickets ist abgelaufen.' },
  },
  forward_host_unknown: {
    guard: 'session',
    explanation: 'No rule of FORWARD_AUTH_FILE names this host.',
    words: { de: 'Keine Regel von FORWARD_AUTH_FILE nennt diesen Host.' },
    facts: ['origin'],
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
