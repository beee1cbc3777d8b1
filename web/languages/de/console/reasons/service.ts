/** Why a sign-in through a provider, a flow of pages, or the service itself refused. */
export const service = {
  flow_cookie_absent: 'Der Browser kam ohne das Cookie einer Anmeldung zurück, die er hier begann.',
  proof_not_fresh:
    'Eine Anmeldung beim Anbieter, mit der sich eine Person ausweisen sollte, war älter als die Anfrage danach, oder ihr ID-Token hat kein auth_time.',
  proof_of_another_identity:
    'Eine Anmeldung beim Anbieter, mit der sich eine Person ausweisen sollte, gehört zu einer Identität, die nicht mit dem Konto verknüpft ist.',
  flow_unknown:
    'Keine Anmeldung dieses Zustands und Browsers läuft: Sie ist abgelaufen, wurde benutzt oder begann anderswo.',
  flow_of_another_issuer:
    'Der Aussteller des Anbieters wurde geändert, während die Anmeldung lief.',
  flow_ticket_unknown:
    'Keine Anmeldung wartet auf diesen Code: Sie ist abgelaufen, wurde benutzt oder begann anderswo.',
  linker_ended: 'Die Sitzung oder das Token, mit dem die Verknüpfung begann, ist beendet.',
  provider_denied: 'Der Anbieter, oder die Person dort, hat die Anmeldung verweigert.',
  provider_answer_unacceptable: 'Die Antwort des Anbieters ist nicht annehmbar.',
  provider_return_invalid: 'Der Browser kam mit Parametern zurück, die nicht zur Anmeldung passen.',
  provider_unreachable: 'Der Anbieter antwortet nicht.',
  sign_up_off: 'Die Identität ist mit keinem Konto verknüpft, und OIDC_SIGN_UP ist aus.',
  sign_up_without_email:
    'Ein neues Konto braucht eine gültige E-Mail-Adresse, die der Anbieter nicht nennt.',
  sign_up_names_taken: 'Alle Benutzernamen, die zum neuen Konto passen, sind vergeben.',
  too_many_sign_ins: 'Zu viele Anmeldungen über Anbieter laufen gerade.',
  page_flow_unknown:
    'Kein Ablauf dieser Kennung und dieses Browsers ist im Gang: Er ist abgelaufen, beendet oder begann anderswo.',
  page_flow_moved_on: 'Eine andere Anfrage hat den Ablauf weitergeführt oder beendet.',
  too_many_page_flows: 'Zu viele Abläufe von Seiten sind im Gang.',
  database_unavailable: 'Die Datenbank ist gesperrt, voll oder nicht erreichbar.',
  mail_not_sent:
    'Der Mailserver nimmt keine E-Mails an, oder Hinweise stauen sich; die Änderung setzt einen Hinweis per E-Mail voraus.',
  queue_full: 'Es wartet mehr Arbeit, als die Warteschlange fasst.',
  password_waited_too_long:
    'Das Passwort wartete so lange auf seine Prüfung, dass der Versuch verfallen konnte.',
  bodies_hold_memory: 'Die Inhalte der laufenden Anfragen belegen allen Speicher, den sie dürfen.',
  large_answers_wait: 'Zu viele große Antworten warten, bis sie an der Reihe sind.',
  shutting_down: 'Der Dienst wird gerade beendet.',
  not_ready: 'Der Dienst ist nicht bereit: docs/health.md hat eine Zeile für jede Ursache.',
  import_given_up: 'Ein anderer Prozess hielt den Import für tot und hat ihn beendet.',
  deadline_passed: 'Die Anfrage dauerte länger, als ihre Route erlaubt.',
  unexpected_failure:
    'Der Dienst hat einen Fehler gemacht: Im Log steht er unter der Kennung dieser Anfrage.',
}
