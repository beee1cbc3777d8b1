import { DatabaseUnavailable } from './errors.ts'

/** Lets one through at a time, in the order of arrival; a wait that grows too long is given up. */
export class Turnstile {
  #occupied = false
  readonly #waiting: (() => void)[] = []

  /** Resolves to the function that lets the next one in. @throws DatabaseUnavailable after `timeoutMs` */
  async enter(timeoutMs: number): Promise<() => void> {
    if (this.#occupied) await this.#wait(timeoutMs)
    this.#occupied = true
    let left = false
    return () => {
      if (left) return
      left = true
      this.#occupied = false
      this.#waiting.shift()?.()
    }
  }

  #wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        this.#occupied = true // at once: nobody who arrives meanwhile may slip in
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(new DatabaseUnavailable('waited too long for a turn to write'))
      }, timeoutMs)
      this.#waiting.push(enter)
    })
  }
}
