import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Table } from '../../../components/data.tsx'
import { useLanguage } from '../../../context.ts'
import { readerLocale } from '../../reader-locale.ts'
import type { DrawnPlot } from './draw.ts'

export interface Line {
  readonly label: string
  /** Null where nothing is known. */
  readonly values: readonly (number | null)[]
}

interface Shown {
  readonly times: readonly number[]
  readonly lines: readonly Line[]
}

interface Props {
  readonly title: string
  /** Beginnings of buckets in seconds since 1970, and the counts of each line in them. */
  readonly plot: Shown
  /** The same in wider buckets, to be read. */
  readonly table: Shown
  /** Shown in place of a plot in which everything is 0. */
  readonly empty: ComponentChildren
  readonly texts: {
    readonly table: string
    readonly from: string
    readonly notDrawn: string
  }
}

/** Counts over time: a plot whose legend has the figures, and the same as a table. */
export function Plot({ title, plot, table, empty, texts }: Props) {
  const format = useFormats(plot.times)
  const [place, setPlace] = useState<number | null>(null)
  const totals = plot.lines.map(({ values }) => totalOf(values))
  const isEmpty = totals.every((total) => total === 0)
  const at = place === null ? undefined : plot.times[place]
  return (
    <figure class="plot">
      <figcaption>
        <h3>{title}</h3>
        <span class="muted">{at === undefined ? '' : format.long(at)}</span>
      </figcaption>
      {isEmpty ? (
        <p class="muted">{empty}</p>
      ) : (
        <>
          <ul class="plot-legend">
            {plot.lines.map(({ label, values }, index) => (
              <li key={label}>
                <span class={`swatch swatch-${index}`} aria-hidden="true" />
                {label}{' '}
                <b>{format.number((place === null ? totals[index] : values[place]) ?? 0)}</b>
              </li>
            ))}
          </ul>
          <Canvas key={plot.lines.length} shown={plot} setPlace={setPlace} {...{ format, texts }} />
          <details>
            <summary>{texts.table}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys */}
            <section class="plot-table" tabIndex={0} aria-label={title}>
              <Table
                caption={title}
                head={[texts.from, ...table.lines.map(({ label }) => label)]}
                rows={rowsOf(table, format)}
              />
            </section>
          </details>
        </>
      )}
    </figure>
  )
}

interface CanvasProps {
  readonly shown: Shown
  readonly setPlace: (place: number | null) => void
  readonly format: Formats
  readonly texts: Props['texts']
}

/** The picture, which is loaded when the first one is shown; a screen reader has legend and table. */
function Canvas({ shown, setPlace, format, texts }: CanvasProps) {
  const root = useRef<HTMLDivElement>(null)
  const drawn = useRef<DrawnPlot | null>(null)
  const [hasFailed, setFailed] = useState(false)
  const data = { times: shown.times, lines: shown.lines.map(({ values }) => values) }
  const latest = useRef({ data, format })
  latest.current = { data, format }

  useEffect(() => {
    let isGone = false
    import('./draw.ts').then(
      ({ drawPlot }) => {
        if (isGone || !root.current) return
        drawn.current = drawPlot(root.current, latest.current.data, {
          timeText: (seconds) => latest.current.format.short(seconds),
          numberText: (value) => latest.current.format.compact(value),
          onCursor: setPlace,
        })
      },
      () => setFailed(true),
    )
    return () => {
      isGone = true
      drawn.current?.destroy()
      drawn.current = null
    }
  }, [])
  useEffect(() => drawn.current?.update(data), [shown])
  return hasFailed ? (
    <p class="muted">{texts.notDrawn}</p>
  ) : (
    <div class="plot-canvas" ref={root} aria-hidden="true" />
  )
}

/** The newest first, which is what is looked for. */
function rowsOf({ lines, times }: Shown, format: Formats): string[][] {
  return times
    .map((at, place) => [
      format.long(at),
      ...lines.map(({ values }) => {
        const value = values[place]
        return value === null || value === undefined ? '–' : format.number(value)
      }),
    ])
    .toReversed()
}

function totalOf(values: Line['values']): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0)
}

export type Formats = ReturnType<typeof useFormats>

/** How times and counts are written, in the language and the zone of the reader. */
export function useFormats(times: readonly number[]) {
  const locale = readerLocale(useLanguage())
  const seconds = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const isLong = seconds > 2 * 86_400
  return useMemo(() => {
    const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
    const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
    const both = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
    const number = new Intl.NumberFormat(locale)
    const compact = new Intl.NumberFormat(locale, { notation: 'compact' })
    const isMidnight = (at: Date) => at.getHours() === 0 && at.getMinutes() === 0
    return {
      short(at: number) {
        const date = new Date(at * 1000)
        return (isLong || isMidnight(date) ? day : hour).format(date)
      },
      long: (at: number) => both.format(at * 1000),
      number: (value: number) => number.format(value),
      compact: (value: number) => compact.format(value),
    }
  }, [locale, isLong])
}
