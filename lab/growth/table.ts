/** A line of a table: some values, and a goal for the last of them or for their ratio. */
export interface Figure {
  readonly what: string
  readonly values: readonly number[]
  readonly ratio?: number
  /** The goal of the ratio if there is one, otherwise of the last value. */
  readonly goal?: number
}

let missed = 0

export function missedGoals(): number {
  return missed
}

/** Prints the head of a table; answers a function that prints a line of it. */
export function startTable(
  title: string,
  heads: readonly string[],
  hasRatios = false,
): (figure: Figure) => void {
  print(`\n${title}`)
  print(lineOf('', [...heads, ...(hasRatios ? ['ratio'] : []), 'goal', '']))
  return ({ what, values, ratio, goal }) => {
    const isMet = goal === undefined || (ratio ?? values.at(-1) ?? 0) <= goal
    if (!isMet) missed += 1
    const shown = [
      ...values.map((value) => value.toFixed(value < 100 ? 2 : 0)),
      ...(ratio === undefined ? [] : [ratio.toFixed(2)]),
      goal === undefined ? '' : `<= ${goal}`,
      goal === undefined ? '' : isMet ? 'ok' : 'MISSED',
    ]
    print(lineOf(what, shown))
  }
}

function lineOf(what: string, columns: readonly string[]): string {
  return `  ${what.padEnd(44)}${columns.map((text) => text.padStart(11)).join('')}`.trimEnd()
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function goal(what: string, figure: number, most: number): void {
  if (!(figure <= most)) missed += 1
  const shown = Number.isInteger(figure) ? figure : figure.toFixed(1)
  print(`  ${figure <= most ? 'ok    ' : 'MISSED'} ${what}: ${shown} (goal: ${most})`)
}

export function verdict(): string {
  return missed === 0 ? '\nPASS' : `\nFAIL: ${missed} goals missed`
}
