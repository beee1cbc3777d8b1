import type { verify as english, ownEmail as englishOwnEmail } from './en.ts'

export const verify: typeof english = {
  title: {
    verification: 'Bestätigen Sie Ihre E-Mail-Adresse',
    email_change: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    email_undo: 'Änderung Ihrer Adresse zurücknehmen',
  },
  text: {
    verification:
      'Damit bestätigen Sie, dass Sie die E-Mails an diese Adresse lesen, für Ihr Konto:',
    email_change: 'Diese Adresse tritt dann an die Stelle der bisherigen, für Ihr Konto:',
    email_undo:
      'Diese Adresse ersetzt die neue wieder. Das Konto wird überall abgemeldet, und was seit Beginn der Änderung hinzukam, wird entfernt: Passwort, zweiter Faktor, verknüpfte Identitäten. Danach wählen Sie ein neues Passwort.',
  },
  address: 'E-Mail-Adresse',
  account: 'Konto',
  confirm: {
    verification: 'Bestätigen',
    email_change: 'Bestätigen',
    email_undo: 'Zurücknehmen',
  },
  notYou: {
    verification:
      'Wenn dieses Konto nicht Ihres ist, schließen Sie diese Seite: Es wurde nichts geändert.',
    email_change:
      'Wenn dieses Konto nicht Ihres ist, schließen Sie diese Seite: Es wurde nichts geändert.',
    email_undo: 'Wenn Sie die Adresse selbst geändert haben, schließen Sie diese Seite.',
  },
  done: {
    verified: 'Ihre Adresse ist bestätigt',
    changed: 'Ihre Adresse ist geändert',
    restored: 'Ihre Adresse ist wieder da',
  },
  doneText: {
    verified: 'E-Mails Ihres Kontos gehen von jetzt an an',
    changed: 'E-Mails Ihres Kontos gehen von jetzt an an',
    restored:
      'Das Konto ist überall abgemeldet, und was seit Beginn der Änderung hinzukam, ist entfernt. Wenn Sie noch kein neues Passwort gewählt haben, wählen Sie jetzt eines. E-Mails Ihres Kontos gehen an',
  },
  goToAccount: 'Zu Ihrem Konto',
  newPassword: 'Neues Passwort wählen',

  taken: 'Diese Adresse gehört zu einem anderen Konto',
  takenText:
    'Ein anderes Konto hat sie vorher bestätigt, und eine Adresse kann nur zu einem Konto gehören:',

  noLink: 'Adresse bestätigen',
  noLinkText:
    'Öffnen Sie den Link in der E-Mail, die wir Ihnen gesendet haben, oder geben Sie den Code auf der Seite Ihres Kontos ein.',
  invalidLink: 'Dieser Link gilt nicht mehr',
  invalidLinkText:
    'Er wurde schon benutzt, ist abgelaufen oder nicht vollständig kopiert. Fordern Sie auf der Seite Ihres Kontos einen neuen an.',
}

export const ownEmail: typeof englishOwnEmail = {
  emailTitle: 'E-Mail-Adresse',
  emailSummary: 'Ihre Adresse bestätigen oder ändern.',
  emailIs: 'Ihre bestätigte Adresse ist',
  emailNone:
    'Sie haben keine bestätigte Adresse. Ohne sie erhalten Sie kein neues Passwort per E-Mail.',
  undeliverable:
    'E-Mails an diese Adresse kommen zurück. Berichtigen Sie sie, oder bestätigen Sie sie noch einmal, wenn das Postfach wieder erreichbar ist.',
  pendingTitle: 'Eine Adresse wartet auf ihre Bestätigung',
  pending: 'Wir haben eine E-Mail gesendet an',
  pendingUntil: 'Ihr Link und ihr Code gelten bis',
  confirmCode: 'Bestätigen',
  giveUp: 'Diese Adresse verwerfen',
  verifyTitle: 'Adresse bestätigen',
  changeTitle: 'Adresse ändern',
  sendMail: 'E-Mail senden',
  changeExplanation:
    'Sie tritt an die Stelle der jetzigen, sobald Sie sie dort bestätigen. Die jetzige wird benachrichtigt und kann die Änderung sieben Tage lang zurücknehmen.',
  verifyExplanation: 'Wir senden eine E-Mail mit einem Link und einem Code dorthin.',
  mailOff: 'Dieser Dienst sendet keine E-Mails; deshalb kann keine Adresse bestätigt werden.',
  noEmail: 'noch keine bestätigte Adresse',
  twoAddresses:
    'Die Kontaktadresse sehen andere; nur die bestätigte, die nachweislich Ihre ist, erhält E-Mails von uns und kann zum Anmelden dienen.',
  languageLabel: 'Sprache der Seiten und E-Mails',
  languageOfBrowser: 'wie Ihr Browser es wünscht',
  save: 'Speichern',
  done: {
    language: 'Ihre Sprache wurde geändert.',
    email_sent:
      'Wir haben eine E-Mail gesendet. Öffnen Sie ihren Link, oder geben Sie ihren Code hier ein.',
    email_cancelled: 'Die neue Adresse wurde verworfen.',
    email_verified: 'Ihre Adresse ist bestätigt.',
    email_changed: 'Ihre Adresse wurde geändert. Die alte wurde benachrichtigt.',
  },
  problems: {
    email_invalid: 'Das ist keine E-Mail-Adresse.',
    email_taken: 'Ein anderes Konto hat diese Adresse bestätigt.',
  },
}
