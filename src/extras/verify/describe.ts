import { type Check, isReadOnly, requestText, rowsOf, type SettingName } from './check.ts'
import { allChecks } from './checks.ts'
import { expectedText } from './judge.ts'
import { notCheckable } from './not-checkable.ts'
import { rowTexts } from './rows.ts'

const heading = '## The checks\n'

/** Returns docs/verify.md with the current rows and checks. */
export function describeRows(document: string): string {
  const before = document.split(heading, 1)[0] ?? ''
  const sections = Map.groupBy(rowTexts.keys(), (row) => row.split(' ')[0] ?? '')
  const parts = [...sections].map(
    ([section, rows]) => `### ${section}\n\n${rows.map(describedRow).join('\n')}`,
  )
  const checks = allChecks.map(describedCheck)
  return `${before}${heading}\n${parts.join('\n\n')}\n\n### Requests\n\n${checks.join('\n')}\n`
}

function describedRow(row: string): string {
  const checks = allChecks.filter((check) => rowsOf(check).some((one) => one === row))
  const reasons = notCheckable.filter((one) => rowsOf(one).some((each) => each === row))
  const ids = checks.map(({ id }) => `\`${id}\``).join(', ')
  const rest = reasons.map(({ reason }) => `not checked here: ${reason}`)
  return `- ${rowTexts.get(row)}: ${[...(ids === '' ? [] : [ids]), ...rest].join('; ')}`
}

function describedCheck(check: Check): string {
  const waits = (check.before ?? []).flatMap((step) => ('wait' in step ? [step.wait] : []))
  const notes = [
    ...(isReadOnly(check) ? ['read-only'] : []),
    ...(check.isWrongLogin ? ['a wrong login'] : []),
    ...Object.entries(check.when ?? {}).map(([name, value]) =>
      value === true ? `needs ${name}` : `with ${name}=${value}`,
    ),
    ...[...Map.groupBy(waits, (name: SettingName) => name)].map(
      ([name, { length }]) => `waits ${name}${length > 1 ? ` ${length} times` : ''}`,
    ),
  ]
  const code = (text: string) => `\`${text.replaceAll('`', "'")}\``
  return [
    `- **\`${check.id}\`**${notes.length > 0 ? ` (${notes.join(', ')})` : ''}: ${code(requestText(check.request))}`,
    `  → ${code(expectedText(check.expect))}`,
  ].join('\n')
}
