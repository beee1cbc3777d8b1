import { plural } from '../../../languages/words.ts'
import type { imports as english } from './en.ts'

const accounts = plural('de', { one: 'ein Konto', other: '# Konten' })

export const imports: typeof english = {
  title: 'Import und Export',
  import: 'Konten importieren',
  hint: 'Eine CSV-Datei, deren erste Zeile die Spalten nennt, mit Komma, Semikolon oder Tabulator dazwischen:',
  hintJson:
    'Oder ein Konto in jeder Zeile als JSON, oder ein Array davon. Hashes anderer Systeme werden übernommen.',
  file: 'Datei',
  check: 'Datei prüfen',
  checkAgain: 'Noch einmal prüfen',
  checking: 'Die Datei wird geprüft. Dabei ändert sich nichts.',
  importing: 'Die Konten werden importiert. Lassen Sie diese Seite offen.',
  sent: (share) => `${Math.round(share * 100)} % gesendet`,
  works: 'Alles ist gesendet. Der Dienst arbeitet daran.',
  nothingStored:
    'Nichts aus der Datei wurde gespeichert: Ein Import speichert alle Zeilen oder keine.',
  maybeStored:
    'Ob der Import geschehen ist, ist nicht bekannt, ganz oder gar nicht. Prüfen Sie die Datei noch einmal: Konten, die es jetzt gibt, werden als solche gezeigt.',
  noLines: 'Die Datei hat keine Zeilen.',
  allGood: (count) => `Die Datei ist gut. Sie ergibt: ${accounts(count)}.`,
  mistakes: plural('de', { one: 'Es gibt einen Fehler.', other: 'Es gibt # Fehler.' }),
  allOrNone:
    'Alle Zeilen werden importiert oder keine: Berichtigen Sie die Datei, und prüfen Sie sie noch einmal.',
  importLines: (count) => `Importieren: ${accounts(count)}`,
  importTitle: (count) => `Importieren: ${accounts(count)}?`,
  imports: (count) => `Legt an: ${accounts(count)}.`,
  importEffects: [
    'Anmeldungen gelingen, wenn alle da sind; bis dahin sind sie unsichtbar.',
    'Es kann nicht auf einmal rückgängig gemacht werden: Jedes Konto wird für sich gelöscht.',
  ],
  importAction: 'Importieren',
  isImported: (count) => `Importiert: ${accounts(count)}.`,
  showImported: 'Die importierten Konten zeigen',

  line: 'Zeile',
  outcome: 'Was geschieht',
  outcomes: { import: 'wird angelegt', refuse: 'wird abgelehnt' },
  account: 'Konto',
  why: 'Warum',
  newAccount: 'Es ist neu.',
  isThere: 'Es gibt schon',
  unreadable: 'Die Zeile ist nicht lesbar.',
  refusedLines: plural('de', {
    one: 'Eine Zeile, die abgelehnt wird, neben dem, was jetzt da ist',
    other: '# Zeilen, die abgelehnt werden, neben dem, was jetzt da ist',
  }),
  goodLines: plural('de', {
    one: 'Eine Zeile, die importiert würde',
    other: '# Zeilen, die importiert würden',
  }),
  firstLines: plural('de', {
    one: 'Die erste Zeile, die importiert würde',
    other: 'Die ersten # Zeilen, die importiert würden',
  }),
  ignored: 'Diese Spalten werden nicht gelesen:',
  moreMistakes: 'Weitere Fehler',
  inLine: (line) => `Zeile ${line}`,
  shownMistakes: (shown, all) => `Die ersten ${shown} von ${all} sind gezeigt.`,
  fields: {
    username: 'Benutzername',
    name: 'Name',
    email: 'Kontaktadresse',
    roles: 'Rollen',
    user_id: 'Nummer',
    locked: 'Gesperrt',
    active: 'Aktiviert',
    must_change: 'Muss das Passwort ändern',
    created_at: 'Angelegt',
    password: 'Passwort',
  },
  hasHash: 'ein Hash, der übernommen wird',
  hasPassword: 'ein Passwort, das gehasht wird',
  hasNone: 'keines: Der Inhaber setzt eines beim Zurücksetzen',

  underWay: 'Zurzeit im Gange',
  anImport: 'Import',
  aDryRun: 'Prüfung einer Datei',
  linesRead: (count) => `${count} Zeilen gelesen`,
  since: 'seit',

  export: 'Konten exportieren',
  exportHint:
    'Alle Konten als JSON Lines, ohne Passwörter und zweite Faktoren. Gefilterte oder ausgewählte Konten exportiert die Liste, auch als CSV.',
  exportAction: 'Alle Konten exportieren',
}
