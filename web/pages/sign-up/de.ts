import type { signUp as english } from './en.ts'

export const signUp: typeof english = {
  noAccount: 'Noch kein Konto?',
  createOne: 'Konto anlegen',
  title: 'Konto anlegen',
  lead: 'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link und einen Code; danach wählen Sie Benutzername und Passwort.',
  sendMail: 'E-Mail senden',
  hasAccount: 'Sie haben schon ein Konto?',
  signIn: 'Anmelden',
  ended:
    'Ihre Registrierung hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Bitte beginnen Sie neu.',
  emailProblems: {
    form: 'Das ist keine E-Mail-Adresse. Sie sieht aus wie name@example.org.',
    domain:
      'Mit Adressen dieser Domain kann man sich hier nicht registrieren. Nehmen Sie eine andere Adresse.',
  },

  sentTo: 'Wir haben eine E-Mail gesendet an',
  openOrType: 'Öffnen Sie den Link darin, oder geben Sie den Code hier ein.',
  countsUntil: 'Der Link gilt bis',
  codeHere:
    'oder kürzer, wenn zuvor schon eine E-Mail gesendet wurde. Der Code gilt nur in diesem Fenster.',
  noMailHint:
    'Sehen Sie im Spam-Ordner nach, und prüfen Sie die Adresse. Aus diesem Fenster senden wir höchstens eine E-Mail in der Minute, und an eine Adresse nur wenige in der Stunde.',
  sentAgain: 'Die E-Mail ist noch einmal unterwegs.',
  otherAddress: 'Eine andere Adresse nehmen',

  profile: 'Ihr neues Konto',
  confirmed: 'Bestätigt ist',
  choose: 'Wählen Sie jetzt, wie Sie sich anmelden wollen.',
  notYou:
    'Wenn Sie nicht um ein Konto gebeten haben, schließen Sie diese Seite: Es wurde nichts angelegt.',
  usernameHint: 'Bis zu 64 Zeichen. Groß- und Kleinschreibung macht keinen Unterschied.',
  name: 'Ihr Name',
  nameHint: 'So, wie andere ihn sehen.',
  makeAccount: 'Konto anlegen',
  usernameProblems: {
    missing: 'Wählen Sie einen Benutzernamen.',
    form: 'Ein Benutzername hat bis zu 64 Zeichen, keinen Doppelpunkt und keine unsichtbaren Zeichen.',
    taken: 'Dieser Benutzername ist vergeben. Wählen Sie einen anderen.',
    too_often:
      'Sie haben zu viele Benutzernamen versucht, die vergeben sind. Versuchen Sie es in 15 Minuten wieder. Ihr Link bleibt gültig.',
    scripts:
      'Dieser Benutzername mischt Buchstaben mehrerer Alphabete. Verwenden Sie Buchstaben eines Alphabets.',
    address:
      'Dieser Benutzername ist eine E-Mail-Adresse. Wählen Sie die bestätigte Adresse oder einen Namen, der keine Adresse ist.',
    reserved: 'Dieser Benutzername ist reserviert. Wählen Sie einen anderen.',
  },
  nameProblems: {
    missing: 'Geben Sie Ihren Namen ein.',
    form: 'Ein Name hat bis zu 100 Zeichen.',
  },

  closed: 'Sie können sich hier nicht registrieren',
  whyClosed: {
    off: 'Neue Konten legt die Administration dieses Dienstes an.',
    invitation:
      'Neue Konten brauchen eine Einladung. Bitten Sie die Administration dieses Dienstes darum.',
    mail: 'Dieser Dienst kann keine E-Mails senden, die eine Registrierung braucht. Wenden Sie sich an die Administration dieses Dienstes.',
  },

  taken: 'Sie haben schon ein Konto',
  takenText:
    'Zu dieser E-Mail-Adresse gibt es ein Konto. Melden Sie sich an, oder wählen Sie ein neues Passwort.',
  forgotPassword: 'Passwort vergessen?',

  deadLink: 'Dieser Link gilt nicht mehr',
  deadLinkText:
    'Er wurde schon benutzt, ist abgelaufen oder wurde nicht vollständig kopiert. Wenn Ihr Konto angelegt ist, melden Sie sich an; sonst beginnen Sie neu.',
  beginAgain: 'Neu beginnen',
}
