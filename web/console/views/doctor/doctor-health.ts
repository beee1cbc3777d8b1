import type { Language } from '../../../../src/core/lib/languages.ts'
import { plural } from '../../../languages/words.ts'
import type { components } from '../../api/openapi.d.ts'
import type { Health } from '../../health.ts'

type Report = components['schemas']['DoctorReport']

/** What doctor found; null while it examines. */
export function doctorHealth(report: Report | null, language: Language): Health {
  const t = words[language]
  const fixed = { id: 'doctor', name: t.name, href: '/admin/doctor' } as const
  if (!report) return { ...fixed, level: 'unknown', text: t.looking }
  const { advice, checks, errors, unknown, warnings } = report
  const parts = [
    errors > 0 && t.errors(errors),
    warnings > 0 && t.warnings(warnings),
    advice > 0 && t.advice(advice),
    unknown > 0 && t.unknown(unknown),
  ].filter((part) => part !== false)
  const level = errors > 0 ? 'bad' : warnings > 0 ? 'warning' : 'good'
  const text = parts.length === 0 ? t.good(checks) : `${parts.join(', ')}.`
  return { ...fixed, level, text }
}

const en = {
  name: 'Doctor',
  good: plural('en', {
    one: '# check found nothing.',
    other: '# checks found nothing.',
  }),
  errors: plural('en', { one: '# error', other: '# errors' }),
  warnings: plural('en', { one: '# warning', other: '# warnings' }),
  advice: plural('en', { one: '# piece of advice', other: '# pieces of advice' }),
  unknown: plural('en', { one: '# check not made', other: '# checks not made' }),
  looking: 'It examines settings, files and database …',
}

const de: typeof en = {
  name: 'Doctor',
  good: plural('de', {
    one: '# Prüfung fand nichts.',
    other: '# Prüfungen fanden nichts.',
  }),
  errors: plural('de', { one: '# Fehler', other: '# Fehler' }),
  warnings: plural('de', { one: '# Warnung', other: '# Warnungen' }),
  advice: plural('de', { one: '# Rat', other: '# Ratschläge' }),
  unknown: plural('de', {
    one: '# Prüfung nicht möglich',
    other: '# Prüfungen nicht möglich',
  }),
  looking: 'Einstellungen, Dateien und Datenbank werden geprüft …',
}

const words: Readonly<Record<Language, typeof en>> = { en, de }
