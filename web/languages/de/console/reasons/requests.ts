/** Why a request was refused by its form, by a limit, or by its address. */
export const requests = {
  misshapen_request:
    'Die Anfrage ist weder HTTP/1.1 noch 1.0, hat keinen gültigen Host, wiederholt einen Header, der einmal vorkommen darf, oder hat Stücke in HTTP/1.0.',
  bad_url: 'Die Adresse der Anfrage lässt sich nicht dekodieren.',
  client_gone:
    'Der Client hat die Verbindung beendet, bevor Anfrage oder Antwort vollständig waren.',
  too_many_requests:
    'Die Adresse hat mehr Anfragen gesendet, als RATE_LIMIT_MAX in diesem Zeitraum erlaubt.',
  limit_mail_of_client:
    'Die Adresse hat mehr E-Mails verlangt, als MAIL_REQUESTS_PER_CLIENT in einer Stunde erlaubt.',
  limit_taken_usernames:
    'Mit einem Link oder Code oder von einer Adresse wurden zu viele Benutzernamen versucht, die vergeben sind.',
  backups_off: 'Der Dienst macht selbst keine Sicherungen: BACKUP_DIR ist nicht gesetzt.',
  mail_off: 'Der Dienst sendet keine E-Mail: SMTP_URL ist nicht gesetzt.',
  unknown_route: 'Keine Route hat diese Methode und diesen Pfad.',
  unknown_route_of_group:
    'Der Pfad gehört zu einer Gruppe von Routen, und keine der Gruppe hat ihn.',
  empty_parameter: 'Ein Parameter des Pfads ist leer.',
  unknown_asset: 'Die Seite hat keine Datei dieses Namens.',
  sign_in_by_mail_off: 'Die Anmeldung per E-Mail ist aus: SIGN_IN_BY_MAIL.',
  captchas_off: 'Captchas sind aus: LOGIN_CAPTCHA_AFTER ist 0.',
  no_such_provider: 'Für die Anmeldung ist kein Anbieter dieses Namens eingerichtet.',
  body_not_json: 'Der Inhalt ist kein gültiges JSON.',
  body_empty: 'Die Route verlangt einen Inhalt, und es kam keiner.',
  body_of_other_type: 'Der Content-Type des Inhalts ist keiner, den die Route liest.',
  body_of_other_coding:
    'Der Inhalt hat ein Content-Encoding, und keines außer identity wird gelesen.',
  body_of_other_charset: 'Der Zeichensatz des Inhalts ist nicht UTF-8.',
  form_malformed:
    'Das Formular hat zu viele Felder, ein Feld zweimal, oder Zeichen, die kein UTF-8 sind.',
  body_not_utf8: 'Der Inhalt ist kein UTF-8.',
  body_length_invalid: 'Die Content-Length ist nicht gültig oder nicht die des Inhalts.',
  body_too_large: 'Der Inhalt ist größer, als die Route erlaubt.',
  body_too_slow: 'Der Inhalt kam nicht rechtzeitig an.',
  body_cut: 'Der Inhalt endete, bevor er vollständig war.',
  schema_violated: 'Felder des Inhalts verletzen die Regeln des Schemas.',
  fields_absent: 'Verlangte Felder des Inhalts fehlen oder sind null.',
  field_refused: 'Ein Feld verletzt eine Regel.',
  roles_unknown: 'Die Liste der Rollen enthält einen Namen, der hier keine Rolle ist.',
  lines_refused: 'Zeilen des Imports sind nicht annehmbar.',
  etag_differs: 'If-Match nennt eine andere Fassung der Ressource: Sie wurde inzwischen geändert.',
  idempotency_key_reused: 'Der Idempotency-Key wurde schon mit einem anderen Inhalt benutzt.',
  idempotency_answer_erased:
    'Der Idempotency-Key wurde schon benutzt, und die Person, die die Antwort nannte, wurde inzwischen gelöscht.',
}
