import fc from 'fast-check'
import type { Finding } from './checks.ts'
import type { Found } from './chunk.ts'
import type { Described } from './described.ts'

export interface Shrunk {
  readonly requests: readonly Described[]
  readonly found: Found | null
  /** Of a single request: its place among the requests of the seed, with the steps of the shrinking. */
  readonly path: string | null
}

export type Replay = (requests: readonly Described[]) => Promise<readonly Found[]>

const limitMs = 90_000

/** Equal for findings with one cause. */
export function causeOf({ kind, text }: Finding): string {
  // Of an answer the operation and the status, of a line of the log what is wrong with it.
  const [first = ''] = text.split(': ')
  return `${kind} ${first.replace(/"[^"]*"/g, '""').replace(/[\da-f]{3,}\.\.\./gi, '...')}`.slice(
    0,
    120,
  )
}

/**
 * Looks for the shortest requests with a finding of the same cause: the noted request alone,
 * simpler and simpler; otherwise few of the requests before it.
 */
export async function shrink(
  found: Found,
  requests: readonly Described[],
  { arbitrary, seed, replay }: { arbitrary: fc.Arbitrary<Described>; seed: number; replay: Replay },
): Promise<Shrunk> {
  const cause = causeOf(found)
  const endsAt = performance.now() + limitMs
  let last: Found | null = null
  const leadsThere = async (some: readonly Described[]) => {
    const again = (await replay(some)).find((one) => causeOf(one) === cause)
    last = again ?? last
    return again !== undefined
  }
  /** Shrinks the request at a place alone; null if it does not lead there alone. */
  const alone = async (at: number): Promise<Shrunk | null> => {
    const property = fc.asyncProperty(arbitrary, async (one) => !(await leadsThere([one])))
    const { counterexample, counterexamplePath } = await fc.check(property, {
      seed,
      path: String(at),
      numRuns: 1,
      interruptAfterTimeLimit: limitMs,
      markInterruptAsFailure: false,
    })
    const [one] = counterexample ?? []
    return one ? { requests: [one], found: last, path: counterexamplePath } : null
  }
  const first = found.at === null ? null : await alone(found.at)
  if (first) return first
  let rest = requests.slice(0, found.at === null ? undefined : found.at + 1)
  if (!(await leadsThere(rest))) return { requests: [], found: null, path: null }
  for (let parts = 2; rest.length > 1 && performance.now() < endsAt; ) {
    const size = Math.ceil(rest.length / parts)
    const shorter = await firstThat(leadsThere, without(rest, size), endsAt)
    if (shorter) rest = shorter
    else if (size === 1) break
    parts = shorter ? 2 : Math.min(parts * 2, rest.length)
  }
  const [only] = rest
  const single = only && rest.length === 1 ? await alone(requests.indexOf(only)) : null
  return single ?? { requests: rest, found: last, path: null }
}

function without<T>(list: readonly T[], size: number): T[][] {
  const starts = Array.from({ length: Math.ceil(list.length / size) }, (_, at) => at * size)
  return [
    ...starts.map((start) => list.slice(start, start + size)),
    ...starts.map((start) => [...list.slice(0, start), ...list.slice(start + size)]),
  ]
}

async function firstThat<T>(
  holds: (list: readonly T[]) => Promise<boolean>,
  lists: readonly T[][],
  endsAt: number,
): Promise<T[] | undefined> {
  for (const list of lists) {
    if (performance.now() > endsAt) return undefined
    if (await holds(list)) return list
  }
  return undefined
}
