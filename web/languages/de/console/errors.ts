export const errors: Readonly<Record<string, string>> = {
  'Access denied': 'Ihre Rollen erlauben das nicht.',
  'Last administrator':
    'Das ist die letzte aktive Person mit der Rolle ADMIN: Geben Sie die Rolle zuerst einer anderen.',
  'Precondition failed': 'Es wurde inzwischen von einer anderen Person geändert.',
  'Invalid credentials': 'Das Passwort ist falsch.',
  'Too many login attempts':
    'Es gab zu viele Versuche. Warten Sie, und versuchen Sie es dann noch einmal.',
  'Captcha required':
    'Es gab mehrere falsche Passwörter. Melden Sie sich im anderen Tab an, wo zuerst eine kleine Aufgabe gelöst wird.',
  'Password change required':
    'Ihr Passwort muss zuerst geändert werden: Melden Sie sich im anderen Tab an.',
  'Second factor enrolment required':
    'Ihre Rollen brauchen einen zweiten Faktor: Richten Sie ihn im anderen Tab ein.',
  'Recent login required':
    'Dafür muss die Anmeldung frisch sein. Melden Sie sich neu an, und wiederholen Sie es.',
  'Confirmation required':
    'Bestätigen Sie, dass Sie es sind: mit Ihrem Passwort oder mit einem Code.',
  'Authentication required': 'Sie sind nicht angemeldet.',
  'Validation failed': 'Etwas ist nicht so, wie es sein muss',
  'Name and email required': 'Name und E-Mail-Adresse fehlen.',
  'Username already exists': 'Ein anderes Konto hat diesen Benutzernamen.',
  'User already has an account': 'Diese Person hat schon ein Konto.',
  'Email already in use': 'Ein anderes Konto hat diese Adresse bestätigt.',
  'No verified email': 'Das Konto hat keine bestätigte E-Mail-Adresse.',
  'Account locked or disabled': 'Das Konto ist gesperrt oder deaktiviert.',
  'Account not found': 'Dieses Konto gibt es nicht: Es wurde gelöscht, oder es gab es nie.',
  'User not found': 'Diese Person gibt es nicht: Sie wurde gelöscht, oder es gab sie nie.',
  'Post not found': 'Diesen Beitrag gibt es nicht: Er wurde gelöscht, oder es gab ihn nie.',
  'Invitation not found': 'Diese Einladung gibt es nicht.',
  'Invitation already closed':
    'Die Einladung wurde benutzt oder zurückgezogen, oder sie ist abgelaufen.',
  'Mail not found': 'Diese E-Mail gibt es nicht: Einige Zeit nach dem Versand wird sie entfernt.',
  'Mail already closed': 'Die E-Mail wurde gesendet, wird gerade gesendet oder ist beendet.',
  'Mail is not configured':
    'Es wird keine E-Mail gesendet: SMTP_URL und MAIL_FROM sind nicht gesetzt.',
  'Identity not found': 'Diese Identität gibt es nicht.',
  'Session not found': 'Diese Sitzung gibt es nicht: Sie ist beendet.',
  'Refusal not found':
    'Zu dieser Nummer ist keine Ablehnung aufbewahrt: Sie ist älter als 24 Stunden, oder die Nummer ist eine andere.',
  'Webhook not found': 'Diesen Webhook gibt es nicht: Er wurde entfernt, oder es gab ihn nie.',
  'Webhook delivery not found':
    'Diese Zustellung gibt es nicht: Zustellungen werden 30 Tage nach ihrem Ende entfernt.',
  'Webhook is disabled': 'Der Webhook ist ausgeschaltet: Schalten Sie ihn zuerst ein.',
  'Key not found': 'Diesen Schlüssel gibt es nicht.',
  'Key still signs':
    'Dieser Schlüssel signiert noch, oder sein Nachfolger signiert noch nicht an jedem Knoten. Wurde er bekannt, ersetzen Sie ihn sofort und warten Sie einige Sekunden.',
  'Key cannot be replaced here':
    'Dieser Schlüssel steht in den Einstellungen des Dienstes: Ersetzen Sie ihn dort.',
  'Request body too large': 'Es ist zu groß. Die Grenze ist BODY_LIMIT_BYTES.',
  'Route not found':
    'Der Dienst kennt das nicht: Ist er von einer anderen Version als diese Seite? Laden Sie die Seite neu.',
  'HTTPS required': 'Dafür braucht es HTTPS.',
}
