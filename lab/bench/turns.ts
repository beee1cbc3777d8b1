import { loadavg } from 'node:os'
import { watchOthers } from './machine.ts'
import { counting, disturbance, type Seen } from './report/disturbance.ts'
import type { Comparison, Figure, Line } from './report/figure.ts'

export interface Plan {
  readonly turns: number
  readonly seconds: number
  /** A try at a busy machine: nothing counts as a disturbance, and nothing is written. */
  readonly isTrial: boolean
  /** What all parts together may spend on repeated turns; absent: as many as there are turns. */
  readonly repeats?: { leftMs: number }
  /** Parts that measure both databases measure this one alone. */
  readonly only?: 'SQLite' | 'PostgreSQL'
  /** For the Node of the service. */
  readonly nodeOptions: readonly string[]
}

/** What one turn of one contender gave. */
export interface Sample {
  readonly rate: number
  /** Processor time of its processes per request. */
  readonly microseconds?: number
  readonly cores?: number
  /** Other figures of the same turn, by name. */
  readonly more?: Readonly<Record<string, number>>
}

export interface Contender {
  readonly name: string
  readonly isPeer?: boolean
  run(seconds: number): Promise<Sample>
}

export interface Turns {
  readonly samples: ReadonlyMap<string, readonly Sample[]>
  readonly about: Pick<Figure, 'at' | 'turns' | 'loadBefore' | 'others' | 'disturbed'>
}

/**
 * Measures all contenders in turn; every second turn has the opposite order. The first turn warms
 * up. A turn is repeated if other programs were busy or the yardstick was off its median.
 */
export async function takeTurns(
  plan: Plan,
  contenders: readonly Contender[],
  yardstick: string,
  watchMachine: typeof watchOthers = watchOthers,
): Promise<Turns> {
  const loadBefore = loadavg()[0] ?? 0
  const taken: { seen: Seen; results: ReadonlyMap<string, Sample> }[] = []
  const seen = () => taken.map((each) => each.seen)
  const isCounted = () => (plan.isTrial ? taken.map(() => true) : counting(seen()))
  await turn(contenders, Math.min(1, plan.seconds))
  const mayRepeat = repetition(plan)
  for (;;) {
    const watch = watchMachine()
    const order = taken.length % 2 === 0 ? contenders : contenders.toReversed()
    const results = await turn(order, plan.seconds)
    const rate = results.get(yardstick)?.rate
    if (rate === undefined) throw new Error(`no contender is named ${yardstick}`)
    taken.push({ seen: { others: watch.cores(), yardstick: rate }, results })
    if (taken.length < plan.turns) continue
    if (isCounted().filter(Boolean).length >= plan.turns) break
    if (taken.length >= 2 * plan.turns || !mayRepeat()) break
  }
  const counts = isCounted()
  const counted = taken.filter((_, index) => counts[index])
  const samples = new Map(
    contenders.map(({ name }) => [name, counted.map(({ results }) => results.get(name) as Sample)]),
  )
  const sentence = disturbance(seen(), plan.turns, yardstick)
  const leftOut = taken.length - counted.length
  return {
    samples,
    about: {
      at: new Date().toISOString(),
      turns: `${counted.length} turns of ${plan.seconds} s${leftOut > 0 ? ` (${leftOut} left out)` : ''}`,
      loadBefore,
      others: Math.max(0, ...counted.map((each) => each.seen.others)),
      ...(sentence === undefined || plan.isTrial ? {} : { disturbed: sentence }),
    },
  }
}

/**
 * Says before each repeated turn of a part whether there is time for it. One part may spend a third of
 * what is left for all, so that there is always some for those after it.
 */
function repetition({ repeats }: Plan): () => boolean {
  if (repeats === undefined) return () => true
  let own = repeats.leftMs / 3
  let at: number | undefined
  return () => {
    const now = performance.now()
    const spent = at === undefined ? 0 : now - at
    at = now
    own -= spent
    repeats.leftMs -= spent
    return own > 0
  }
}

async function turn(
  contenders: readonly Contender[],
  seconds: number,
): Promise<Map<string, Sample>> {
  const results = new Map<string, Sample>()
  for (const contender of contenders) results.set(contender.name, await contender.run(seconds))
  return results
}

export interface Goal extends Pick<Comparison, 'atLeast' | 'atMost' | 'ratchet'> {
  /** The contender compared with; itself to judge the value. */
  readonly to: string
  readonly as?: string
}

export function linesOf(
  contenders: readonly Contender[],
  samples: Turns['samples'],
  goals: Readonly<Record<string, readonly Goal[]>> = {},
): Line[] {
  return contenders.map(({ name, isPeer }) => {
    const own = samples.get(name) ?? []
    const values = own.map(({ rate }) => rate)
    const comparisons = goals[name]?.map((goal) => comparison(values, goal, samples))
    return {
      what: name,
      values,
      ...(isPeer ? { isPeer } : {}),
      ...all('microseconds', own),
      ...all('cores', own),
      ...(comparisons ? { comparisons } : {}),
    }
  })
}

function comparison(
  values: readonly number[],
  { to, as, ...goal }: Goal,
  samples: Turns['samples'],
): Comparison {
  if (to === 'itself') return { to, values, ...goal }
  const others = samples.get(to)
  if (others === undefined) throw new Error(`no contender is named ${to}`)
  const ratios = values.map((value, index) => value / (others[index]?.rate ?? Number.NaN))
  return { to: as ?? to, values: ratios, ...goal }
}

function all(name: 'microseconds' | 'cores', samples: readonly Sample[]) {
  const values = samples.map((sample) => sample[name]).filter((value) => value !== undefined)
  return values.length === samples.length && values.length > 0 ? { [name]: values } : {}
}

/** A figure of `more`, one a turn. */
export function moreOf(
  { samples }: Pick<Turns, 'samples'>,
  contender: string,
  name: string,
): number[] {
  return (samples.get(contender) ?? []).map(({ more }) => more?.[name] ?? Number.NaN)
}

/**
 * Measures what is too long for turns: once, and once more if other programs were busy at the time.
 */
export async function takeOnce<T>(
  plan: Plan,
  measure: () => Promise<T>,
): Promise<{ readonly result: T; readonly about: Turns['about'] }> {
  const loadBefore = loadavg()[0] ?? 0
  const seen: Seen[] = []
  for (;;) {
    const watch = watchOthers()
    const result = await measure()
    seen.push({ others: watch.cores() })
    const sentence = disturbance(seen, 1)
    if (sentence !== undefined && !plan.isTrial && seen.length < 2) continue
    const about = {
      at: new Date().toISOString(),
      turns: 'once',
      loadBefore,
      others: seen.at(-1)?.others ?? 0,
      ...(sentence === undefined || plan.isTrial ? {} : { disturbed: sentence }),
    }
    return { result, about }
  }
}
