import type { Texts } from '../../../web/languages/languages.ts'

export const badge: Texts['badge'] = {
  title: 'Ausweis',
  signIn: 'Mit einem Ausweis anmelden',
  lead: 'Öffnen Sie den Code Ihres Ausweises mit der Kamera, oder geben Sie ein, was darauf steht.',
  words: 'Wörter des Ausweises',
  note: 'Wörter auf einem Zettel',
  read: 'Ihr Ausweis wurde gelesen.',
  withPassword: 'Mit einem Passwort anmelden',
  problems: {
    wrong: 'Benutzername und Wörter gehören nicht zusammen. Nehmen Sie den neuesten Ausweis.',
    throttled: 'Es waren zu viele Versuche. Warten Sie eine Weile.',
  },
  summary: 'Mit einer Karte anmelden, ohne Passwort.',
  explanation:
    'Wer Ihren Ausweis hat, kann sich anmelden. Nach einem zweiten Faktor wird wie immer gefragt.',
  none: 'keiner',
  isThere: 'einer',
  since: 'Sie haben einen Ausweis seit:',
  change: 'Sie möchten einen Ausweis erstellen.',
  qr: 'QR-Code Ihres Ausweises',
  make: 'Einen neuen Ausweis erstellen',
  makeHint: 'Mit dem Ausweis davor kann sich niemand mehr anmelden.',
  remove: 'Den Ausweis entfernen',
  removed: 'Der Ausweis wurde entfernt.',
  newTitle: 'Ihr Ausweis',
  shownOnce:
    'Er wird nur dieses eine Mal angezeigt. Drucken Sie diese Seite, oder kopieren Sie die Wörter.',
  username: 'Benutzername',
  link: 'Adresse',
  keptIt: 'Ich habe ihn aufbewahrt',
}
