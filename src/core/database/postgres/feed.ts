import type { Client, ClientConfig } from 'pg'
import type { ChangeFeed } from '../database.ts'
import { channel } from './notification.ts'

// The feed is stale if the last answered heartbeat began longer ago.
const staleAfterMs = 500
const heartbeatMs = 150
const reconnectMs = 250
const connectMs = 2000
// The connection is closed if isCurrent is not called for this long.
const restMs = 10_000

// Revocations become visible in the order of their ids.
const lastChanges = `
  select concat_ws(' ', (select max(id) from revocations),
    (select md5(string_agg(keys::text, '' order by id)) from keys)) as answer`
// Differs after any writing transaction has ended.
const snapshot = 'select pg_current_snapshot()::text as answer'

export interface PostgresFeed extends ChangeFeed {
  close(): Promise<void>
}

/**
 * Detects changes of other nodes on a dedicated connection, which listens for commits that change
 * keys, revocations or users (migrations/0018). A heartbeat is answered after the notifications of
 * earlier commits. A heartbeat also reads the last revocation and the keys, in case a notification
 * was lost. Behind a pooler, where notifications may reach another client, a heartbeat checks for
 * any commit.
 */
export function createPostgresFeed(config: ClientConfig): PostgresFeed {
  let version = 0
  let anyVersion = 0
  let heardAt = Number.NEGATIVE_INFINITY
  /** Not reset by retries. */
  let silentSince = 0
  let isAsked = false
  let state: 'resting' | 'at work' | 'closed' = 'resting'
  let client: Client | undefined
  let question = lastChanges
  let lastAnswer: string | undefined
  let timer: NodeJS.Timeout | undefined

  return {
    isCurrent() {
      isAsked = true
      if (state === 'resting') wake()
      return performance.now() - heardAt < staleAfterMs
    },
    version: () => version,
    lagMs() {
      return state === 'at work' ? performance.now() - Math.max(heardAt, silentSince) : 0
    },
    together: (work) => work(),
    // PostgreSQL has no number for changes of this process, so each answer differs.
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
    silentSince = performance.now()
    clearTimeout(timer)
    void (client ? heartbeat(client) : listen())
  }

  function rest(): void {
    state = 'resting'
    next(leave, restMs)
  }

  function leave(): void {
    clearTimeout(timer)
    silentSince = Math.max(silentSince, heardAt)
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
      question = (await isPooled(mine)) ? snapshot : lastChanges
      await mine.query(`listen ${channel}`)
    } catch {
      return lose(mine)
    }
    lastAnswer = undefined // changes may have been missed
    await heartbeat(mine)
  }

  async function heartbeat(mine: Client): Promise<void> {
    const askedAt = performance.now()
    isAsked = false
    try {
      const { rows } = await mine.query<{ answer: string }>(question)
      if (client === mine) compare(rows[0]?.answer)
    } catch {
      return lose(mine)
    }
    if (client !== mine) return
    heardAt = askedAt
    next(() => (isAsked ? heartbeat(mine) : rest()), heartbeatMs)
  }

  function compare(answer: string | undefined): void {
    if (answer === lastAnswer) return
    lastAnswer = answer
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

/** A pooler reports another process id than the serving backend. */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return !('processID' in client) || client.processID !== rows[0]?.pid
}
