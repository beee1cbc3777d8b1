import { rowTexts } from './rows.ts'
import type { Ran, Result } from './run.ts'

export interface Report {
  readonly url: string
  readonly profile: string
  /** ISO 8601. */
  readonly started_at: string
  readonly passed: number
  readonly failed: number
  readonly not_checked: number
  /** What could not be removed. */
  readonly left: readonly string[]
  readonly checks: readonly Result[]
}

export function reportOf(
  { left, results }: Ran,
  about: Pick<Report, 'url' | 'profile' | 'started_at'>,
): Report {
  const count = (outcome: Result['outcome']) =>
    results.filter((one) => one.outcome === outcome).length
  return {
    ...about,
    passed: count('passed'),
    failed: count('failed'),
    not_checked: count('not_checked'),
    left,
    checks: results,
  }
}

const words = { passed: 'passed', failed: 'FAILED', not_checked: 'not checked here' } as const
const indent = ' '.repeat(10)

/** `escaped`: for text from another host. */
export function textOfReport(report: Report, escaped: (text: string) => string): string {
  const lines = report.checks.flatMap((check) => {
    const first = `${words[check.outcome].padEnd(9)} ${check.id}`
    if (check.outcome === 'passed') return [`${first}  ${check.request}`]
    if (check.outcome === 'not_checked') return [`${first}: ${escaped(check.faults.join('; '))}`]
    return [
      first,
      ...check.rows.map((row) => `${indent}row       ${row}: ${rowTexts.get(row) ?? ''}`),
      `${indent}request   ${check.request}`,
      `${indent}expected  ${check.expected}`,
      `${indent}actual    ${check.actual === null ? 'no answer' : escaped(check.actual)}`,
      ...check.faults.map((fault) => `${indent}          - ${escaped(fault)}`),
    ]
  })
  const left = report.left.map((one) => `left behind: ${escaped(one)}`)
  return [...lines, ...left, '', summary(report)].join('\n')
}

export function summary({ failed, not_checked, passed, profile, url }: Report): string {
  return `${url}, profile ${profile}: ${passed} passed, ${failed} failed, ${not_checked} not checked here.`
}

/** As CI systems read it: one test suite, whose class names are the sections. */
export function junitOf(report: Report): string {
  const { checks, failed, not_checked, started_at, url } = report
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(3)
  const total = checks.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
  const cases = checks.map((check) => {
    const section = check.rows[0]?.split(' ')[0] ?? ''
    const names = `classname="gatehouse.verify.${xml(section)}" name="${xml(check.id)}"`
    const attributes = `${names} time="${seconds(check.milliseconds)}"`
    const inside = insideOf(check)
    return inside === ''
      ? `  <testcase ${attributes}/>`
      : `  <testcase ${attributes}>${inside}</testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${xml(`verify ${url}`)}" timestamp="${started_at.slice(0, 19)}" tests="${checks.length}" failures="${failed}" errors="0" skipped="${not_checked}" time="${seconds(total)}">`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n')
}

function insideOf({ actual, expected, faults, outcome, request }: Result): string {
  if (outcome === 'not_checked') return `<skipped message="${xml(faults.join('; '))}"/>`
  if (outcome === 'passed') return ''
  const body = [`request: ${request}`, `expected: ${expected}`, `actual: ${actual}`, ...faults]
  return `<failure message="${xml(faults[0] ?? '')}">${xml(body.join('\n'))}</failure>`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Characters that XML 1.0 does not allow are written as U+FFFD. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"]/g, (character) => entities[character] ?? '')
}
