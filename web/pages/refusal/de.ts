import type { refusal as english } from './en.ts'

export const refusal: typeof english = {
  told: {
    signInFailed: [
      'Diese Anmeldung kann nicht abgeschlossen werden',
      'Sie hat zu lange gedauert, ist schon abgeschlossen oder wurde in einem anderen Browser oder Fenster begonnen.',
    ],
    accessDenied: [
      'Sie wurden nicht angemeldet',
      'Der Anbieter hat die Anmeldung nicht bestätigt, oder Ihr Konto darf hier nicht benutzt werden. Wenn Sie nicht selbst abgebrochen haben, fragen Sie die Administration dieses Dienstes.',
    ],
    consoleElsewhere: [
      'Die Konsole lässt sich von hier nicht öffnen',
      'CONSOLE_ADDRESSES nennt die Netze, aus denen sie geöffnet werden darf, und Ihres ist nicht darunter. Öffnen Sie sie aus einem davon, etwa über Ihr VPN. Ihr eigenes Konto finden Sie unter /account.',
    ],
    passwordChangeRequired: [
      'Ihr Passwort muss zuerst geändert werden',
      'Melden Sie sich einmal mit Benutzername und Passwort in der Anwendung an, die Sie nutzen, und setzen Sie dort ein neues Passwort.',
    ],
    enrolmentRequired: [
      'Ihr Konto braucht einen zweiten Faktor',
      'Ihre Rollen verlangen einen, und noch ist keiner eingerichtet. Eine Anwendung kann ihn innerhalb von zehn Minuten mit dem Token unten einrichten. Geben Sie das Token nicht weiter.',
    ],
    identityLinked: [
      'Diese Identität ist schon verknüpft',
      'Mit ihr meldet man sich bei einem anderen Konto an. Lösen Sie sie zuerst dort, um sie hier zu verknüpfen.',
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
    identityProvider: [
      'Der Anbieter hat einen Fehler gemacht',
      'Seine Antwort war nicht zu gebrauchen. Versuchen Sie es noch einmal, und sagen Sie es der Administration, wenn es wieder geschieht.',
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
