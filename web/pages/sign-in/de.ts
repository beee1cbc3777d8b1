import type { signIn as english } from './en.ts'

export const signIn: typeof english = {
  title: 'Anmelden',
  usernameOrEmail: 'Benutzername oder E-Mail-Adresse',
  submit: 'Anmelden',
  otherWays: 'Andere Wege',
  withProvider: (name) => `Mit ${name} anmelden`,
  keepSignedIn: (days) => `${days === 1 ? 'Einen Tag' : `${days} Tage`} angemeldet bleiben`,
  rememberDevice: (days) =>
    `Auf diesem Gerät ${days === 1 ? 'einen Tag' : `${days} Tage`} lang nicht fragen`,
  beginAnew: 'Neu beginnen',
  problems: {
    wrong: 'Benutzername oder Passwort ist nicht richtig.',
    missing: 'Geben Sie Benutzername und Passwort ein.',
    captcha:
      'Geben Sie Ihr Passwort noch einmal ein. Ihr Browser muss zuerst eine kleine Rechenaufgabe lösen.',
    throttled: 'Das waren zu viele Versuche. Zum Schutz des Kontos müssen Sie etwas warten.',
    throttledCode:
      'Das waren zu viele falsche Codes. Zum Schutz des Kontos müssen Sie etwas warten.',
    ended:
      'Ihre Anmeldung hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Bitte beginnen Sie neu.',
  },
  again: {
    title: 'Bestätigen Sie, dass Sie es sind',
    lead: 'Für den nächsten Schritt müssen Sie sich noch einmal anmelden.',
  },
  arrival: {
    title: 'Einen Moment',
    text: 'Diese Seite wird noch einmal geladen. Wenn nichts geschieht, gehen Sie selbst weiter.',
  },
  newPassword: {
    title: 'Neues Passwort wählen',
    lead: 'Bevor es weitergeht, müssen Sie Ihr Passwort ersetzen. Anderswo werden Sie abgemeldet.',
    submit: 'Passwort speichern',
  },
  enrolment: {
    title: 'Zweiten Faktor einrichten',
    lead: 'Ihr Konto braucht einen zweiten Faktor: neben dem Passwort einen Code, den eine Authenticator-App auf Ihrem Telefon zeigt. Jede App für Einmalcodes ist geeignet.',
    passkey:
      'Oder benutzen Sie statt der App einen Passkey: Fingerabdruck, Gesicht oder PIN eines Geräts.',
    scan: '1. Scannen Sie diesen Code mit der App',
    orType: 'Oder tippen Sie ihn ein:',
    thenCode: '2. Geben Sie den Code ein, den die App zeigt',
  },
  recoveryCodes: {
    title: 'Ihre Wieder\u00adherstellungs\u00adcodes',
    lead: 'Ohne Ihr Telefon lässt Sie jeder dieser Codes einmal herein. Bewahren Sie sie sicher auf: Sie werden nicht noch einmal gezeigt.',
    submit: 'Ich habe sie aufbewahrt, weiter',
  },
  signOut: {
    title: 'Abmelden?',
    lead: (username) => `Sie sind als ${username} angemeldet.`,
    doneTitle: 'Abgemeldet',
    done: 'Sie sind in diesem Browser abgemeldet.',
    backTo: (host) => `Zurück zu ${host}`,
    notSignedIn: 'Sie sind in diesem Browser nicht angemeldet.',
    shared: 'An einem gemeinsam genutzten Computer',
    provider: (name) => `Auch bei ${name} abmelden`,
    providerTitle: (name) => `Bei ${name} abmelden?`,
    hereAndThere: (username, name) =>
      `Sie sind als ${username} angemeldet. Ihre Sitzung hier endet, und es geht weiter zu ${name}, um sich dort abzumelden.`,
    there: (name) =>
      `Sie sind in diesem Browser nicht angemeldet. Weiter zu ${name}, um sich dort abzumelden.`,
  },
}
