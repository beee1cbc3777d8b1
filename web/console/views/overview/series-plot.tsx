import { useMemo } from 'preact/hooks'
import { Plot } from '../../components/plot/plot.tsx'
import { shownIn, type Wanted } from './lines.ts'
import type { Range } from './ranges.ts'
import type { ReadSeries } from './read.ts'
import { overviewTexts } from './texts.ts'

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
  return <Plot title={title} {...shown} texts={t.plot} />
}
