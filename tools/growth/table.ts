/** One line of a table: a few values, and what is asked of the last of them, or of their ratio. */
export interface Figure {
  readonly what: string
  readonly values: readonly number[]
  readonly ratio?: number
  /** Of the ratio where there is one, else of the last value. */
  readonly goal?: number
}

let missed = 0

/** How many goals of the tables printed so far were missed. */
export function missedGoals(): number {
  return missed
}

/** The head of a table; the answer prints a line of it. */
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
