import type { Clock } from '../../core/lib/clock.ts'

export interface Waiter {
  readonly key: string
  /** Resolves when the waiter should check again, at the latest after `milliseconds`. */
  wait(milliseconds: number): Promise<void>
  leave(): void
}

export interface WaitQueues {
  /** The number of notifications over all keys; read before a check. */
  notifications(): number
  /** `notificationsBefore`: the number read before the failed check. */
  join(key: string, notificationsBefore: number): Waiter
  /** An attempt of this key was settled: wakes the first waiter of its queue. */
  notify(key: string): void
}

/**
 * Queues of callers that wait for a rate limit, one queue per key. Only the first waiter is woken,
 * and wakes the next when it leaves: otherwise checks would grow with the square of the waiters.
 */
export function createWaitQueues(clock: Clock, pollMs: number): WaitQueues {
  const queues = new Map<string, Waiting[]>()
  let notifications = 0

  return {
    notifications: () => notifications,

    join(key, notificationsBefore) {
      const queue = queues.get(key) ?? []
      queues.set(key, queue)
      const own: Waiting = { wake: new AbortController() }
      queue.push(own)
      // An empty queue had no waiter to wake: a notification since the check would be lost.
      if (queue[0] === own && notifications !== notificationsBefore) own.wake.abort()
      return {
        key,
        async wait(milliseconds) {
          // Other processes notify nothing here: the first waiter polls.
          const maxMs = queue[0] === own ? Math.min(pollMs, milliseconds) : milliseconds
          await clock.wait(maxMs, own.wake.signal)
          own.wake = new AbortController() // before the check, so that no later notification is lost
        },
        leave() {
          queue.splice(queue.indexOf(own), 1)
          if (queue.length === 0) queues.delete(key)
          queue[0]?.wake.abort()
        },
      }
    },

    notify(key) {
      notifications += 1
      queues.get(key)?.[0]?.wake.abort()
    },
  }
}

interface Waiting {
  wake: AbortController
}
