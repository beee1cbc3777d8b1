import { DatabaseUnavailable } from '../errors.ts'
import type { Deadline } from '../mutex.ts'

const retryMs = 5

/** Does not block the event loop. */
export async function retryWhileBusy<T>(attempt: () => T, deadline: Deadline): Promise<T> {
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      const mayPass = error instanceof DatabaseUnavailable && error.isBusy
      if (!mayPass || deadline.leftMs() === 0) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(retryMs, deadline.leftMs())))
  }
}
