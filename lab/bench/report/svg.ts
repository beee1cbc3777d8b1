import { type Curves, type Figure, type Line, median, shown } from './figure.ts'

const width = 760
const labelWidth = 330
const rowHeight = 26
const barHeight = 14
const valueWidth = 96
const charWidth = 6.6
const top = 50

/** Follows the reader's colour scheme; text has a contrast of at least 7:1 to both backgrounds. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 14px; font-weight: 600 }
  .quiet { fill: #4a5058 }
  .ours { fill: #0b62c4 } .peer { fill: #8a929c }
  .axis, .spread { stroke: #4a5058; fill: none } .grid { stroke: #d7dbe0 }
  .goal { stroke: #b3261e; stroke-width: 2 }
  .line { fill: none; stroke-width: 2 }
  .c0 { stroke: #0b62c4 } .c1 { stroke: #b35900 } .c2 { stroke: #1a7f37 } .c3 { stroke: #8250df }
  .c4 { stroke: #bf3989 } .c5 { stroke: #6e7781 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #b4bcc6 }
    .ours { fill: #4c9bff } .peer { fill: #77808b }
    .axis, .spread { stroke: #b4bcc6 } .grid { stroke: #30363d } .goal { stroke: #ff7b72 }
    .c0 { stroke: #4c9bff } .c1 { stroke: #ffa657 } .c2 { stroke: #56d364 } .c3 { stroke: #bc8cff }
    .c4 { stroke: #ff80c0 } .c5 { stroke: #9aa4af }
  }
`

/** The picture of a figure: bars, or curves where it has them. */
export function svg(figure: Figure): string {
  if (figure.disturbed !== undefined) return document(figure, 80, notice(figure.disturbed))
  return figure.curves ? curves(figure, figure.curves) : bars(figure)
}

/** One sentence for each bar or curve, for readers who cannot see the picture. */
export function altText(figure: Figure): string {
  if (figure.disturbed !== undefined) return `${figure.title}: not measured, disturbed`
  if (figure.curves) {
    const { x, series, yTitle } = figure.curves
    const each = series.map(
      ({ name, y }) => `${name} ${shown(y[0] ?? Number.NaN)} to ${shown(y.at(-1) ?? Number.NaN)}`,
    )
    return `${figure.title}: ${yTitle}, from ${shown(x[0] ?? 0)} to ${shown(x.at(-1) ?? 0)}: ${each.join('; ')}`
  }
  const each = barLines(figure).map(({ what, values }) => `${what} ${shown(median(values))}`)
  return `${figure.title}, ${figure.unit}: ${each.join('; ')}`
}

function barLines({ lines, unit }: Figure): Line[] {
  return lines.filter(
    (line) => line.missing === undefined && (line.unit ?? unit) === unit && line.values.length > 0,
  )
}

/** A row for each line: a bar with its spread, or a point on a logarithmic axis. */
function bars(figure: Figure): string {
  const lines = barLines(figure)
  const values = lines.flatMap((line) => line.values)
  const [least, most] = [Math.min(...values), Math.max(...values, Number.MIN_VALUE)]
  const [left, right] = [labelWidth, width - valueWidth]
  const scale = figure.isLogarithmic
    ? position(decade(least, Math.floor), decade(most, Math.ceil), left, right)
    : (value: number) => round(left + (value / most) * (right - left))
  const bottom = top + lines.length * rowHeight
  const rows = lines.map((line, index) => {
    const y = top + index * rowHeight
    const middle = y + barHeight / 2
    const value = median(line.values)
    const [from, to] = [scale(Math.min(...line.values)), scale(Math.max(...line.values))]
    const goal = line.comparisons?.find((comparison) => comparison.to === 'itself')
    const limit = goal?.atMost ?? goal?.atLeast
    const kind = line.isPeer ? 'peer' : 'ours'
    return [
      text(labelWidth - 10, middle + 4, cut(line.what, labelWidth - 14), 'end'),
      from < to ? `<path class="spread" d="M${from} ${middle}H${to}"/>` : '',
      figure.isLogarithmic
        ? `<circle class="${kind}" cx="${scale(value)}" cy="${middle}" r="5"/>`
        : `<rect class="${kind}" x="${left}" y="${y}" width="${round(scale(value) - left)}" height="${barHeight}" rx="2"/>`,
      from < to && !figure.isLogarithmic
        ? `<path class="spread" d="M${from} ${middle}H${to}"/>`
        : '',
      limit !== undefined && limit <= most
        ? `<path class="goal" d="M${scale(limit)} ${y - 3}v${barHeight + 6}"/>`
        : '',
      text(Math.max(scale(value), to) + 8, middle + 4, shown(value)),
    ].join('')
  })
  const grid = figure.isLogarithmic ? decades(least, most, scale, bottom) : []
  return document(figure, bottom + 10, [
    ...grid,
    `<path class="axis" d="M${left} ${top - 6}V${bottom - 4}"/>`,
    ...rows,
  ])
}

