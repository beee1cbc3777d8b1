import UPlot, { type AlignedData, type Options, type Series } from 'uplot'

/** What a plot shows: lines of counts in buckets, whose beginnings are in seconds since 1970. */
export interface PlotData {
  readonly times: readonly number[]
  /** Null where nothing is known. */
  readonly lines: readonly (readonly (number | null)[])[]
}

export interface PlotOptions {
  /** The text below the axis at a time. */
  readonly timeText: (seconds: number) => string
  readonly numberText: (value: number) => string
  /** Called with the place that is pointed at; null: none. */
  readonly onCursor: (place: number | null) => void
}

export interface DrawnPlot {
  update(data: PlotData): void
  destroy(): void
}

const height = 190
/** Plots whose cursors go together. */
const together = 'statistics'
/** Lines differ without their colours too. */
const dashes: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3], [4, 4], [12, 5]]
const steps = [1, 2, 5].flatMap((first) =>
  Array.from({ length: 8 }, (_, power) => first * 10 ** power),
)

/** Draws a plot into an element, and again when its width or the colours change. */
export function drawPlot(root: HTMLElement, data: PlotData, options: PlotOptions): DrawnPlot {
  const { numberText, onCursor, timeText } = options
  const colors = () => colorsOf(root)
  const axis = {
    stroke: () => colors().text,
    grid: { stroke: () => colors().line, width: 1 },
    ticks: { stroke: () => colors().line, width: 1, size: 4 },
    font: `12px ${getComputedStyle(root).fontFamily}`,
  }
  const settings: Options = {
    width: widthOf(root),
    height,
    legend: { show: false },
    cursor: { sync: { key: together }, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] } },
    axes: [
      { ...axis, space: 70, values: (_, splits) => splits.map(timeText) },
      {
        ...axis,
        size: 44,
        incrs: steps.toSorted((one, other) => one - other),
        values: (_, splits) => splits.map(numberText),
      },
    ],
    series: [{}, ...data.lines.map((_, index) => lineAt(index, colors))],
    hooks: { setCursor: [({ cursor }) => onCursor(placeOf(cursor.idx ?? null))] },
  }
  let buckets = data.times.length
  const plot = new UPlot(settings, aligned(data), root)
  const resizing = new ResizeObserver(() => plot.setSize({ width: widthOf(root), height }))
  resizing.observe(root)
  const unwatch = watchColors(() => plot.redraw(true))
  return {
    update(next) {
      buckets = next.times.length
      plot.setData(aligned(next))
    },
    destroy() {
      unwatch()
      resizing.disconnect()
      plot.destroy()
    },
  }

  function placeOf(index: number | null): number | null {
    return index === null ? null : Math.min(index, buckets - 1)
  }
}

function lineAt(index: number, colors: () => ReturnType<typeof colorsOf>): Series {
  const dash = dashes[index % dashes.length]
  const color = () => colors().lines[index] ?? colors().text
  const stepped = UPlot.paths.stepped?.({ align: 1 })
  return {
    stroke: color,
    width: 2,
    points: { size: 7, width: 0, fill: color, filter: (plot, line) => lonelyIn(plot.data[line]) },
    ...(dash && dash.length > 0 && { dash: [...dash] }),
    ...(stepped && { paths: stepped }),
  }
}

/**
 * The places that no line leads to, since nothing is known beside them: a point is drawn there. The
 * last value is the end of the last bucket, not one more.
 */
function lonelyIn(values: ArrayLike<number | null | undefined> = []): number[] {
  const last = values.length - 2
  const isKnown = (place: number) => place <= last && typeof values[place] === 'number'
  return Array.from(values, (_, place) => place).filter(
    (place) => isKnown(place) && !isKnown(place - 1) && !isKnown(place + 1),
  )
}

function widthOf(root: HTMLElement): number {
  return Math.max(200, root.clientWidth)
}

/** With the end of the last bucket, up to which its step is drawn. */
function aligned({ lines, times }: PlotData): AlignedData {
  const [last = 0, before = last - 60] = [times.at(-1), times.at(-2)]
  return [[...times, 2 * last - before], ...lines.map((line) => [...line, line.at(-1) ?? null])]
}

/** The colours of a plot, as the style sheet has them now: a canvas knows no variables. */
interface PlotColors {
  readonly text: string
  readonly line: string
  readonly lines: readonly string[]
}

/** Reads the colours of the elements of the figure: its text, its border, and the marks of its legend. */
export function colorsOf(root: HTMLElement): PlotColors {
  const { borderTopColor, color } = getComputedStyle(root)
  const marks = root.closest('figure')?.querySelectorAll('.swatch') ?? []
  return {
    text: color,
    line: borderTopColor,
    lines: [...marks].map((mark) => getComputedStyle(mark).color),
  }
}

/** Calls back when the scheme of colours changes: of the system, or by an attribute of the page. */
export function watchColors(changed: () => void): () => void {
  const queries = [
    '(prefers-color-scheme: dark)',
    '(prefers-contrast: more)',
    '(forced-colors: active)',
  ]
  const watched = queries.map((query) => matchMedia(query))
  for (const one of watched) one.addEventListener('change', changed)
  const attributes = new MutationObserver(changed)
  attributes.observe(document.documentElement, { attributes: true })
  return () => {
    attributes.disconnect()
    for (const one of watched) one.removeEventListener('change', changed)
  }
}
