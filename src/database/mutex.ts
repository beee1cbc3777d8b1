import { DatabaseUnavailable } from './errors.ts'

// setTimeout takes no more: a longer delay would end at once.
const longestTimerMs = 2 ** 31 - 1

/** One limit for all the waiting of a query, whatever it waits for. */
export class Deadline {
  readonly #at: number

  constructor(timeoutMs: number) {
    this.#at = performance.now() + timeoutMs
  }

  /** Milliseconds that may still be waited; 0 once the limit has passed. */
  leftMs(): number {
    return Math.min(Math.max(0, this.#at - performance.now()), longestTimerMs)
  }
}

/** Lets one through at a time, in the order of arrival; a wait that grows too long is given up. */
export class Mutex {
  #occupied = false
  readonly #waiting: (() => void)[] = []

  /** Resolves to the function that lets the next one in. @throws DatabaseUnavailable at the deadline */
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
        this.#occupied = true // at once: nobody who arrives meanwhile may slip in
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
