/** Why a request to an application behind a proxy, or its session, was refused. */
export const forward = {
  forward_untrusted_peer:
    'Die Verbindung kommt von keinem Proxy aus TRUST_PROXY; was sie von einer Anfrage erzählt, zählt nicht.',
  forward_header_absent: 'Der Proxy hat diesen Header nicht gesendet.',
  forward_header_invalid:
    'Der Header kam zweimal oder hat keinen gültigen Wert: einen Host, wie ihn ein Browser schreibt, http oder https, einen Pfad in sichtbarem ASCII, eine Methode in Großbuchstaben.',
  forward_method_override:
    'Die Anfrage nennt der Anwendung eine andere Methode, die nicht gültig ist.',
  forward_path_differs:
    'Der Pfad, den der Proxy an die Adresse der Route hängte, ist nicht der von X-Forwarded-Uri.',
  forward_own_path:
    'Der Proxy fragt nach einem Pfad unter /.gatehouse/, statt ihn diesem Dienst zu geben; so kommt keine Anmeldung zurück.',
  forward_plain_http:
    'Wer fragt, wird nur über HTTPS angesehen, außer auf diesem Rechner: Cookie oder Passwort wären lesbar.',
  forward_denied: 'Eine Regel von FORWARD_AUTH_FILE verbietet es.',
  forward_no_rule: 'Keine Regel von FORWARD_AUTH_FILE ist dafür da.',
  forward_ambiguous:
    'Die Schreibweise des Pfads oder eine zweite Methode könnte die Anwendung die Anfrage anders lesen lassen als die Regel. Ein Pfad mit mehr als 200 Escapes und Semikolons wird gar nicht gelesen.',
  forward_path_override:
    'Ein Header nennt einen anderen Pfad, für den eine andere Regel gilt; die Anwendung könnte diesen Pfad ausliefern.',
  forward_no_account:
    'Das Token des Anbieters gehört zu keinem Konto hier; die Anwendung könnte seinen Namen für den eines anderen halten.',
  forward_second_factor:
    'Die Regel verlangt eine Anmeldung mit zweitem Faktor, und diese war ohne.',
  forward_session_malformed:
    'Der Wert des Cookies beim Host der Anwendung hat nicht die Form eines solchen dieses Dienstes.',
  forward_session_unknown:
    'Keine Sitzung beim Host einer Anwendung hat den Wert des Cookies: Sie ist beendet, oder eine spätere nahm ihren Platz ein.',
  forward_session_other_host:
    'Das Cookie gehört zu einer Sitzung beim Host einer anderen Anwendung.',
  forward_ticket_unknown:
    'Es gibt kein solches Ticket: Es wurde schon benutzt, seine Sitzung ist beendet, oder es gab es nie.',
  forward_ticket_late: 'Das Ticket kam später als zehn Sekunden nach seiner Ausstellung.',
  forward_ticket_other_host: 'Das Ticket wurde für einen anderen Host ausgestellt.',
  forward_ticket_other_browser:
    'Das Ticket wurde für einen anderen Browser ausgestellt: Das Cookie dessen, der es brachte, fehlt oder ist ein anderes.',
  forward_ticket_session_ended: 'Die Sitzung des Tickets ist abgelaufen.',
  forward_host_unknown: 'Keine Regel von FORWARD_AUTH_FILE nennt diesen Host.',
}
