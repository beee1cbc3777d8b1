import type { frame as english } from '../../en/console/frame.ts'
import { plural } from '../../words.ts'
import { common } from '../common.ts'

const errors: Readonly<Record<string, string>> = {
  'Access denied': 'Ihre Rollen erlauben das nicht.',
  'Last administrator':
    'Das ist die letzte aktive Person mit der Rolle ADMIN: Geben Sie die Rolle zuerst einer anderen.',
  'Precondition failed': 'Es wurde inzwischen von einer anderen Person geändert.',
  'Invalid credentials': 'Das Passwort ist falsch.',
  'Mail already closed': 'Diese E-Mail wurde inzwischen gesendet, zurückgezogen oder gelöscht.',
  'Mail is not configured': 'Der Dienst hat keinen Mailserver: Setzen Sie SMTP_URL.',
  'Too many login attempts':
    'Es gab zu viele Versuche. Warten Sie, und versuchen Sie es dann noch einmal.',
}

export const frame: typeof english = {
  common,
  navigation: 'Bereiche',
  areas: {
    overview: 'Übersicht',
    why: 'Warum abgelehnt?',
    accounts: 'Konten',
    users: 'Personen',
    invitations: 'Einladungen',
    imports: 'Import und Export',
    throttle: 'Drosselung',
    audit: 'Protokoll',
    posts: 'Beiträge',
    mail: 'E-Mail',
    keys: 'Schlüssel',
    webhooks: 'Webhooks',
    clients: 'Anwendungen',
    settings: 'Einstellungen',
    backups: 'Sicherungen',
    doctor: 'Untersuchung',
  },
  loading: 'Wird geladen …',
  undo: 'Rückgängig machen',
  close: 'Schließen',
  notFound: 'Hier ist nichts',
  notFoundHint: 'Die Adresse führt zu keiner Ansicht, oder Ihre Rollen zeigen sie nicht.',
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
      ended: 'Melden Sie sich wieder an. Was Sie eingegeben haben, bleibt stehen.',
      recent: 'Dafür muss die Anmeldung frisch sein.',
    },
    code: 'Code Ihrer App',
    wrongCode: 'Der Code ist falsch oder wurde schon benutzt.',
    submit: 'Anmelden',
    elsewhere: 'Auf der Seite des Dienstes anmelden, in einem anderen Tab',
  },
  problems: {
    declined: 'Sie sind nicht angemeldet.',
    notLoaded: 'Ein Teil der Konsole konnte nicht geladen werden. Ist der Dienst erreichbar?',
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
