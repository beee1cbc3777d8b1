import type { Client, ClientConfig } from 'pg'
import type { ChangeFeed } from './connect.ts'

export const channel = 'gatehouse'

// A node that has not heard from the database for this long takes itself for blind.
const blindAfterMs = 500
const beatMs = 150
const reconnectMs = 250
const connectMs = 2000

/**
 * What other nodes change, heard over a connection of its own: triggers notify the channel when a
 * transaction commits that changed a key, a revocation or a user. Each beat asks for an answer: the
 * notices of everything that was committed before it have arrived by then.
 */
export function createPostgresFeed(
  config: ClientConfig,
): ChangeFeed & { close: () => Promise<void> } {
  let version = 0
  let anyVersion = 0
  let heardAt = Number.NEGATIVE_INFINITY
  let client: Client | undefined
  let isStarted = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  return {
    isCurrent() {
      if (!isStarted) start()
      return performance.now() - heardAt < blindAfterMs
    },
    version: () => version,
    // Everything changes all the time, for all that this node knows.
    anyVersion() {
      anyVersion += 1
      return anyVersion
    },
    async close() {
      isClosed = true
      heardAt = Number.NEGATIVE_INFINITY
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }

  function start(): void {
    isStarted = true
    void listen()
  }

  async function listen(): Promise<void> {
    if (isClosed) return
    const { default: pg } = await import('pg')
    const mine = new pg.Client({
      ...config,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      keepAlive: true,
    })
    client = mine
    let isLost = false
    const lose = () => {
      if (isLost) return
      isLost = true
      heardAt = Number.NEGATIVE_INFINITY
      void mine.end().catch(() => {})
      schedule(listen, reconnectMs)
    }
    mine.on('error', lose)
    mine.on('end', lose)
    mine.on('notification', () => {
      version += 1
    })
    const beat = async (statement: string) => {
      const askedAt = performance.now()
      try {
        await mine.query(statement)
      } catch {
        return lose()
      }
      if (isLost || isClosed) return
      if (statement !== 'select') version += 1 // what was told while nobody listened must be read
      heardAt = askedAt
      schedule(() => beat('select'), beatMs)
    }
    try {
      await mine.connect()
    } catch {
      return lose()
    }
    await beat(`listen ${channel}`)
  }

  function schedule(work: () => Promise<void>, delayMs: number): void {
    if (isClosed) return
    timer = setTimeout(() => void work(), delayMs)
    timer.unref()
  }
}
