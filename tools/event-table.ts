import type { EventType } from '../src/core/events/types.ts'

const heading = '## The events\n'

/** Answers docs/events.md with the present table of events in place of what follows its heading. */
export function describeEvents(document: string, types: readonly EventType[]): string {
  const [before = ''] = document.split(heading, 1)
  const rows = types.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(rowOf)
  return `${before}${heading}
| Event | Level | Outcome | Happens when | Own fields |
|-|-|-|-|-|
${rows.join('\n')}
`
}

function rowOf({ name, formerly, level, outcome, description, fields }: EventType): string {
  const former = formerly ? ` (before 0.13.0 \`${formerly}\`)` : ''
  const own = Object.entries(fields).map(([field, note]) =>
    note === '' ? `\`${field}\`` : `\`${field}\` (${note})`,
  )
  return `| \`${name}\`${former} | ${level} | ${outcome} | ${description} | ${own.join(', ')} |`
}
