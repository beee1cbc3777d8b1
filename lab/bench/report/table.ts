import { type Comparison, type Figure, type Line, median, meets, shown } from './figure.ts'

export function table({ lines, unit }: Figure): string {
  const head = ['', unit, 'least to most', 'CPU', 'cores', 'compared with', 'ratio', 'goal', '']
  const rows = lines.flatMap((line) => rowsOf(line, unit))
  // Columns without any content are left out.
  const isUsed = head.map((_, column) => column < 2 || rows.some((row) => row[column] !== ''))
  const write = (cells: readonly string[]) =>
    `| ${cells
      .filter((_, column) => isUsed[column])
      .map((cell) => cell.replaceAll('|', '\\|'))
      .join(' | ')} |`
  const rule = head.map((_, column) => (isRight(column) ? '-:' : '-'))
  return [write(head), write(rule), ...rows.map(write)].join('\n')
}

function isRight(column: number): boolean {
  return (column >= 1 && column <= 4) || column === 6
}

function rowsOf(line: Line, figureUnit: string): string[][] {
  const [first, ...rest] = line.comparisons ?? []
  if (line.missing !== undefined) return [[line.what, line.missing, '', '', '', '', '', '', '']]
  const unit = line.unit === undefined || line.unit === figureUnit ? '' : ` ${line.unit}`
  const own = [
    line.what,
    `${shown(median(line.values))}${unit}`,
    spread(line.values),
    line.microseconds ? `${shown(median(line.microseconds))} us` : '',
    line.cores ? median(line.cores).toFixed(2) : '',
  ]
  return [
    [...own, ...comparisonCells(first)],
    ...rest.map((comparison) => ['', '', '', '', '', ...comparisonCells(comparison)]),
  ]
}

function comparisonCells(comparison: Comparison | undefined): string[] {
  if (comparison === undefined) return ['', '', '', '']
  const { to, values, atLeast, atMost } = comparison
  const isItself = to === 'itself'
  const isMet = meets(comparison)
  const goal = [
    ...(atLeast === undefined ? [] : [`>= ${shown(atLeast)}`]),
    ...(atMost === undefined ? [] : [`<= ${shown(atMost)}`]),
  ].join(', ')
  return [
    isItself ? '' : to,
    isItself
      ? ''
      : `${median(values).toFixed(2)}${values.length > 1 ? ` (${ratios(values)})` : ''}`,
    goal,
    isMet === undefined ? '' : isMet ? 'met' : '**missed**',
  ]
}

function spread(values: readonly number[]): string {
  if (values.length < 2) return ''
  return `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`
}

function ratios(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
}
