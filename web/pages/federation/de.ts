import type { federation as english } from './en.ts'

export const federation: typeof english = {
  refusals: {
    identityLinked: [
      'Diese Identität ist schon verknüpft',
      'Mit ihr meldet man sich bei einem anderen Konto an. Lösen Sie sie zuerst dort, um sie hier zu verknüpfen.',
    ],
    identityProvider: [
      'Der Anbieter hat einen Fehler gemacht',
      'Seine Antwort war nicht zu gebrauchen. Versuchen Sie es noch einmal, und sagen Sie es der Administration, wenn es wieder geschieht.',
    ],
  },
  landing: {
    signed_in: { title: 'Angemeldet', text: 'Sie sind angemeldet.' },
    confirmed: { title: 'Bestätigt', text: 'Der Anbieter hat bestätigt, dass Sie es sind.' },
    signed_out: {
      title: 'Abgemeldet',
      text: 'Sie sind hier abgemeldet. Weiter zum Anbieter, um sich auch dort abzumelden.',
    },
    came_back: {
      title: 'Anmeldung',
      text: 'Der Anbieter hat geantwortet. Die Anmeldung geht weiter.',
    },
    linked: { title: 'Identität verknüpft', text: 'Ab jetzt können Sie sich mit ihr anmelden.' },
  },
  secondFactor: {
    title: 'Zweiter Faktor',
    text: 'Ihr Konto verlangt einen zweiten Faktor. Geben Sie den Code ein, den Ihre Authenticator-App gerade zeigt.',
    textOfRecoveryCode:
      'Ihr Konto verlangt einen zweiten Faktor. Benutzen Sie einen Passkey, oder geben Sie einen Ihrer Wiederherstellungscodes ein.',
    recoveryCode: 'Wiederherstellungscode',
    textOfSeveral: 'Ihr Konto verlangt einen zweiten Faktor. Füllen Sie eines der Felder aus.',
    lostPhone: 'Telefon verloren?',
    wrong: 'Dieser Code ist falsch oder wurde schon benutzt. Geben Sie einen anderen ein.',
    missing: 'Geben Sie einen Code ein.',
  },
}
