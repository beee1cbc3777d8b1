import type { AnyTopics, Peer, Topics } from './peer.ts'
import type { Polled } from './workers.ts'

/** Timeout for optional answers. */
export const pollMs = 2_000

export type Poll<Theirs extends Topics<Theirs>> = <T extends keyof Theirs>(
  topic: T,
  ...data: Theirs[T]['data']
) => Promise<Polled<Theirs[T]['answer']>>

/**
 * Optional data: a scrape must never end a busy worker. On timeout or error, `answer` is missing. A
 * pending topic is not asked again, so that nothing piles up.
 */
export function createPoll<Theirs extends Topics<Theirs> = AnyTopics>(
  peer: Pick<Peer<Theirs>, 'ask'>,
  pid: number,
): Poll<Theirs> {
  const owed = new Set<keyof Theirs>()
  return async (topic, ...data) => {
    if (owed.has(topic)) return { pid }
    const { promise: late, resolve } = Promise.withResolvers<{ readonly pid: number }>()
    const timer = setTimeout(() => {
      owed.add(topic)
      resolve({ pid })
    }, pollMs)
    const answered = peer
      .ask(topic, ...data)
      .then(
        (answer) => ({ pid, answer }),
        () => ({ pid }),
      )
      .finally(() => {
        clearTimeout(timer)
        owed.delete(topic)
      })
    return Promise.race([answered, late])
  }
}
