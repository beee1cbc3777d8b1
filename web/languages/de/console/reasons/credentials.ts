/** Why a credential, a session or a token was refused. */
export const credentials = {
  no_credential: 'Die Anfrage enthält keine Anmeldedaten einer Art, die die Route annimmt.',
  basic_malformed:
    'Der Header Authorization enthält keine gültigen Basic-Anmeldedaten: kein Base64 von UTF-8 mit Doppelpunkt.',
  client_basic_malformed:
    'Der Header Authorization enthält keine gültigen Basic-Anmeldedaten eines Clients.',
  unknown_client: 'CLIENTS_FILE hat keinen Client mit dieser Kennung.',
  wrong_client_secret: 'Das Geheimnis ist nicht das dieses Clients in CLIENTS_FILE.',
  caller_ended:
    'Die Anmeldedaten galten zu Beginn der Anfrage; Sitzung, Token oder Konto endeten, bevor sie fertig war.',
  no_caller_at_resource: 'Die Regel verlangt hier eine Anmeldung, und die Anfrage hat keine.',
  session_expected:
    'Die Route arbeitet mit der Sitzung; die Anfrage hat sich auf andere Weise angemeldet.',
  session_malformed:
    'Der Wert des Sitzungs-Cookies hat nicht die Form einer Sitzung dieses Dienstes.',
  session_unknown:
    'Keine Sitzung hat den Wert des Cookies: Sie endete durch eine Abmeldung, eine andere Anmeldung oder vor langer Zeit, oder es gab sie nie.',
  session_idle:
    'Die Sitzung endete, weil sie länger unbenutzt war, als SESSION_IDLE_SECONDS erlaubt.',
  session_too_old: 'Die Sitzung endete, weil sie SESSION_ABSOLUTE_SECONDS erreichte.',
  session_ended_with_logins:
    'Die Sitzung endete, weil alle Anmeldungen des Kontos beendet wurden: durch ein neues Passwort, eine Sperre, einen Faktor oder eine Abmeldung überall.',
  session_of_unusable_account:
    'Das Konto der Sitzung ist durch die Administration gesperrt oder ausgeschaltet.',
  session_must_enrol:
    'Eine Rolle des Kontos verlangt einen zweiten Faktor; die Sitzung darf nur einen einrichten.',
  session_absent: 'Das Konto hat keine Sitzung dieser Kennung.',
  token_malformed:
    'Das Token ist kein kompaktes JWS: drei kanonische base64url-Teile mit JSON-Header, höchstens 8 kB.',
  token_extension:
    'Der Header des Tokens hat crit oder b64, und keine Erweiterung wird unterstützt.',
  token_unknown_key:
    'Kein Schlüssel des Ausstellers hat die kid des Tokens: Er wurde entfernt oder gehört zu einem anderen Dienst.',
  token_wrong_algorithm: 'Die alg des Tokens ist nicht der Algorithmus seines Schlüssels.',
  token_bad_signature:
    'Die Signatur passt nicht: Das Token wurde verändert, oder ein anderer Schlüssel hat es signiert.',
  token_payload_malformed: 'Der Inhalt des Tokens ist kein JSON-Objekt.',
  claim_type:
    'Der Anspruch type ist nicht der, den die Route annimmt: zum Beispiel ein Refresh-Token, wo ein Access-Token verlangt ist.',
  claim_iss: 'Der Anspruch iss ist nicht der eingestellte Aussteller.',
  claim_sub: 'Der Anspruch sub ist keine gültige Person.',
  claim_malformed: 'Ein Anspruch fehlt oder hat nicht seinen Typ.',
  claim_exp: 'Das Token ist abgelaufen (Anspruch exp).',
  claim_nbf: 'Das Token gilt noch nicht (Anspruch nbf). Vielleicht gehen die Uhren verschieden.',
  claim_iat:
    'Das Token wurde in der Zukunft ausgestellt (Anspruch iat). Vielleicht gehen die Uhren verschieden.',
  claim_aud: 'Der Anspruch aud enthält nicht den eingestellten Empfänger.',
  token_of_another_kind:
    'Das Token des Anbieters ist kein Access-Token oder ist an einen Schlüssel gebunden.',
  token_revoked: 'Das Token wurde widerrufen: Seine jti steht auf der Sperrliste.',
  token_pair_ended:
    'Das Paar des Tokens ist beendet: durch eine Abmeldung, einen Widerruf oder die zweite Benutzung eines Refresh-Tokens.',
  token_signed_out:
    'Das Konto hat alle seine Tokens beendet, seit dieses ausgestellt wurde: Seine ver ist zu klein.',
  token_revoked_earlier:
    'Das Token ist älter als das Protokoll der Widerrufe, und die Tabellen sagen, dass es beendet ist.',
  external_account_unusable:
    'Das Konto, mit dem die Identität verknüpft ist, ist gesperrt oder ausgeschaltet.',
  refresh_token_absent: 'Die Anfrage enthält keinen Text als refresh_token.',
  refresh_token_reused: 'Das Refresh-Token wurde schon benutzt: Das ganze Paar ist jetzt beendet.',
  refresh_token_revoked: 'Das Refresh-Token wurde widerrufen.',
  refresh_account_gone: 'Das Konto des Refresh-Tokens gibt es nicht mehr.',
}
