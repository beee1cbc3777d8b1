import { plural } from '../../../languages/words.ts'
import type { settings as english } from './en.ts'

export const settings: typeof english = {
  title: 'Einstellungen',
  intro:
    'Wie sie auf dem Knoten gelten, der antwortet. Sie werden in seiner Umgebung oder in Dateien geändert, mit einem Neustart; Geheimnisse werden nie gezeigt.',
  search: 'Suchen',
  which: 'Welche',
  sources: {
    all: 'Alle',
    set: 'Die gesetzten',
    default: 'Voreingestellte',
    environment: 'Aus der Umgebung',
    file: 'Aus einer Datei',
  },
  caption: 'Geltende Einstellungen',
  name: 'Einstellung',
  value: 'Wert',
  source: 'Quelle',
  sourceNames: { default: 'Voreinstellung', environment: 'Umgebung', file: 'Datei' },
  byDefault: 'Voreinstellung',
  hidden: 'gesetzt, verborgen',
  notSet: 'nicht gesetzt',
  shown: plural('de', { one: '# Einstellung', other: '# Einstellungen' }),
  none: 'Keine Einstellung passt.',
  showAll: 'Alle Einstellungen zeigen',
  check: 'Vor einem Neustart sagt dies, ob geänderte Einstellungen gut sind:',
  checkCommand: 'der Befehl',
}
