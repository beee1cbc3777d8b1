import type { reset as english } from './en.ts'

export const reset: typeof english = {
  title: 'Passwort vergessen?',
  lead: 'Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein. Wenn Ihr Konto eine bestätigte Adresse hat, senden wir einen Link und einen Code dorthin, mit denen Sie ein neues Passwort wählen.',
  field: 'Benutzername oder E-Mail-Adresse',
  problems: {
    missing: 'Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein.',
    form: 'Das kann weder ein Benutzername noch eine E-Mail-Adresse sein.',
  },
  sendMail: 'E-Mail senden',
  remembered: 'Fällt es Ihnen wieder ein?',
  signIn: 'Anmelden',
  notices: {
    link: 'Dieser Link gilt nicht mehr: Er wurde schon benutzt, ist abgelaufen oder nicht vollständig kopiert. Fordern Sie einen neuen an.',
    ended:
      'Das hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Bitte beginnen Sie neu.',
  },

  askedFor: 'Sie haben ein neues Passwort angefordert für',
  ifAccount:
    'Wenn es ein Konto gibt, ist eine E-Mail an seine bestätigte Adresse unterwegs. Öffnen Sie den Link darin, oder geben Sie den Code hier ein.',
  countsUntil: 'Link und Code gelten bis',
  codeHere:
    'oder kürzer, wenn schon vorher eine E-Mail gesendet wurde. Der Code gilt nur in diesem Fenster.',
  noMailHint:
    'Sehen Sie im Spam-Ordner nach. Aus diesem Fenster senden wir höchstens eine E-Mail in der Minute, und an eine Adresse nur wenige in der Stunde. Ohne bestätigte Adresse kann nur die Administration dieses Dienstes helfen.',
  sentAgain: 'Wenn es ein Konto gibt, ist die E-Mail noch einmal unterwegs.',
  other: 'Anderen Namen oder andere Adresse verwenden',

  factor: 'Zweiter Faktor',
  factorText: (username) =>
    `Das Konto ${username} ist durch einen zweiten Faktor geschützt. Geben Sie den Code ein, den Ihre Authenticator-App jetzt zeigt, oder einen Ihrer Wiederherstellungscodes.`,
  factorProblems: {
    wrong: 'Dieser Code ist falsch oder wurde schon benutzt. Geben Sie einen anderen ein.',
    missing: 'Geben Sie einen Code ein.',
    throttled: 'Es gab zu viele falsche Codes.',
  },

  password: 'Wählen Sie ein neues Passwort',
  account: 'Konto',
  passwordText: 'Mit dem neuen Passwort werden Sie überall abgemeldet.',
  notYou:
    'Wenn Sie das nicht angefordert haben, schließen Sie diese Seite: Es wurde nichts geändert.',
  before: {
    restored:
      'Ihre frühere Adresse ist wieder da. Das Konto ist überall abgemeldet, und was seit Beginn der Änderung hinzukam, ist entfernt.',
  },
  save: 'Neues Passwort speichern',

  done: 'Ihr Passwort ist geändert',
  doneText: (username) =>
    `Das Konto ${username} hat ein neues Passwort und ist überall abgemeldet. Melden Sie sich jetzt mit dem neuen Passwort an.`,

  deletion: {
    title: 'Behalten Sie Ihr Konto',
    text: 'Ihr Konto soll gelöscht werden. Mit einem neuen Passwort behalten Sie es.',
    passwordOptional:
      'Ihr Konto hat kein Passwort. Sie können es auch ohne Passwort behalten und sich wie bisher über Ihren Anbieter anmelden.',
    keep: 'Ohne Passwort behalten',
    done: 'Ihr Konto wird nicht gelöscht',
    doneText: (username) => `Die Löschung des Kontos ${username} ist zurückgenommen.`,
  },

  unavailable: 'Passwörter können hier nicht zurückgesetzt werden',
  unavailableText:
    'Dieser Dienst kann keine E-Mails senden. Bitten Sie die Administration dieses Dienstes um ein neues Passwort.',
}
