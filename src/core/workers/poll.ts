import type { Peer } from './peer.ts'
import type { Polled } from './workers.ts'

/** How long the answers of the other processes are waited for, when any of them may be missing. */
export const pollMs = 2_000

/**
 * Asks a process what is good to know but need not be known: a scrape must never end a worker that is
 * only busy. Without an answer in time, and after an error of its work, `answer` is missing. A process
 * that still owes its answer about a topic is not asked about it again, so that nothing piles up.
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
