import type { ComponentChildren } from 'preact'
import { useLanguage } from '../context.ts'

/** Names and what they stand for. */
export function DefinitionList({
  rows,
}: {
  readonly rows: readonly (readonly [term: string, value: ComponentChildren])[]
}) {
  return (
    <dl>
      {rows.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface TableProps {
  /** What the table holds, for a screen reader. */
  readonly caption: string
  readonly head: readonly string[]
  /** The cells of each row; the first one names it. */
  readonly rows: readonly (readonly ComponentChildren[])[]
}

/** A table; on a phone each row becomes a block, whose cells say their column. */
export function Table({ caption, head, rows }: TableProps) {
  return (
    <table>
      <caption class="said">{caption}</caption>
      <thead>
        <tr>
          {head.map((text) => (
            <th key={text} scope="col">
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...others], index) => (
          <tr key={index}>
            <th scope="row">{first}</th>
            {others.map((cell, column) => (
              <td key={column} data-label={head[column + 1]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Breaks after the parts of an address and of a host, and not in a word. */
export function Breakable({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/(?<=[@./])/).map((part, index) => (
        <>
          {index > 0 && <wbr />}
          {part}
        </>
      ))}
    </>
  )
}

/** An IP address: only IPv6 breaks, between its groups. */
export function Address({ of: address }: { readonly of: string }) {
  return (
    <span class="address">
      {address.split(/(?<=:)/).map((part, index) => (
        <>
          {index > 0 && <wbr />}
          {part}
        </>
      ))}
    </span>
  )
}

const formats = {
  date: { dateStyle: 'long' },
  time: { dateStyle: 'medium', timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** A time, in UTC; with scripts, in the zone of the reader. `at` is in milliseconds since 1970. */
export function Time({
  at,
  format = 'time',
}: {
  readonly at: number
  readonly format?: keyof typeof formats
}) {
  const language = useLanguage()
  const text = new Intl.DateTimeFormat(language, { ...formats[format], timeZone: 'UTC' })
    .format(at)
    .replace(/ (?=[AP]M$)/, '\u00a0')
  return (
    <time dateTime={new Date(at).toISOString()} data-format={format}>
      {format === 'time' ? `${text} UTC` : text}
    </time>
  )
}
