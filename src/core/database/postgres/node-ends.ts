/** What a node answers from memory is true for so long after it has asked the database. */
export const leaseMs = 1000
/** After that all leases from before are over. Clocks of two machines differ in their rate by 1 %. */
export const coordinationMs = leaseMs * 1.01 + 1

export type End = () => void

interface Round {
  readonly confirmed: Set<string>
  /** Absent until the node has read who holds leases. */
  expected?: readonly string[]
  readonly ends: readonly End[]
  readonly until: number
}

/**
 * Ends that are committed and not answered yet. Each waits until no lease from before it is left.
 * Nodes that have confirmed make the wait shorter, nothing makes it longer.
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

  /** Those that wait for a question. They are answered by time alone if nobody asks for them. */
  take(): readonly End[] {
    return this.#waiting.splice(0)
  }

  /** Opens a round of ends that wait together. Answers its number, which grows. */
  open(ends: readonly End[]): number {
    const now = performance.now()
    for (const [number, { until }] of this.#rounds) if (until < now) this.#rounds.delete(number)
    this.#lastRound += 1
    const until = now + coordinationMs
    this.#rounds.set(this.#lastRound, { confirmed: new Set(), ends, until })
    return this.#lastRound
  }

  /** The nodes that may hold a lease, as read after the commits of the round. */
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
