import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client, ClientConfig } from 'pg'
import { equalInConstantTime, keyedDigest } from '../../crypto/digest.ts'
import { pooledRandom, randomText, systemRandom } from '../../crypto/random.ts'
import { systemClock } from '../../lib/clock.ts'
import type { ChangeFeed, NodeLeaseOptions } from '../database.ts'
import { channel, channelOf } from './notification.ts'

const leaseMs = 1000
const renewMs = leaseMs / 3
/** Clocks of two machines may differ in their rate by 1 %. */
export const coordinationMs = leaseMs * 1.01 + 1
const reconnectMs = 250
const connectMs = 2000
/** A pooler may be replaced by the server itself. */
const poolerMs = 10_000
/** The log keeps changes for one to two of these times. */
const purgeMs = 60_000
const gapMs = purgeMs / 2
const idBytes = 16
const idFormat = /^[A-Za-z0-9_-]{22}$/
const snapshotFormat = /^[0-9:,]+$/

export interface NodeLease extends ChangeFeed {
  /**
   * Call after a commit that may end kept rows, with no lock held. Resolves when no node still
   * answers from the state before the commit; never rejects.
   */
  confirmed(): Promise<void>
  close(): Promise<void>
}

interface OtherNode {
  /** Changes with each renewal. */
  readonly renewals: string
  /** When this node first read that number. */
  readonly seenAt: number
}

interface Waiting {
  readonly committedAt: number
  readonly resolve: () => void
}

interface Round {
  readonly unconfirmed: Set<string>
  readonly ends: readonly Waiting[]
  readonly timer: NodeJS.Timeout
}

