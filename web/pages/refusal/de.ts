import type { refusal as english } from './en.ts'

export const refusal: typeof english = {
  refusals: {
    signInFailed: [
      'Diese Anmeldung kann nicht abgeschlossen werden',
      'Sie hat zu lange gedauert, ist schon abgeschlossen oder wurde in einem anderen Browser oder Fenster begonnen.',
    ],
    accessDenied: [
      'Sie wurden nicht angemeldet',
      'Der Anbieter hat die Anmeldung nicht bestätigt, oder Ihr Konto darf hier nicht benutzt werden. Wenn Sie nicht selbst abgebrochen haben, fragen Sie die Administration dieses Dienstes.',
    ],
    passwordChangeRequired: [
      'Ihr Passwort muss zuerst geändert werden',
      'Melden Sie sich einmal mit Benutzername und Passwort in der Anwendung an, die Sie nutzen, und setzen Sie dort ein neues Passwort.',
    ],
    enrolmentRequired: [
      'Ihr Konto braucht einen zweiten Faktor',
      'Ihre Rollen verlangen einen, und noch ist keiner eingerichtet. Eine Anwendung kann ihn innerhalb von zehn Minuten mit dem Token unten einrichten. Geben Sie das Token nicht weiter.',
    ],
    invalidCredentials: [
      'Sie wurden nicht angemeldet',
      'Bei dem Konto kann man sich nicht mehr anmelden.',
    ],
    tooManyLoginAttempts: [
      'Zu viele falsche Codes',
      'Zum Schutz des Kontos wird einige Zeit kein weiterer Code angenommen.',
    ],
    tooManyRequests: [
      'Sie haben zu oft gefragt',
      'Warten Sie ein wenig, bevor Sie es noch einmal versuchen.',
    ],
    serviceUnavailable: [
      'Die Anmeldung geht gerade nicht',
      'Dieser Dienst oder der Anbieter ist nicht zu erreichen. Versuchen Sie es gleich noch einmal.',
    ],
    pageNotFound: [
      'Diese Seite gibt es nicht',
      'Vielleicht ist die Adresse falsch geschrieben, oder es gibt die Seite nicht mehr.',
    ],
    routeNotFound: [
      'Diese Anmeldung gibt es nicht',
      'Dieser Dienst hat keinen Anbieter dieses Namens. Die Startseite zeigt, welche er hat.',
    ],
  },
  otherwise: [
    'Etwas ist schiefgegangen',
    'Es wurde nichts geändert. Gehen Sie zurück und beginnen Sie von vorn.',
  ],
  signInAgain: 'Noch einmal anmelden',
}
