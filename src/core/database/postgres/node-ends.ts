/** Duration of a lease, from the moment before the node asks the database. */
export const leaseMs = 1000
/** After this time all earlier leases have expired. Clock rates of machines differ by up to 1 %. */
export const coordinationMs = leaseMs * 1.01 + 1

export type End = () => void

interface Round {
  readonly confirmed: Set<string>
  /** The other nodes that may hold a lease. Absent until they are read. */
  expected?: readonly string[]
  readonly ends: readonly End[]
  readonly until: number
}

/**
 * Ends that are committed and not acknowledged yet. An end resolves when each node that may hold an
 * earlier lease has confirmed it, and after `coordinationMs` at the latest.
 */
export class NodeEnds {
  #waiting: End[] = []
  readonly #rounds = new Map<number, Round>()
  #lastRound = 0

  /** Call after the commit. `isAsked`: whether other nodes can be asked. */
  add({ isAsked }: { readonly isAsked: boolean }): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, coordinationMs)
      if (!isAsked) return
      this.#waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** Removes and returns the ends that wait for a question. Without a question they resolve by time. */
  take(): readonly End[] {
    return this.#waiting.splice(0)
  }

  /** Opens a round of ends that wait together. Returns its number; numbers increase. */
  open(ends: readonly End[]): number {
    const now = performance.now()
    for (const [number, { until }] of this.#rounds) if (until < now) this.#rounds.delete(number)
    this.#lastRound += 1
    const until = now + coordinationMs
    this.#rounds.set(this.#lastRound, { confirmed: new Set(), ends, until })
    return this.#lastRound
  }

  /** `nodes`: read after the commits of the round. */
  expect(number: number, nodes: readonly string[]): void {
    const round = this.#rounds.get(number)
    if (!round) return
    round.expected = nodes
    this.#endIfConfirmed(number, round)
  }

  /** A node that has read the changes of a round has read those of the earlier rounds, too. */
  confirm(node: string, number: number): void {
    for (const [open, round] of this.#rounds) {
      if (open > number) continue
      round.confirmed.add(node)
      this.#endIfConfirmed(open, round)
    }
  }

  #endIfConfirmed(number: number, { expected, confirmed, ends }: Round): void {
    if (!expected?.every((node) => confirmed.has(node))) return
    this.#rounds.delete(number)
    for (const end of ends) end()
  }
}
