import { errors } from 'made:errors-de'
import type { frame as english } from '../../en/console/frame.ts'
import { plural } from '../../words.ts'
import { common } from '../common.ts'

export const frame: typeof english = {
  common,
  navigation: 'Bereiche',
  groups: {
    overview: 'Überblick',
    people: 'Personen',
    records: 'Inhalte',
    connections: 'Betrieb',
    operation: 'System',
  },
  menu: 'Menü',
  searchAccounts: 'Konten suchen',
  ownAccount: 'Ihr Konto und Ihre Sprache',
  reference: 'Referenz der API',
  help: {
    open: 'Hilfe: Tasten',
    title: 'Tasten',
    search: 'Zur Suche',
    itself: 'Diese Hilfe',
    arrows: 'Von Zeile zu Zeile in einer Tabelle',
    escape: 'Schließen, was offen ist',
    areOn: 'Einzelne Tasten sind an',
    times: 'Zeiten stehen in Ihrer Zone; zeigen Sie darauf, um UTC zu sehen.',
  },
  conflict: {
    title: 'Zwei Fassungen',
    text: 'Jemand hat das inzwischen geändert. Welche Fassung soll gelten?',
    field: 'Feld',
    theirs: 'Die andere, wie sie jetzt ist',
    own: 'Ihre',
    keep: 'Die andere lassen',
    overwrite: 'Ihre speichern',
  },
  oneTime: {
    title: (name) => `Das Einmalpasswort von ${name}`,
    hint: 'Sagen Sie es der Person auf sicherem Weg. Es wird nur einmal gezeigt.',
    done: 'Ich habe es weitergegeben',
  },
  loading: 'Wird geladen …',
  undo: 'Rückgängig machen',
  close: 'Schließen',
  notFound: 'Hier ist nichts',
  notFoundHint: 'Zu dieser Adresse gibt es keine Ansicht, oder Ihre Rollen zeigen sie nicht.',
  typeToConfirm: (text: string) => `Geben Sie zur Bestätigung „${text}“ ein`,
  table: {
    selectAll: 'Alle auf dieser Seite auswählen',
    select: (name: string) => `${name} auswählen`,
    selected: plural('de', { one: '# ausgewählt', other: '# ausgewählt' }),
  },
  pager: {
    pages: 'Seiten',
    previous: 'Vorige Seite',
    next: 'Nächste Seite',
    place: (page: number, last: number) => `Seite ${page} von ${last}`,
    rows: plural('de', { one: '# Zeile', other: '# Zeilen' }),
  },
  login: {
    titles: { ended: 'Ihre Sitzung ist beendet', recent: 'Bestätigen Sie, dass Sie es sind' },
    reasons: {
      ended: 'Melden Sie sich wieder an. Ihre Eingaben bleiben stehen.',
      recent: 'Dafür muss die Anmeldung frisch sein.',
    },
    code: 'Code Ihrer App',
    wrongCode: 'Der Code ist falsch oder wurde schon benutzt.',
    passkey: 'Mit Passkey',
    submit: 'Anmelden',
    elsewhere: 'Anders anmelden, in einem anderen Tab',
    elsewhereHint: 'Auch mit Wiederherstellungscode. Danach geht es hier weiter.',
  },
  problems: {
    declined: 'Sie sind nicht angemeldet.',
    notLoaded: 'Ein Teil der Konsole fehlt. Ist der Dienst erreichbar?',
    unreachable: 'Der Dienst antwortet nicht. Versuchen Sie es noch einmal.',
    failed: 'Der Dienst hat einen Fehler gemacht. Sein Log sagt, welchen.',
    tooMany: (seconds: number | null) =>
      seconds === null
        ? 'Es gab zu viele Anfragen.'
        : `Es gab zu viele Anfragen. ${common.tryAgainIn(seconds)}`,
    unavailable: (seconds: number | null) =>
      seconds === null
        ? 'Der Dienst ist gerade nicht verfügbar. /health/ready sagt, warum.'
        : `Der Dienst ist gerade nicht verfügbar. ${common.tryAgainIn(seconds)}`,
    errors,
  },
}
