import type { Module } from '../src/core/module/module.ts'

const heading = '### Columns that can name a person\n'

/** Answers docs/personal-data.md with the present tables of columns in place of what follows their heading. */
export function describeColumns(document: string, modules: readonly Module[]): string {
  const [before = ''] = document.split(heading, 1)
  const tables = modules
    .flatMap(({ tables = [] }) => tables)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const naming = tables.flatMap(({ name, namesPerson: of }) =>
    of ? [`| \`${name}\` | ${listed(of.columns)} | ${of.atErasure} |`] : [],
  )
  const others = tables.flatMap(({ name, namesNone }) =>
    namesNone ? [`| \`${name}\` | ${listed(namesNone)} |`] : [],
  )
  return `${before}${heading}
| Table | Columns | At the erasure |
|---|---|---|
${naming.join('\n')}

### Columns that name none

Ids, digests, states, names of the service's own things, keys, and what operators write.

| Table | Columns |
|---|---|
${others.join('\n')}
`
}

const listed = (columns: readonly string[]) => columns.map((name) => `\`${name}\``).join(' ')
