import type { Language } from '../../../../src/core/lib/languages.ts'
import type { HealthPart } from '../overview/health.ts'

/** Whether backups are made. */
export const healthPart: HealthPart = {
  id: 'backups',
  order: 60,
  href: '/admin/backups',
  name: { en: 'Backups', de: 'Sicherungen' },
  judge({ backups: state }, language, inWords) {
    if (!state) return null
    const t = words[language]
    const { age_seconds: age, detail, enabled, warning } = state
    if (!enabled) return { level: 'off', text: t.off } // doctor judges it
    if (warning === 'backup_failed') return { level: 'bad', text: t.failed(detail ?? '') }
    if (age === null) return { level: 'warning', text: t.none }
    if (warning === 'backup_late') return { level: 'bad', text: t.late(inWords(age)) }
    return { level: 'good', text: t.good(inWords(age)) }
  },
}

const en = {
  off: 'The service makes none by itself. Set BACKUP_DIR.',
  none: 'None was made yet.',
  failed: (detail: string) => `The last attempt failed: ${detail}`,
  late: (time: string) => `The newest is ${time} old, which is too old.`,
  good: (time: string) => `The newest is ${time} old.`,
}

const de: typeof en = {
  off: 'Der Dienst macht selbst keine. Setzen Sie BACKUP_DIR.',
  none: 'Es wurde noch keine gemacht.',
  failed: (detail) => `Der letzte Versuch ist fehlgeschlagen: ${detail}`,
  late: (time) => `Die neueste ist vor ${time} gemacht: Das ist zu lange her.`,
  good: (time) => `Die neueste ist vor ${time} gemacht.`,
}

const words: Readonly<Record<Language, typeof en>> = { en, de }
