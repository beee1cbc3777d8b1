import type { Client } from 'pg'
import { coordinationMs } from './node-ends.ts'
import type { NodeRound } from './node-messages.ts'

interface OtherNode {
  /** Changes with each renewal. */
  renewals: string
  /** When this node first read the present number. */
  seenAt: number
  /** The last round that this node has confirmed. */
  confirmed: number
}

/** The id, and the number of renewals. */
export type NodeRow = readonly [id: string, renewals: string]

/** The row of a node is removed this long after its last renewal. */
export const forgottenMs = 60_000

/** The table `nodes` as a node has read it: each node that may hold a lease has a row. */
export class NodeRows {
  readonly #id: string
  #renewals: string | undefined
  readonly #others = new Map<string, OtherNode>()

  /** `id` is random, so that its text needs no quoting. */
  constructor(id: string) {
    this.#id = id
  }

  get renewal(): string {
    return `insert into nodes (id, renewals) values ('${this.#id}', 1)
      on conflict (id) do update set renewals = nodes.renewals + 1 returning renewals`
  }

  /** `renewed`: this node's number after a renewal. Returns false if this node's row was lost. */
  note(rows: readonly NodeRow[], renewed: string | undefined): boolean {
    const present = new Map(rows)
    const now = performance.now()
    for (const node of this.#others.keys()) if (!present.has(node)) this.#others.delete(node)
    for (const [node, renewals] of present) {
      if (node === this.#id) continue
      const other = this.#others.get(node)
      if (!other) this.#others.set(node, { renewals, seenAt: now, confirmed: 0 })
      else if (other.renewals !== renewals) Object.assign(other, { renewals, seenAt: now })
    }
    const before = this.#renewals
    this.#renewals = renewed ?? present.get(this.#id)
    if (before === undefined) return true
    const expected = renewed === undefined ? before : String(Number(before) + 1)
    return this.#renewals === expected
  }

  /** False for a repeated question. The row of a new node may not be read yet. */
  mayAsk({ node, number }: NodeRound): boolean {
    return number > (this.#others.get(node)?.confirmed ?? 0)
  }

  /** Notes the question as confirmed. False if it is repeated, or from a node without a row. */
  takes({ node, number }: NodeRound): boolean {
    const other = this.#others.get(node)
    if (!other || number <= other.confirmed) return false
    other.confirmed = number
    return true
  }

  /** The other nodes that may hold a lease. */
  live(): string[] {
    const now = performance.now()
    const isLive = ({ seenAt }: OtherNode) => now < seenAt + coordinationMs
    return [...this.#others].filter(([, node]) => isLive(node)).map(([node]) => node)
  }

  /** False if a node has renewed just now: that node has not read the changes yet. */
  async forget(client: Client): Promise<boolean> {
    const now = performance.now()
    let areForgotten = true
    for (const [node, { renewals, seenAt }] of this.#others) {
      if (now <= seenAt + forgottenMs) continue
      const forgotten = 'delete from nodes where id = $1 and renewals = $2'
      const { rowCount } = await client.query(forgotten, [node, renewals])
      if (rowCount === 0) areForgotten = false
    }
    return areForgotten
  }

  async leave(client: Client): Promise<void> {
    await client.query('delete from nodes where id = $1', [this.#id])
  }
}
