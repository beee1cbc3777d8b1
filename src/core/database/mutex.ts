import { DatabaseUnavailable } from './errors.ts'

// setTimeout's maximum: longer delays end immediately.
const maxTimerMs = 2 ** 31 - 1

/** Shared by the waits for a mutex, a connection and a lock. */
export class Deadline {
  readonly #at: number

  constructor(timeoutMs: number) {
    this.#at = performance.now() + timeoutMs
  }

  /** 0 if passed. */
  leftMs(): number {
    return Math.min(Math.max(0, this.#at - performance.now()), maxTimerMs)
  }
}

/** Admits one holder at a time, in order of arrival. */
export class Mutex {
  #occupied = false
  readonly #waiting: (() => void)[] = []

  get isOccupied(): boolean {
    return this.#occupied
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves to the release function. @throws DatabaseUnavailable at the deadline */
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
        this.#occupied = true // immediately, so that later arrivals cannot overtake
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