interface Result {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

interface Look {
  readonly snapshot: string
  readonly subjects: readonly string[] | null
  readonly nodes: readonly (readonly [id: string, renewals: string])[]
}

/**
 * A node may answer from memory while it holds a lease. It renews the lease on a connection of its
 * own, and then reads what has changed: a node that ends something either sees the renewal and waits
 * for the confirmation of this node, or has committed before this node reads. docs/adr/0091
 */
export function createNodeLease(config: ClientConfig, options: NodeLeaseOptions = {}): NodeLease {
  const { confirmsAtClose = false, unheardMs = coordinationMs, clock = systemClock } = options
  const id = randomText(pooledRandom(systemRandom), idBytes)
  const listeners: ((subjects: readonly string[] | null) => void)[] = []
  const others = new Map<string, OtherNode>()
  const rounds = new Map<string, Round>()
  let waiting: Waiting[] = []
  let asked: string[] = []
  let key: Uint8Array | undefined
  let version = 0
  let anyVersion = 0
  let lastRound = 0
  let client: Client | undefined
  let running: Promise<void> | undefined
  let isClosed = false
  let isPooled = false
  let startedAt = 0
  let listeningSince = Number.POSITIVE_INFINITY
  let leaseUntil = Number.NEGATIVE_INFINITY
  let wallOffset = 0
  let renewedAt = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  let renewals: string | undefined
  let snapshot: string | undefined
  let purged = { at: performance.now(), snapshot: '' }
  let owedUntil = 0
  let wake = () => {}
  let isWoken = false
  // Keeps the request that asked first from staying in memory.
  const outside = AsyncLocalStorage.snapshot()

  return {
    isCurrent() {
      running ??= outside(run)
      const now = performance.now()
      return now < leaseUntil && Math.abs(clock.now() - now - wallOffset) < leaseMs / 2
    },
    version: () => version,
    anyVersion: () => anyVersion,
    onChanges: (listener) => void listeners.push(listener),
    lagMs: () => (running && !isPooled ? performance.now() - Math.max(lookedAt, startedAt) : 0),
    together: (work) => work(),
    useKey(given) {
      key = given
    },

    confirmed() {
      const committedAt = performance.now()
      if (confirmsAtClose) {
        owedUntil = committedAt + coordinationMs
        return Promise.resolve()
      }
      return new Promise((resolve) => {
        const entry = { committedAt, resolve }
        if (!client) return waitOut([entry], unheardMs)
        waiting.push(entry)
        wakeUp()
      })
    },

    async close() {
      isClosed = true
      leaseUntil = Number.NEGATIVE_INFINITY
      wakeUp()
      await client?.query('delete from nodes where id = $1', [id]).catch(() => {})
      await client?.end().catch(() => {})
      await running
      const owedMs = owedUntil - performance.now()
      if (owedMs > 0) await new Promise((resolve) => setTimeout(resolve, owedMs))
    },
  }

  async function run(): Promise<void> {
    startedAt = performance.now()
    while (!isClosed) {
      const mine = await listen()
      try {
        while (mine && !isClosed && client === mine) {
          await look(mine)
          await sleep(renewedAt + renewMs - performance.now())
        }
      } catch {
        // The lease ends by itself, and the connection is made anew.
      }
      leave(mine)
      isWoken = false
      await sleep(isPooled ? poolerMs : reconnectMs)
    }
  }

  async function listen(): Promise<Client | undefined> {
    const { default: pg } = await import('pg')
    if (isClosed) return undefined
    const mine = new pg.Client({
      ...config,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      keepAlive: true,
    })
    const lost = () => leave(mine)
    mine.on('error', lost)
    mine.on('end', lost)
    mine.on('notification', ({ channel: from, payload = '' }) => {
      if (from === channel) told(payload)
      else confirm(payload)
    })
    try {
      await mine.connect()
      isPooled = await isBehindPooler(mine)
      if (isPooled) return mine.end().then(() => undefined)
      await mine.query(`listen ${channel}; listen "${channelOf(id)}"`)
    } catch {
      lost()
      return undefined
    }
    client = mine
    listeningSince = performance.now()
    snapshot = undefined // changes may have been missed
    renewedAt = Number.NEGATIVE_INFINITY
    return mine
  }

  function leave(left: Client | undefined): void {
    if (!left) return
    void left.end().catch(() => {})
    if (client !== left) return
    client = undefined
    leaseUntil = Number.NEGATIVE_INFINITY
    listeningSince = Number.POSITIVE_INFINITY
    waitOut(waiting.splice(0), coordinationMs)
    wakeUp()
  }

  /** Renews when due, reads what has changed, and answers the nodes that asked before. */
  async function look(mine: Client): Promise<void> {
    const [ends, questions] = [waiting, asked]
    ;[waiting, asked] = [[], []]
    try {
      const askedAt = performance.now()
      const offset = clock.now() - askedAt
      const isRenewal = askedAt >= renewedAt + renewMs - 1
      if (askedAt - lookedAt > gapMs) snapshot = undefined
      const answers: unknown = await mine.query(lookStatement(isRenewal))
      const results = [answers].flat() as Result[]
      const found = lookIn(results)
      noteOwnRow(isRenewal ? String(results[1]?.rows[0]?.renewals) : undefined, found)
      noteOthers(found)
      publish(found.subjects)
      snapshot = found.snapshot
      lookedAt = askedAt
      if (isRenewal && !isClosed && client === mine) {
        renewedAt = askedAt
        leaseUntil = askedAt + leaseMs
        wallOffset = offset
      }
    } catch (error) {
      waitOut(ends, coordinationMs)
      throw error
    }
    if (questions.length > 0) await answer(mine, questions)
    if (ends.length > 0) await settle(mine, ends)
    if (lookedAt - purged.at > purgeMs) await purge(mine)
  }

  /** The renewal commits before the last statement takes its snapshot. */
  function lookStatement(isRenewal: boolean): string {
    const since = `'${snapshot}'::pg_snapshot`
    const changes = snapshot
      ? `(select json_agg(distinct subject) from node_changes
          where xid >= pg_snapshot_xmin(${since}) and not pg_visible_in_snapshot(xid, ${since}))`
      : 'null'
    const read = `select pg_current_snapshot()::text as snapshot, ${changes}::text as subjects,
      (select json_agg(json_build_array(id, renewals::text)) from nodes)::text as nodes`
    if (!isRenewal) return read
    return `begin; insert into nodes (id, renewals) values ('${id}', 1)
      on conflict (id) do update set renewals = nodes.renewals + 1 returning renewals; commit; ${read}`
  }

  function lookIn(results: readonly Result[]): Look {
    const row = results.at(-1)?.rows[0]
    const text = String(row?.snapshot)
    if (!snapshotFormat.test(text)) throw new Error('no snapshot')
    return {
      snapshot: text,
      subjects: snapshot ? JSON.parse(String(row?.subjects ?? '[]')) : null,
      nodes: JSON.parse(String(row?.nodes ?? '[]')),
    }
  }

  /** A lost row means a lost server: the rows of other nodes may be lost, too. */
  function noteOwnRow(renewed: string | undefined, { nodes }: Look): void {
    const present = renewed ?? nodes.find(([node]) => node === id)?.[1]
    const expected = renewed === undefined ? renewals : String(Number(renewals) + 1)
    if (renewals !== undefined && present !== expected) listeningSince = performance.now()
    renewals = present
  }

  function noteOthers({ nodes }: Look): void {
    const present = new Map(nodes)
    const now = performance.now()
    for (const node of others.keys()) if (!present.has(node)) others.delete(node)
    for (const [node, count] of present) {
      if (node !== id && others.get(node)?.renewals !== count) {
        others.set(node, { renewals: count, seenAt: now })
      }
    }
  }

  function publish(subjects: readonly string[] | null): void {
    if (subjects?.length === 0) return
    version += 1
    if (!subjects) anyVersion += 1
    for (const listener of listeners) listener(subjects)
  }

  /** Asks the nodes that may hold a lease to confirm. */
  async function settle(mine: Client, ends: readonly Waiting[]): Promise<void> {
    const now = performance.now()
    const live = [...others].filter(([, { seenAt }]) => now < seenAt + coordinationMs)
    if (now < listeningSince + unheardMs) return waitOut(ends, coordinationMs)
    if (live.length === 0) return waitOut(ends, 0)
    if (!key) return waitOut(ends, coordinationMs)
    lastRound += 1
    const number = String(lastRound)
    const latest = ends.reduce((last, { committedAt }) => Math.max(last, committedAt), 0)
    rounds.set(number, {
      unconfirmed: new Set(live.map(([node]) => node)),
      ends,
      timer: setTimeout(() => endRound(number), latest + coordinationMs - performance.now()),
    })
    const payload = [id, number, macOf(key, 'end', id, number)].join(' ')
    // If it fails, for example because the queue is full, the round ends by its time.
    await mine.query('select pg_notify($1, $2)', [channel, payload])
  }

  function endRound(number: string): void {
    const round = rounds.get(number)
    if (!round) return
    rounds.delete(number)
    clearTimeout(round.timer)
    waitOut(round.ends, 0)
  }

  /** Resolves each so long after its commit. */
  function waitOut(ends: readonly Waiting[], ms: number): void {
    for (const { committedAt, resolve } of ends) {
      const leftMs = committedAt + ms - performance.now()
      if (leftMs > 0) setTimeout(resolve, leftMs)
      else resolve()
    }
  }

  function told(payload: string): void {
    if (payload.startsWith(`${id} `)) return
    asked.push(payload)
    wakeUp()
  }

  /** Confirms what the last look has read. Any role may notify: only nodes know the key. */
  async function answer(mine: Client, questions: readonly string[]): Promise<void> {
    const known = key
    if (!known) return
    const confirmations = questions.flatMap((question) => {
      const [node = '', number = '', mac] = question.split(' ')
      if (!idFormat.test(node) || !equalInConstantTime(mac, macOf(known, 'end', node, number))) {
        return []
      }
      return { channel: channelOf(node), payload: [id, number, macOf(known, id, node, number)] }
    })
    if (confirmations.length === 0) return
    await mine.query(
      'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as a (channel, payload)',
      [
        confirmations.map((each) => each.channel),
        confirmations.map((each) => each.payload.join(' ')),
      ],
    )
  }

  /** A round that includes later changes confirms the earlier rounds, too. */
  function confirm(payload: string): void {
    const [node = '', number = '', mac] = payload.split(' ')
    if (!key || !equalInConstantTime(mac, macOf(key, node, id, number))) return
    for (const [open, { unconfirmed }] of rounds) {
      if (Number(open) > Number(number)) continue
      unconfirmed.delete(node)
      if (unconfirmed.size === 0) endRound(open)
    }
  }

  /** Deletes changes that every living node has read, and nodes that renew no more. */
  async function purge(mine: Client): Promise<void> {
    const now = performance.now()
    const dead = [...others].filter(([, { seenAt }]) => now > seenAt + purgeMs)
    for (const [node, { renewals: last }] of dead) {
      await mine.query('delete from nodes where id = $1 and renewals = $2', [node, last])
    }
    // Ids above all present ones come from another server, by a restored dump.
    await mine.query(
      `delete from node_changes where xid < pg_snapshot_xmin($1::pg_snapshot)
        or xid >= pg_snapshot_xmax(pg_current_snapshot())`,
      [purged.snapshot || '1:1:'],
    )
    purged = { at: now, snapshot: snapshot ?? '' }
  }

  function wakeUp(): void {
    isWoken = true
    wake()
  }

  async function sleep(ms: number): Promise<void> {
    if (!isWoken && ms > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        timer.unref()
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    isWoken = false
    wake = () => {}
  }
}

function macOf(key: Uint8Array, ...parts: readonly string[]): string {
  return keyedDigest(key, parts.join(' '))
}

/** A pooler reports another process id than the serving backend. */
async function isBehindPooler(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return !('processID' in client) || client.processID !== rows[0]?.pid
}
