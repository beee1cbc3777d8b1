import type { Peer } from './peer.ts'
import type { Polled } from './workers.ts'

/** Timeout for optional answers. */
export const pollMs = 2_000

/**
 * Optional data: a scrape must never end a busy worker. On timeout or error, `answer` is missing. A
 * pending topic is not asked again, so that nothing piles up.
 */
export function createPoll(
  peer: Pick<Peer, 'ask'>,
  pid: number,
): (topic: string, data?: unknown) => Promise<Polled> {
  const owed = new Set<string>()
  return async (topic, data) => {
    if (owed.has(topic)) return { pid }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Polled>((resolve) => {
      timer = setTimeout(() => {
        owed.add(topic)
        resolve({ pid })
      }, pollMs)
    })
    const answered = peer
      .ask(topic, data)
      .then(
        (answer): Polled => ({ pid, answer }),
        (): Polled => ({ pid }),
      )
      .finally(() => {
        clearTimeout(timer)
        owed.delete(topic)
      })
    return Promise.race([answered, late])
  }
}
