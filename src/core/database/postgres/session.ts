import pg from 'pg'
import { type Kept, Message, type Statement } from './message.ts'
import { changedCode } from './notification.ts'
import { sessionSettings } from './server.ts'

// A plan that was made for a small table reads all of it, and the server keeps such a plan until it
// has analysed the table again, which may be a minute after the table has grown.
const maxPlanAgeMs = 1000
const discardPlans: Statement = { text: 'discard plans', values: [] }

const open = new Set<Session>()

/** The numbers of the server processes of the sessions of this process, as the server has told them. */
export function ownSessions(): number[] {
  return [...open].map((session) => session.pid)
}

/** A connection of the pool. */
export class Session extends pg.Client {
  /**
   * Whether the server itself answers. Behind a pooler the next transaction may get another of its
   * sessions, so nothing may be kept there from one to the next.
   */
  isDirect = false
  /** Whether a statement since the last commit made a change that other nodes must be told of. */
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
   * Sets what the service needs, and finds out whether a pooler is in between: it tells its clients
   * another process id than the one of the serving backend. One round trip.
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
      // The pool ends such a client gracefully and would wait for a server that does not answer.
      this.connection.stream.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Sends a statement, and in the same message those before it. */
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
