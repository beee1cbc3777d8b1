import { type Level, levels } from '../../core/checks/check.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Finding } from './finding.ts'
import type { DoctorReport, FindingShown } from './schemas.ts'

export interface Examined {
  readonly findings: readonly Finding[]
  readonly checks: number
}

export interface About {
  /** Epoch milliseconds. */
  readonly at: number
  /** Null: no outside checks. */
  readonly url: string | null
  readonly language: Language
}

/** Sorted, the worst first. */
export function reportOf(
  examined: readonly Examined[],
  { at, language, url }: About,
): DoctorReport {
  const findings = examined
    .flatMap((one) => one.findings)
    .toSorted((left, right) => levels.indexOf(left.level) - levels.indexOf(right.level))
  const count = (level: Level) => findings.filter((one) => one.level === level).length
  return {
    checked_at: isoTime(at),
    url,
    checks: examined.reduce((sum, { checks }) => sum + checks, 0),
    errors: count('error'),
    warnings: count('warning'),
    advice: count('info'),
    unknown: count('unknown'),
    findings: findings.map((one) => shownFinding(one, language)),
  }
}

const maxLength = 1000

function shownFinding(
  { check, level, mend, what: ofCheck, why }: Finding,
  language: Language,
): FindingShown {
  const what = ofCheck[language]
  return {
    check,
    level,
    what: what.length > maxLength ? `${what.slice(0, maxLength)}…` : what,
    why: why[language],
    mend: {
      do: mend.do[language],
      setting: mend.setting ?? null,
      nginx: mend.nginx ?? null,
      caddy: mend.caddy ?? null,
    },
  }
}

const names: Readonly<Record<keyof FindingShown['mend'], string>> = {
  do: 'Mend',
  setting: 'Set',
  nginx: 'nginx',
  caddy: 'Caddy',
}
const indent = ' '.repeat(9)

/** `escaped`: for text from another host. */
export function textOfReport(report: DoctorReport, escaped: (text: string) => string): string {
  const blocks = report.findings.map(({ check, level, what, why, mend }) => {
    const lines = Object.entries(names).flatMap(([field, name]) => {
      const text = mend[field as keyof typeof mend]
      if (text === null) return []
      const [first = '', ...more] = text.split('\n')
      return [
        `${indent}${name.padEnd(6)}${escaped(first)}`,
        ...more.map((line) => `${indent}${' '.repeat(6)}${escaped(line)}`),
      ]
    })
    return [`${level.padEnd(9)}${escaped(what)}  [${check}]`, `${indent}Why   ${why}`, ...lines]
  })
  return [...blocks.map((lines) => lines.join('\n')), summary(report)].join('\n\n')
}

function summary({ advice, checks, errors, unknown, url, warnings }: DoctorReport): string {
  const made = `${counted(checks, 'check')}${url === null ? '' : `, ${url} from outside`}`
  const found = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
    ...(advice > 0 ? [`${advice} of advice`] : []),
    ...(unknown > 0 ? [`${unknown} not checked`] : []),
  ]
  return `${made}: ${found.join(', ') || 'nothing found'}.`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