/** Vertical lines at the powers of ten. */
function decades(
  least: number,
  most: number,
  scale: (value: number) => number,
  bottom: number,
): string[] {
  const lines: string[] = []
  for (let at = decade(least, Math.floor); at <= most * 10; at *= 10) {
    if (scale(at) > width - valueWidth + 1) break
    lines.push(`<path class="grid" d="M${scale(at)} ${top - 4}V${bottom - 4}"/>`)
    lines.push(text(scale(at), top - 8, shown(at), 'middle', 'quiet'))
  }
  return lines
}

/** The power of ten next to a value. */
function decade(value: number, direction: (exponent: number) => number): number {
  return 10 ** direction(Math.log10(value))
}

const plot = { left: 64, right: 250, top: 50, height: 260 }

/** Both axes are logarithmic, so that equal growth is an equal slope. */
function curves(figure: Figure, { x, series, xTitle, yTitle }: Curves): string {
  const values = series.flatMap(({ y }) => y).filter((value) => value > 0)
  const low = 10 ** Math.floor(Math.log10(Math.min(...values)))
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)) + 1e-9)
  const [bottom, right] = [plot.top + plot.height, width - plot.right]
  const across = position(Math.min(...x), Math.max(...x), plot.left, right)
  const up = position(low, high, bottom, plot.top)
  const grid: string[] = []
  for (let tick = low; tick <= high * 1.01; tick *= 10) {
    grid.push(`<path class="grid" d="M${plot.left} ${up(tick)}H${right}"/>`)
    grid.push(text(plot.left - 8, up(tick) + 4, shown(tick), 'end', 'quiet'))
  }
  for (const each of x) grid.push(text(across(each), bottom + 18, shown(each), 'middle', 'quiet'))
  const ends = spaced(series.map(({ y }) => up(y.at(-1) ?? low)))
  const drawn = series.flatMap(({ name, y }, index) => [
    `<path class="line c${index % 6}" d="${y.map((value, at) => `${at === 0 ? 'M' : 'L'}${across(x[at] ?? 1)} ${up(value)}`).join('')}"/>`,
    `<path class="line c${index % 6}" d="M${right + 8} ${round(ends[index] ?? 0)}h12"/>`,
    text(
      right + 26,
      round((ends[index] ?? 0) + 4),
      cut(`${name}: ${shown(y.at(-1) ?? 0)}`, plot.right - 30),
    ),
  ])
  return document(figure, bottom + 44, [
    ...grid,
    ...drawn,
    text(plot.left, plot.top - 12, yTitle, 'start', 'quiet'),
    text((plot.left + right) / 2, bottom + 36, xTitle, 'middle', 'quiet'),
  ])
}

function position(least: number, most: number, from: number, to: number) {
  const span = Math.log10(most / least) || 1
  return (value: number) => round(from + (Math.log10(value / least) / span) * (to - from))
}

/** Moves labels apart that would overlap, in their order. */
function spaced(positions: readonly number[]): number[] {
  const gap = 15
  const order = positions.map((at, index) => ({ at, index })).sort((a, b) => a.at - b.at)
  const placed: number[] = []
  let last = Number.NEGATIVE_INFINITY
  for (const { at, index } of order) {
    last = Math.max(at, last + gap)
    placed[index] = last
  }
  return placed
}

/** A sentence in as many lines as it needs. */
function notice(sentence: string): string[] {
  const fits = Math.floor((width - 32) / charWidth)
  const lines = ['']
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length < fits) lines[lines.length - 1] = `${last} ${word}`.trim()
    else lines.push(word)
  }
  return lines.map((line, index) => text(16, 48 + index * 18, line, 'start', 'quiet'))
}

function document(figure: Figure, height: number, content: readonly string[]): string {
  const unit = figure.curves || figure.disturbed !== undefined ? '' : `, ${figure.unit}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(altText(figure))}</title>`,
    `<style>${style}</style>`,
    `<text class="title" x="16" y="22">${escaped(figure.title + unit)}</text>`,
    ...content,
    '</svg>',
    '',
  ].join('\n')
}

function text(x: number, y: number, content: string, anchor = 'start', name = ''): string {
  const attributes = `${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}${name ? ` class="${name}"` : ''}`
  return `<text x="${x}" y="${y}"${attributes}>${escaped(content)}</text>`
}

/** Shortened to what fits into so many pixels. */
function cut(content: string, pixels: number): string {
  const fits = Math.floor(pixels / charWidth)
  return content.length <= fits ? content : `${content.slice(0, fits - 1)}…`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
