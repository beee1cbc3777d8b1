import { useMemo } from 'preact/hooks'
import type { Line } from '../../components/plot/plot.tsx'
import { Plot } from '../../components/plot/plot.tsx'
import { Time } from '../../components/time.tsx'
import type { Series } from './buckets.ts'
import { byLabel, largest, widened } from './buckets.ts'
import type { Range } from './ranges.ts'
import type { ReadSeries } from './read.ts'
import { overviewTexts } from './texts.ts'

/** Which series a plot shows: those of a name, one line for each value of a label. */
export interface Wanted {
  readonly name: string
  readonly label: string
  readonly where?: Series['labels']
  /** The order of the lines, and so their colours; others follow. */
  readonly order?: readonly string[]
  /** Of a line, by the value of the label. */
  readonly text: (value: string) => string
}

/** The lines of a plot, and the same in the wider buckets of its table. */
export function shownIn(
  read: ReadSeries,
  range: Range,
  { wanted, others }: { readonly wanted: readonly Wanted[]; readonly others: string },
) {
  const linesOf = (width: number) => {
    const offset = -60 * new Date().getTimezoneOffset()
    const buckets = widened(read, width, offset)
    const lines = wanted.flatMap(({ name, label, order = [], text, where = {} }) =>
      byLabel(buckets, name, { label, where })
        .toSorted((one, other) => placeIn(order, one.label) - placeIn(order, other.label))
        .map((line) => ({ ...line, label: text(line.label) })),
    )
    const known = read.since === null ? Number.POSITIVE_INFINITY : Date.parse(read.since) / 1000
    return {
      times: buckets.times,
      lines: largest(lines, maxLines, others).map(
        ({ label, values }): Line => ({
          label,
          values: values.map((value, at) =>
            (buckets.times[at] ?? 0) + width > known ? value : null,
          ),
        }),
      ),
    }
  }
  return { plot: linesOf(range.plotWidth), table: linesOf(range.tableWidth) }
}

/** As many as the colours and dashes tell apart. */
const maxLines = 6

function placeIn(order: readonly string[], label: string): number {
  const place = order.indexOf(label)
  return place === -1 ? order.length : place
}

interface Props {
  readonly title: string
  readonly range: Range
  readonly series: ReadSeries | null
  readonly wanted: readonly Wanted[]
}

/** A plot of some of the series; while they are read, its place. */
export function SeriesPlot({ title, range, series, wanted }: Props) {
  const t = overviewTexts.use()
  const shown = useMemo(
    () => series && shownIn(series, range, { wanted, others: t.plot.others }),
    [series, range],
  )
  if (!shown) return <div class="plot waiting" />
  const { since } = series ?? { since: null }
  return (
    <Plot
      title={title}
      {...shown}
      texts={t.plot}
      empty={
        since === null ? (
          t.entering.nothingCounted
        ) : (
          <>
            {t.plot.none} {t.plot.since} <Time at={since} />.
          </>
        )
      }
    />
  )
}
