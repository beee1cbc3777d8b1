import type { verify as english } from './en.ts'

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
