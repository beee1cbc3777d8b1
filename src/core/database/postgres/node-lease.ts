import type { Client, ClientConfig } from 'pg'
import { pooledRandom, randomText, systemRandom } from '../../crypto/random.ts'
import { systemClock } from '../../lib/clock.ts'
import type { ChangeFeed, NodeLeaseOptions } from '../database.ts'
import { changesSince, NodeChanges } from './node-changes.ts'
import { createNodeConnection } from './node-connection.ts'
import { coordinationMs, leaseMs, NodeEnds } from './node-ends.ts'
import { createNodeMessages, type NodeRound } from './node-messages.ts'
import { forgottenMs, NodeRows } from './node-rows.ts'
import { channel, channelOf } from './notification.ts'

const renewMs = leaseMs / 3
const idBytes = 16

export interface NodeLease extends ChangeFeed {
  /**
   * Call after a commit that may end kept rows, with no lock held. Resolves when no node still
   * answers from the state before the commit; never rejects.
   */
  confirmed(): Promise<void>
  close(): Promise<void>
}

interface Result {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/**
 * A node may answer from memory while it holds a lease. It renews the lease on a connection of its
 * own, and then reads what has changed: a node that ends something either sees the renewal and waits
 * for the confirmation of this node, or has committed before this node reads. docs/adr/0091
 */
export function createNodeLease(config: ClientConfig, options: NodeLeaseOptions = {}): NodeLease {
  const { confirmsAtClose = false, unheardMs = coordinationMs, clock = systemClock } = options
  const id = randomText(pooledRandom(systemRandom), idBytes)
  const changes = new NodeChanges()
  const nodes = new NodeRows(id)
  const ends = new NodeEnds()
  const messages = createNodeMessages(id)
  let asked: NodeRound[] = []
  /** Before this time the list of other nodes may be incomplete. */
  let knowsFrom = Number.POSITIVE_INFINITY
  let leaseUntil = Number.NEGATIVE_INFINITY
  let wallOffset = 0
  let renewedAt = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  let owedUntil = 0
  let isClosed = false

  const connection = createNodeConnection({
    config,
    channels: [channel, channelOf(id)],
    onOpen() {
      knowsFrom = performance.now() + unheardMs
      renewedAt = Number.NEGATIVE_INFINITY
      changes.miss()
    },
    onLost() {
      leaseUntil = Number.NEGATIVE_INFINITY
      ends.take() // they resolve by time
    },
    onNotification: (from, payload) =>
      from === channel ? onChange(payload) : onConfirmation(payload),
    look,
  })

  return {
    isCurrent() {
      connection.start()
      const now = performance.now()
      return now < leaseUntil && Math.abs(clock.now() - now - wallOffset) < leaseMs / 2
    },
    version: () => changes.version,
    anyVersion: () => changes.anyVersion,
    onChanges: (listener) => changes.onChanges(listener),
    lagMs() {
      const { triesSince } = connection
      return triesSince === undefined ? 0 : performance.now() - Math.max(lookedAt, triesSince)
    },
    together: (work) => work(),
    useKey: messages.useKey,

    confirmed() {
      if (confirmsAtClose) {
        owedUntil = performance.now() + unheardMs
        return Promise.resolve()
      }
      const isAsked = connection.client !== undefined
      if (!isAsked && unheardMs === 0) return Promise.resolve()
      const end = ends.add({ isAsked })
      if (isAsked) connection.wake()
      return end
    },

    async close() {
      isClosed = true
      leaseUntil = Number.NEGATIVE_INFINITY
      await connection.close((client) => nodes.leave(client))
      const owedMs = owedUntil - performance.now()
      if (owedMs > 0) await new Promise((resolve) => setTimeout(resolve, owedMs))
    },
  }

  /** Renews when due, reads what has changed, and answers the nodes that asked before. */
  async function look(client: Client): Promise<number> {
    const [taken, questions] = [ends.take(), asked]
    asked = []
    const askedAt = performance.now()
    const offset = clock.now() - askedAt
    const isRenewal = askedAt >= renewedAt + renewMs - 1
    const round = taken.length > 0 && askedAt >= knowsFrom ? ends.open(taken) : undefined
    // A renewal is a message of its own, which must not fail with the question.
    const isAskedNow = round !== undefined && !isRenewal && nodes.live().length > 0
    const [row = {}, renewed] = isRenewal
      ? await renewedAndRead(client)
      : [await readOnly(client, isAskedNow ? messages.question(round) : null)]
    const isKnown = nodes.note(JSON.parse(String(row.nodes ?? '[]')), renewed)
    if (!isKnown) onRowLost()
    changes.take(row, { isWhole: isKnown })
    lookedAt = askedAt
    if (isRenewal && !isClosed && client === connection.client) {
      renewedAt = askedAt
      leaseUntil = askedAt + leaseMs
      wallOffset = offset
    }
    await answer(client, questions)
    if (round !== undefined && isKnown) await settle(client, round, isAskedNow)
    if (changes.isPurgeDue(forgottenMs)) {
      if (await nodes.forget(client)) await changes.purge(client)
    }
    return renewedAt + renewMs
  }

  /** The renewal commits before the last statement takes its snapshot. */
  async function renewedAndRead(client: Client) {
    const since = changes.since === null ? 'null' : `'${changes.since}'`
    const read = `select ${changesSince(`${since}::pg_snapshot`)}, ${allNodes}`
    const answers: unknown = await client.query(`begin; ${nodes.renewal}; commit; ${read}`)
    const results = answers as readonly Result[] // of several statements
    return [results.at(-1)?.rows[0], String(results[1]?.rows[0]?.renewals)] as const
  }

  /** Asks the other nodes in the same round trip. */
  async function readOnly(client: Client, question: string | null) {
    try {
      const { rows } = await client.query({ ...lookStatement, values: [changes.since, question] })
      return rows[0]
    } catch (error) {
      if (question === null || !isOfServer(error)) throw error
      return readOnly(client, null) // the queue of notifications is full
    }
  }

  /**
   * A failover lost the row, and perhaps rows of other nodes; or another node removed the row as
   * expired, and may have purged the log.
   */
  function onRowLost(): void {
    leaseUntil = Number.NEGATIVE_INFINITY
    renewedAt = Number.NEGATIVE_INFINITY
    knowsFrom = performance.now() + unheardMs
  }

  function onChange(payload: string): void {
    if (payload !== '') {
      const question = messages.asked(payload)
      if (!question || !nodes.mayAsk(question)) return
      asked.push(question)
    }
    connection.wake()
  }

  /** Confirms what the last look has read, to nodes that have a row. */
  async function answer(client: Client, questions: readonly NodeRound[]): Promise<void> {
    const taken = questions.filter((question) => nodes.takes(question))
    if (taken.length > 0) await notify(client, taken.map(messages.confirmation))
  }

  /** Ends the round when each node that may hold a lease has confirmed. */
  async function settle(client: Client, round: number, isAsked: boolean): Promise<void> {
    const live = nodes.live()
    ends.expect(round, live)
    const question = live.length > 0 && !isAsked ? messages.question(round) : null
    if (question !== null) await notify(client, [[channel, question]])
  }

  function onConfirmation(payload: string): void {
    const round = messages.confirmed(payload)
    if (round) ends.confirm(round.node, round.number)
  }
}

const allNodes = '(select json_agg(json_build_array(id, renewals::text)) from nodes)::text as nodes'

const lookStatement = {
  name: 'look',
  text: `select ${changesSince('$1::pg_snapshot')}, ${allNodes},
    case when $2::text is not null then pg_notify('${channel}', $2) end`,
}

const notifyStatement = {
  name: 'notify',
  text: 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as a (channel, payload)',
}

/** Best effort: the server may reject a notification, for example if its queue is full. */
async function notify(
  client: Client,
  messages: readonly (readonly [channel: string, payload: string])[],
): Promise<void> {
  const values = [messages.map(([name]) => name), messages.map(([, payload]) => payload)]
  await client.query({ ...notifyStatement, values }).catch((error) => {
    if (!isOfServer(error)) throw error
  })
}

function isOfServer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error
}
