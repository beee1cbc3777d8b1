import type { Client, ClientConfig } from 'pg'
import type { ChangeFeed } from '../database.ts'

export const channel = 'gatehouse'

// The feed is not current if the last heartbeat that was answered began longer ago than this.
const staleAfterMs = 500
const heartbeatMs = 150
const reconnectMs = 250
const connectMs = 2000
// The connection is closed if isCurrent has not been called for this long.
const restMs = 10_000

export interface PostgresFeed extends ChangeFeed {
  close(): Promise<void>
}

/**
 * Notices the changes of other nodes on a connection of its own. Triggers notify the channel when a
 * transaction commits that changed a key, a revocation or a user. The answer to a heartbeat comes
 * after the notifications of all commits before it. While `isCurrent` is not called, the feed
 * rests. Behind a pooler, notifications may go to another client: there each heartbeat asks whether
 * anything was committed at all, and a change is noticed one heartbeat later.
 */
export function createPostgresFeed(config: ClientConfig): PostgresFeed {
  let version = 0
  let anyVersion = 0
  let heardAt = Number.NEGATIVE_INFINITY
  let isAsked = false
  let state: 'resting' | 'at work' | 'closed' = 'resting'
  let client: Client | undefined
  let snapshot: string | undefined
  let timer: NodeJS.Timeout | undefined

  return {
    isCurrent() {
      isAsked = true
      if (state === 'resting') wake()
      return performance.now() - heardAt < staleAfterMs
    },
    version: () => version,
    together: (work) => work(), // the numbers are in memory
    // PostgreSQL has no number for the changes of this process: each answer differs.
    anyVersion() {
      anyVersion += 1
      return anyVersion
    },
    async close() {
      state = 'closed'
      leave()
      await client?.end().catch(() => {})
    },
  }

  function wake(): void {
    state = 'at work'
    clearTimeout(timer)
    void (client ? heartbeat(client) : listen())
  }

  function rest(): void {
    state = 'resting'
    next(leave, restMs)
  }

  function leave(): void {
    clearTimeout(timer)
    heardAt = Number.NEGATIVE_INFINITY
    const left = client
    client = undefined
    void left?.end().catch(() => {})
  }

  async function listen(): Promise<void> {
    const { default: pg } = await import('pg')
    if (state === 'closed') return
    const mine = new pg.Client({
      ...config,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      keepAlive: true,
    })
    client = mine
    mine.on('error', () => lose(mine))
    mine.on('end', () => lose(mine))
    mine.on('notification', () => {
      version += 1
    })
    try {
      await mine.connect()
      snapshot = (await isPooled(mine)) ? '' : undefined
      await mine.query(`listen ${channel}`)
    } catch {
      return lose(mine)
    }
    version += 1 // there may have been changes while this node did not listen
    await heartbeat(mine)
  }

  async function heartbeat(mine: Client): Promise<void> {
    const askedAt = performance.now()
    isAsked = false
    try {
      if (snapshot === undefined) await mine.query('select')
      else await compareSnapshot(mine)
    } catch {
      return lose(mine)
    }
    if (client !== mine) return
    heardAt = askedAt
    next(() => (isAsked ? heartbeat(mine) : rest()), heartbeatMs)
  }

  /** Counts a change if the snapshot differs: it does once any writing transaction has ended. */
  async function compareSnapshot(mine: Client): Promise<void> {
    const { rows } = await mine.query<{ now: string }>('select pg_current_snapshot()::text as now')
    if (rows[0]?.now === snapshot) return
    snapshot = rows[0]?.now
    version += 1
  }

  function lose(mine: Client): void {
    if (client !== mine) return
    leave()
    next(() => (isAsked ? listen() : rest()), reconnectMs)
  }

  function next(work: () => Promise<void> | void, delayMs: number): void {
    clearTimeout(timer)
    if (state === 'closed') return
    timer = setTimeout(() => void work(), delayMs)
    timer.unref()
  }
}

/** A pooler tells its clients another process id than the one of the serving backend. */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return !('processID' in client) || client.processID !== rows[0]?.pid
}
