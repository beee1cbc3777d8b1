import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client, ClientConfig } from 'pg'

const reconnectMs = 250
const connectMs = 2000
/** The address may later lead to the server without a pooler. */
const poolerMs = 10_000

export interface NodeConnectionOptions {
  readonly config: ClientConfig
  readonly channels: readonly string[]
  readonly onOpen: () => void
  readonly onLost: () => void
  readonly onNotification: (channel: string, payload: string) => void
  /** Called repeatedly while connected. Returns when the next call is due (`performance.now()`). */
  readonly look: (client: Client) => Promise<number>
}

export interface NodeConnection {
  /** Undefined while disconnected. */
  readonly client: Client | undefined
  /** When the first attempt to connect began; undefined before, and behind a pooler. */
  readonly triesSince: number | undefined
  start(): void
  /** Makes `look` due now. */
  wake(): void
  /** Calls `last` with the connection if there is one. */
  close(last: (client: Client) => Promise<void>): Promise<void>
}

/** A listening connection, opened again whenever it is lost. Behind a pooler there is none. */
export function createNodeConnection(options: NodeConnectionOptions): NodeConnection {
  const { config, channels, onOpen, onLost, onNotification, look } = options
  let client: Client | undefined
  let running: Promise<void> | undefined
  let triesSince: number | undefined
  let isPooled = false
  let isClosed = false
  const pause = createPause()
  // Otherwise the async context would keep the first request in memory.
  const outside = AsyncLocalStorage.snapshot()

  return {
    get client() {
      return client
    },
    get triesSince() {
      return isPooled ? undefined : triesSince
    },
    start() {
      running ??= outside(run)
    },
    wake: pause.end,

    async close(last) {
      isClosed = true
      pause.end()
      await running
      if (client) await last(client).catch(() => {})
      await client?.end().catch(() => {})
    },
  }

  async function run(): Promise<void> {
    triesSince = performance.now()
    while (!isClosed) {
      const mine = await open()
      try {
        while (mine && !isClosed && client === mine) {
          await pause.until(await look(mine))
        }
      } catch {
        // The lease expires, and the loop reconnects.
      }
      if (isClosed) return
      leave(mine)
      pause.forget()
      await pause.until(performance.now() + (isPooled ? poolerMs : reconnectMs))
    }
  }

  async function open(): Promise<Client | undefined> {
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
    mine.on('notification', ({ channel, payload = '' }) => onNotification(channel, payload))
    try {
      await mine.connect()
      isPooled = await isBehindPooler(mine)
      if (isPooled) return mine.end().then(() => undefined)
      // A plan for a small table would stay when the table has grown.
      const settings = ['set enable_seqscan = off', ...channels.map((name) => `listen "${name}"`)]
      await mine.query(settings.join(';'))
    } catch {
      lost()
      return undefined
    }
    client = mine
    onOpen()
    return mine
  }

  function leave(left: Client | undefined): void {
    if (!left) return
    void left.end().catch(() => {})
    if (client !== left) return
    client = undefined
    onLost()
    pause.end()
  }
}

/** A pooler reports another process id than the serving backend. */
async function isBehindPooler(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return !('processID' in client) || client.processID !== rows[0]?.pid
}

/** A pause that can be ended early, even before it begins. */
function createPause() {
  let isEnded = false
  let wake = () => {}

  return {
    end() {
      isEnded = true
      wake()
    },
    forget() {
      isEnded = false
    },
    async until(time: number): Promise<void> {
      const ms = time - performance.now()
      if (!isEnded && ms > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          timer.unref()
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isEnded = false
      wake = () => {}
    },
  }
}
