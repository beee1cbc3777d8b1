/** Why a login, a second factor, a mailed code or a registration was refused. */
export const logins = {
  username_absent:
    'Es wurde kein Benutzername gesendet: Das Feld `username` fehlt, ist leer oder kein Text.',
  credentials_incomplete: 'In der Anfrage fehlt der Benutzername oder das Passwort.',
  username_invalid: 'Der gesendete Benutzername kann der Name keines Kontos sein.',
  no_such_account: 'Kein Konto hat den gesendeten Benutzernamen.',
  wrong_password: 'Das Konto gibt es, und das Passwort ist falsch.',
  account_without_password:
    'Das Konto gibt es, und es hat kein Passwort: Es meldet sich über einen Anbieter an.',
  password_change_absent:
    'Das Passwort stimmte; das Konto muss ein neues setzen, und new_password fehlte.',
  account_locked: 'Die Administration hat das Konto gesperrt.',
  account_disabled: 'Das Konto ist ausgeschaltet (active ist false).',
  account_waits_for_deletion:
    'Die Person hat die Löschung des Kontos beantragt; mit einem Link per E-Mail kann sie die Löschung zurücknehmen.',
  account_locked_out: 'Das Konto ist nach LOGIN_LOCK_AFTER Fehlversuchen in Folge ausgesperrt.',
  account_changed:
    'Das Konto hat seine Anmeldungen seitdem beendet: durch ein neues Passwort, eine Sperre, einen Faktor oder eine Abmeldung überall.',
  account_password_changed: 'Das Passwort des Kontos wurde geändert, während die Anfrage lief.',
  account_needs_factor:
    'Das Konto hat einen zweiten Faktor, den diese Art der Anmeldung nicht beweisen kann.',
  account_must_change_password: 'Das Konto muss zuerst sein Passwort ändern.',
  account_must_enrol:
    'Eine Rolle des Kontos verlangt einen zweiten Faktor (REQUIRE_SECOND_FACTOR), und es hat keinen.',
  account_gone: 'Das Konto wurde gelöscht, während die Anfrage lief.',
  requirement_added: 'Das Konto bekam eine weitere Bedingung, während die Anmeldung lief.',
  enrolment_due:
    'Die Anmeldung stimmte; eine Rolle des Kontos verlangt einen zweiten Faktor, der zuerst eingerichtet werden muss.',
  limit_username_address:
    'Zu viele Fehlversuche dieses Benutzernamens von dieser Adresse (LOGIN_ATTEMPTS).',
  limit_address: 'Zu viele Fehlversuche von dieser Adresse (LOGIN_ADDRESS_ATTEMPTS).',
  limit_second_factor: 'Zu viele falsche Codes des zweiten Faktors dieses Kontos.',
  limit_client: 'Zu viele falsche Geheimnisse dieses Clients von dieser Adresse.',
  limit_client_address: 'Zu viele falsche Geheimnisse von Clients von dieser Adresse.',
  captcha_absent:
    'Nach LOGIN_CAPTCHA_AFTER Fehlversuchen braucht die Anmeldung ein gelöstes Captcha, und keines kam.',
  captcha_wrong: 'Das Captcha ist falsch, abgelaufen oder wurde schon benutzt.',
  second_factor_absent: 'Das Konto hat einen zweiten Faktor, und kein Code kam.',
  second_factor_wrong:
    'Der Code der App ist falsch, nicht von dieser Zeit, oder wurde schon benutzt.',
  recovery_code_wrong: 'Der Wiederherstellungscode ist falsch oder wurde schon benutzt.',
  enrolment_code_wrong:
    'Der Code bestätigt die Einrichtung nicht: Er ist falsch, oder keine Einrichtung läuft.',
  second_factor_removed: 'Der zweite Faktor wurde entfernt, nachdem er bewiesen war.',
  login_too_old:
    'Die Anmeldung ist älter als REAUTHENTICATE_SECONDS, und diese Änderung verlangt eine frische.',
  proof_absent:
    'Mit der Änderung lässt sich das Konto übernehmen oder löschen, und der Anfrage fehlen Nachweise der Person, der das Konto gehört.',
  confirmation_malformed: 'Der gesendete Text kann kein Link und kein Code einer E-Mail sein.',
  confirmation_unknown:
    'Kein Link und kein Code dieser Kennung ist aufbewahrt: Es gab ihn nie, oder er ist vor einiger Zeit abgelaufen.',
  confirmation_wrong: 'Der Link oder der Code ist falsch oder gehört zu einem anderen Browser.',
  confirmation_used: 'Der Link oder der Code wurde schon benutzt oder zurückgezogen.',
  confirmation_expired: 'Der Link oder der Code ist abgelaufen.',
  confirmation_of_another_purpose: 'Die E-Mail wurde für etwas anderes gesendet.',
  confirmation_outlived:
    'Das Konto hat seine Anmeldungen seit der E-Mail beendet: durch ein neues Passwort, eine neue Adresse, einen Faktor oder eine Sperre.',
  confirmation_tries_used: 'Zu viele Codes wurden eingegeben; der Link der E-Mail gilt noch.',
  sign_up_not_open:
    'SIGN_UP lässt Fremde kein Konto anlegen: Es ist aus oder verlangt eine Einladung.',
  address_taken: 'Ein Konto hat diese E-Mail-Adresse bestätigt.',
  no_such_invitation: 'Es gibt keine Einladung dieser Kennung.',
  invitation_closed: 'Die Einladung wurde angenommen oder zurückgezogen.',
  inviter_without_account:
    'Wer einlädt, hat hier kein Konto; eines muss bis zur Annahme hinter der Einladung stehen.',
  inviter_not_allowed:
    'Wer eingeladen hat, wurde gelöscht, kann sich nicht anmelden oder hat die Rolle ADMIN nicht mehr.',
}
