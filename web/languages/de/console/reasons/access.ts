/** Why a rule, the protection from other sites, or a resource refused. */
export const access = {
  csrf_token_absent: 'Die Anfrage ändert etwas mit einer Sitzung und enthält kein X-CSRF-Token.',
  csrf_token_other: 'X-CSRF-Token ist nicht das Token dieser Sitzung.',
  cross_site_request:
    'Eine Seite einer anderen Site, nicht in CORS_ORIGINS, hat die Anfrage mit Anmeldedaten des Browsers gesendet.',
  foreign_page:
    'Eine Seite eines anderen Ursprungs, nicht in CORS_ORIGINS, hat die Anfrage gesendet.',
  role_lacking: 'Das Konto hat keine der Rollen, die die Regel verlangt.',
  console_address: 'CONSOLE_ADDRESSES enthält die Adresse des Clients nicht.',
  scope_lacking: 'Dem Token fehlt ein Scope, den die Regel verlangt.',
  client_permission_lacking: 'CLIENTS_FILE erlaubt das diesem Client nicht.',
  resource_rule:
    'Die Regel der Ressource gilt hier nicht: Das Konto besitzt sie nicht, sie ist gesperrt, oder sie gehört einem ADMIN.',
  resource_rule_now:
    'Die Ressource änderte sich, während die Anfrage lief, und die Regel gilt nicht mehr.',
  own_account_here: 'Das eigene Passwort ändert man unter /api/account/password, nicht hier.',
  author_needed: 'Die Anfrage kommt von keiner Person dieses Dienstes, die etwas verfassen könnte.',
  author_gone: 'Die Person wurde gelöscht, während die Anfrage lief.',
  password_grant_off: 'OIDC_PASSWORD_GRANT ist für diesen Anbieter aus.',
  no_such_webhook_delivery: 'Es gibt keine Zustellung dieser Kennung.',
  webhook_disabled: 'An den Endpunkt wird nichts gesendet, denn er ist nicht eingeschaltet.',
  no_such_mail: 'Es gibt keine E-Mail dieser Kennung.',
  mail_closed: 'Die E-Mail wurde gesendet, wird gerade gesendet oder ist beendet.',
  no_such_key: 'Kein Schlüssel dieser kid prüft hier Signaturen.',
  key_signs: 'Der Schlüssel signiert, oder tut es, bis sein Nachfolger signiert.',
  key_not_replaced:
    'Der Schlüssel steht in den Einstellungen, oder kein Schlüssel dieses Algorithmus signiert hier.',
  resource_absent: 'Die Ressource, die der Pfad nennt, gibt es nicht.',
  resource_gone: 'Die Ressource wurde gelöscht, während die Anfrage lief.',
  no_own_account:
    'Die Anfrage kommt von keinem Konto, sondern von einem Client oder einer nicht verknüpften Identität.',
  no_own_user: 'Die Person des Kontos wurde gelöscht, während die Anfrage lief.',
  no_second_factor: 'Das Konto hat keinen zweiten Faktor.',
  no_such_identity: 'Das Konto hat keine verknüpfte Identität dieser Kennung.',
  no_such_user: 'Der Inhalt nennt eine Person, die es nicht gibt.',
  unknown_refusal:
    'Keine Ablehnung dieser Kennung ist aufbewahrt: unbekannt, von einer anderen Installation, älter als 24 Stunden oder von späteren ihrer Adresse verdrängt.',
  username_taken: 'Ein anderes Konto hat diesen Benutzernamen.',
  user_has_account: 'Die Person hat schon ein Konto.',
  identity_of_another: 'Die Identität ist mit einem anderen Konto verknüpft.',
  email_of_another: 'Ein anderes Konto hat dieselbe E-Mail-Adresse bestätigt.',
  email_not_verified: 'Das Konto hat keine bestätigte E-Mail-Adresse.',
  last_administrator: 'Die Änderung ließe kein aktives Konto mit der Rolle ADMIN übrig.',
}
