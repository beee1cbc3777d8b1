import type { Mend } from '../../core/checks/check.ts'
import { asDocumented } from '../../core/hints/command-line.ts'
import type { Module } from '../../core/module/module.ts'
import { type CheckRow, loadChecks, rowsByPlace } from './all-checks.ts'

const heading = '## The checks\n'

const places = {
  inside: 'From inside: settings, files, database, and the services that this one uses',
  outside: 'From outside: what a caller sees at the address',
} as const

/** Returns docs/doctor.md with the current table of checks. */
export async function describeChecks(
  document: string,
  modules: readonly Module[],
): Promise<string> {
  const rows = rowsByPlace(await loadChecks(modules))
  const before = document.split(heading, 1)[0] ?? ''
  const parts = (['inside', 'outside'] as const).map((place) =>
    [`### ${places[place]}`, ...rows[place].map(described)].join('\n\n'),
  )
  return `${before}${heading}\n${asDocumented(parts.join('\n\n'))}\n`
}

function described({ passMessage, id, level, mend, why }: CheckRow): string {
  const lines = [
    `- **\`${id}\`** (${level}): ${passMessage}.`,
    `  ${why.en}`,
    `  *Mend:* ${mend.do.en}`,
  ]
  const shown = linesOf(mend)
  return [...lines, ...(shown.length > 0 ? [`  ${shown.join(' · ')}`] : [])].join('\n')
}

function linesOf({ caddy, nginx, setting }: Mend): string[] {
  const code = (text: string) => `\`${text.replace(/\s*\n\s*/g, ' ⏎ ')}\``
  return [
    ...(setting === undefined ? [] : [code(setting)]),
    ...(nginx === undefined ? [] : [`nginx: ${code(nginx)}`]),
    ...(caddy === undefined ? [] : [`Caddy: ${code(caddy)}`]),
  ]
}
