import { guards, type Reason } from '../src/core/reasons/types.ts'

const heading = '### Connection\n'

/** Answers docs/explain.md with the present reasons by guard, in place of what follows the first one. */
export function describeReasons(document: string, reasons: ReadonlyMap<string, Reason>): string {
  const [before = ''] = document.split(heading, 1)
  const tables = guards.map((guard) => {
    const rows = [...reasons].filter(([, reason]) => reason.guard === guard).map(rowOf)
    return `### ${guard.slice(0, 1).toUpperCase()}${guard.slice(1)}\n
| Code | Meaning | Facts |
|-|-|-|
${rows.join('\n')}
`
  })
  return before + tables.join('\n')
}

function rowOf([code, { explanation, facts = [] }]: [string, Reason]): string {
  return `| \`${code}\` | ${explanation} | ${facts.map((name) => `\`${name}\``).join(', ')} |`
}
