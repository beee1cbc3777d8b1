import { DatabaseUnavailable } from './errors.ts'

// The maximum of setTimeout: a longer delay would end at once.
const maxTimerMs = 2 ** 31 - 1

/**
 * The point in time at which a query stops waiting: for a mutex, a connection and a lock together.
 */
export class Deadline {
  readonly #at: number

  constructor(timeoutMs: number) {
    this.#at = performance.now() + timeoutMs
  }

  /** Milliseconds until the deadline; 0 once it has passed. */
  leftMs(): number {
    return Math.min(Math.max(0, this.#at - performance.now()), maxTimerMs)
  }
}

/** Admits one holder at a time, in the order of arrival; a waiter gives up at its deadline. */
export class Mutex {
  #occupied = false
  readonly #waiting: (() => void)[] = []

  get isOccupied(): boolean {
    return this.#occupied
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Resolves to the function that releases the mutex. @throws DatabaseUnavailable at the deadline
   */
  async enter(deadline: Deadline): Promise<() => void> {
    if (this.#occupied) await this.#wait(deadline)
    this.#occupied = true
    let left = false
    return () => {
      if (left) return
      left = true
      this.#occupied = false
      this.#waiting.shift()?.()
    }
  }

  #wait(deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        this.#occupied = true // at once, so that a later arrival cannot enter before this waiter
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(new DatabaseUnavailable('waited too long for a turn to write'))
      }, deadline.leftMs())
      this.#waiting.push(enter)
    })
  }
}
