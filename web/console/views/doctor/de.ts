import { plural } from '../../../languages/words.ts'
import type { doctor as english } from './en.ts'

export const doctor: typeof english = {
  title: 'Untersuchung',
  intro:
    'Was an dieser Installation nicht stimmt, von innen gesehen: Einstellungen, Dateien, Datenbank und die Dienste, die sie benutzt. Dabei wird nichts geändert.',
  again: 'Noch einmal prüfen',
  checkedAt: 'Geprüft',
  checks: plural('de', { one: '# Prüfung gemacht', other: '# Prüfungen gemacht' }),
  levels: {
    error: 'Fehler',
    warning: 'Warnung',
    info: 'Rat',
    unknown: 'unbekannt',
  },
  counts: {
    error: plural('de', { one: '# Fehler', other: '# Fehler' }),
    warning: plural('de', { one: '# Warnung', other: '# Warnungen' }),
    info: plural('de', { one: '# Rat', other: '# Ratschläge' }),
    unknown: plural('de', { one: '# unbekannt', other: '# unbekannt' }),
  },
  meanings: {
    error: 'Kaputt, oder offen für einen Angriff: Beheben Sie es jetzt.',
    warning: 'Es wird kaputtgehen, oder ein Schutz ist schwächer, als er aussieht.',
    info: 'Ein Rat.',
    unknown: 'Die Prüfung war nicht möglich. Das ist nie so gut wie eine, die nichts gefunden hat.',
  },
  why: 'Warum es wichtig ist',
  mend: 'Was es behebt',
  setting: 'Einstellung oder Befehl',
  nginx: 'In nginx',
  caddy: 'In Caddy',
  allWell: 'Nichts wurde gefunden.',
  outside: 'Von außen',
  outsideHint:
    'Proxy, Zertifikat und Cookies sieht man nur von außen. Führen Sie dies auf einem beliebigen Rechner aus:',
  outsideCommand: 'der Befehl, der den Dienst von außen prüft',
  lines: 'die Zeilen',
}
