import pg from 'pg'
import { type Kept, Message, type Statement } from './message.ts'
import { changedCode } from './notification.ts'
import { sessionSettings } from './server.ts'

// Limits the use of a plan made for a small table: the server keeps the plan until the next
// analyze, which may be a minute after the table has grown.
const maxPlanAgeMs = 1000
const discardPlans: Statement = { text: 'discard plans', values: [] }

const open = new Set<Session>()

/** The server process ids of this process's sessions. */
export function ownSessions(): number[] {
  return [...open].map((session) => session.pid)
}

export class Session extends pg.Client {
  /**
   * False behind a pooler: the next transaction may get another session, so no state may be kept in
   * the session.
   */
  isDirect = false
  /** Whether a statement since the last commit may have changed rows kept by nodes. */
  hasChanged = false
  readonly #kept: Kept = new Map()
  #plannedAt = performance.now()

  constructor(config?: pg.ClientConfig) {
    super(config)
    this.once('end', () => open.delete(this))
    this.on('notice', ({ code }) => {
      if (code === changedCode) this.hasChanged = true
    })
  }

  get pid(): number {
    return 'processID' in this ? Number(this.processID) : 0
  }

  /**
   * Sets up the session and detects a pooler, which reports another process id than the serving
   * backend. One round trip.
   */
  async prepare(limitMs: number, maxIdleMs: number): Promise<void> {
    open.add(this)
    const text = sessionSettings({ limitMs, maxIdleMs, pid: this.pid })
    const settings = this.#send({ text, values: [] })
    const timer = setTimeout(() => this.connection.stream.destroy(), 2 * limitMs)
    try {
      const [last] = (await settings.answer).rows
      this.isDirect = last !== undefined && 'notifies' in last && last.notifies === 'on'
    } catch (error) {
      // The pool's graceful end would wait for a server that does not answer.
      this.connection.stream.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Sends a statement after the statements of `before`, in one message. */
  transmit(statement: Statement, before: readonly Statement[] = []): Message {
    if (!this.isDirect) return this.#send({ ...statement, isKept: false }, before)
    const now = performance.now()
    if (!statement.isKept || now - this.#plannedAt < maxPlanAgeMs) {
      return this.#send(statement, before)
    }
    this.#plannedAt = now
    return this.#send(statement, [...before, discardPlans])
  }

  #send(statement: Statement, before: readonly Statement[] = []): Message {
    const message = new Message(statement, before, this.#kept)
    this.query(message)
    return message
  }
}
