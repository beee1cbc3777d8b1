/** What one attempt took, and all that its answer shows but for what differs at each answer. */
export interface Attempt {
  readonly milliseconds: number
  readonly look: string
}

export type Kind = () => Promise<Attempt>

export interface Comparison {
  readonly usual: string
  readonly rounds: number
  readonly atOnce: number
}

const tolerance = 0.1

/**
 * Makes attempts of all kinds in turn and prints their times; returns whether all look alike and
 * take the same time. Kinds are compared within a round, and each round has another order.
 */
export async function compare(
  kinds: Readonly<Record<string, Kind>>,
  { usual, rounds, atOnce }: Comparison,
): Promise<boolean> {
  const times = new Map(Object.keys(kinds).map((kind) => [kind, new Array<number>(rounds)]))
  const looks = new Map<string, string>()
  const turns = Array.from({ length: rounds }, (_, round) =>
    shuffled(Object.entries(kinds)).map(([name, kind]) => ({ round, name, kind })),
  ).flat()
  const tryTurns = async () => {
    for (let turn = turns.pop(); turn; turn = turns.pop()) {
      const { milliseconds, look } = await turn.kind()
      const ofKind = times.get(turn.name)
      if (ofKind) ofKind[turn.round] = milliseconds
      if (!looks.has(look)) looks.set(look, turn.name)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, tryTurns))

  const base = times.get(usual) ?? []
  const usualMedian = quantile(base, 0.5)
  let isEven = looks.size === 1
  for (const [kind, samples] of times) {
    const differences = samples.map((ms, round) => ms - (base[round] ?? Number.NaN))
    const ratio = 1 + quantile(differences, 0.5) / usualMedian
    if (!(Math.abs(ratio - 1) <= tolerance)) isEven = false
    const figures = [0.5, 0.25, 0.75].map((share) =>
      quantile(samples, share).toFixed(1).padStart(7),
    )
    const noise = (noiseOf(differences) / usualMedian).toFixed(3)
    print(`  ${kind.padEnd(26)} ${figures.join(' ')} ms  ${ratio.toFixed(3)} ± ${noise}`)
  }
  print(`  median and quartiles of ${rounds} each; ratio by the median difference within a round`)
  print(`  answers that differ: ${looks.size - 1}`)
  if (looks.size > 1) for (const [look, kind] of looks) print(`    ${kind}: ${look.slice(0, 600)}`)
  return isEven
}

/** Half of the interval that holds the true median in 19 of 20 runs. */
function noiseOf(differences: readonly number[]): number {
  const half = 0.98 / Math.sqrt(differences.length) // 1.96 standard deviations of a share of one half
  return (quantile(differences, 0.5 + half) - quantile(differences, 0.5 - half)) / 2
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

function quantile(samples: readonly number[], share: number): number {
  const index = Math.min(samples.length - 1, Math.max(0, Math.floor(samples.length * share)))
  return samples.toSorted((a, b) => a - b)[index] ?? Number.NaN
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
