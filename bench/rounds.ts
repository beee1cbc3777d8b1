import autocannon, { type Options } from 'autocannon'

/** A line of the table. */
export interface Row {
  readonly what: string
  readonly ours: string
  readonly peer: string
  readonly ratio: string
  readonly goal: string
  readonly ok: boolean
}

/** Measures once; answers a rate, more is better. */
export type Contender = () => Promise<number>

export interface Duel {
  /** Medians of the rounds, per second. */
  readonly ours: number
  readonly peer: number
  /** The median of `ours` divided by `peer` of the same round. */
  readonly ratio: number
}

const warmUpRounds = 1

/**
 * Measures both in turn and compares within each round, so that other load of the machine affects
 * both alike. The order alternates from round to round.
 */
export async function duel(rounds: number, ours: Contender, peer: Contender): Promise<Duel> {
  const pairs: { ours: number; peer: number }[] = []
  for (let round = 0; round < rounds + warmUpRounds; round += 1) {
    let rates: { ours: number; peer: number }
    if (round % 2 === 0) rates = { peer: await peer(), ours: await ours() }
    else rates = { ours: await ours(), peer: await peer() }
    if (round >= warmUpRounds) pairs.push(rates)
  }
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    peer: median(pairs.map((pair) => pair.peer)),
    ratio: median(pairs.map((pair) => pair.ours / pair.peer)),
  }
}

/** Successful answers per second. @throws Error if one of them failed */
export async function load(options: Options): Promise<number> {
  const startedAt = performance.now()
  const result = await autocannon(options)
  const seconds = (performance.now() - startedAt) / 1000
  if (result.errors + result.timeouts + result.non2xx > 0 || result['2xx'] === 0) {
    const { errors, timeouts, non2xx } = result
    throw new Error(`${options.url}: ${errors} errors, ${timeouts} timeouts, ${non2xx} refused`)
  }
  return result['2xx'] / seconds
}

export function atLeast(what: string, { ours, peer, ratio }: Duel, goal: number): Row {
  return {
    what,
    ours: perSecond(ours),
    peer: perSecond(peer),
    ratio: ratio.toFixed(3),
    goal: `>= ${goal}`,
    ok: ratio >= goal,
  }
}

/** The line of a goal on cost: the time per request is the inverse of the rate. */
export function atMost(what: string, { ours, peer, ratio }: Duel, goal: number): Row {
  return {
    what,
    ours: perSecond(ours),
    peer: perSecond(peer),
    ratio: (1 / ratio).toFixed(3),
    goal: `<= ${goal}`,
    ok: 1 / ratio <= goal,
  }
}

/** A line of processor time in microseconds beside a rate, without a goal. */
export function processorTime(ours: number, peer: number): Row {
  return {
    what: '  processor time of each',
    ours: `${ours.toFixed(0)} us`,
    peer: `${peer.toFixed(0)} us`,
    ratio: (peer / ours).toFixed(3),
    goal: '',
    ok: true,
  }
}

export function memoryAtMost(what: string, megabytes: number, goal: number): Row {
  return {
    what,
    ours: `${megabytes.toFixed(0)} MB`,
    peer: '',
    ratio: '',
    goal: `<= ${goal} MB`,
    ok: megabytes <= goal,
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

function perSecond(rate: number): string {
  return `${rate >= 1000 ? Math.round(rate) : rate.toFixed(1)}/s`
}
