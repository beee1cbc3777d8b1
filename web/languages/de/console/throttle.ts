import type { throttle as english } from '../../en/console/throttle.ts'
import { plural } from '../../words.ts'

export const throttle: typeof english = {
  title: 'Drosselung',
  lead: 'Jede fehlgeschlagene Anmeldung zählt für ihren Benutzernamen und für ihre Adresse. Was voll ist, lehnt die nächsten Versuche ungeprüft ab, bis es wieder frei ist.',
  accounts: 'Konten mit Fehlversuchen in Folge',
  accountsEmpty: 'Kein Konto hat einen Fehlversuch, auf den keine gute Anmeldung folgte.',
  counts: 'Was die Grenzen zählen',
  countsEmpty: 'Keine Grenze zählt gerade einen Versuch: Es rät niemand Passwörter.',
  columns: {
    username: 'Konto',
    failures: 'Fehlversuche in Folge',
    state: 'Zustand',
    count: 'Grenze',
    address: 'Adresse',
    used: 'Verbraucht',
    until: 'Wieder frei',
    actions: 'Aktionen',
  },
  limits: {
    login: 'Benutzername von einer Adresse',
    address: 'Alle Anmeldungen von einer Adresse',
    captcha: 'Captcha eines Benutzernamens von einer Adresse',
    second_factor: 'Zweiter Faktor eines Kontos',
    client: 'Geheimnis eines Clients von einer Adresse',
    client_address: 'Alle Clients von einer Adresse',
  },
  state: { out: 'ausgesperrt', full: 'voll', counting: 'zählt' },
  usedOf: (used, attempts) => (attempts === 0 ? `${used}` : `${used} von ${attempts}`),
  pending: plural('de', { one: '# wird geprüft', other: '# werden geprüft' }),
  clear: 'Aufheben',
  clearTitle: (name) => `Die Fehlversuche von ${name} vergessen?`,
  clearEffects: [
    'Seine Grenzen sind leer: Es hat wieder alle Versuche, von jeder Adresse.',
    'Eine automatische Aussperrung endet. Eine Sperre der Administration bleibt.',
    'Das lässt sich nicht rückgängig machen. Rät ein Fremder das Passwort, macht er früher weiter.',
  ],
  clearAddressEffects: [
    'Alle hinter dieser Adresse können sofort wieder versuchen, sich anzumelden.',
    'Die Grenzen der einzelnen Benutzernamen an dieser Adresse bleiben.',
    'Das lässt sich nicht rückgängig machen. Rät von dort ein Fremder Passwörter, macht er früher weiter.',
  ],
  clearAction: 'Drosselung aufheben',
  cleared: (name) => `Die Fehlversuche von ${name} sind vergessen.`,
  noClear: 'endet von selbst',
  unknownName: 'kein Konto',
  whyThis: 'Warum?',
}
