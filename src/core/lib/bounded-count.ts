// Of the time that passes, and of how much of it may be saved for later.
const share = 0.01
const maxSavedMs = 2_000

/**
 * Bounds what a count costs: a count of a million sessions reads them all, and a scraper may do so
 * without a pause. It may take a hundredth of the time; once that is used up, the last count stands.
 * Callers at the same time share one.
 * @param now milliseconds that only grow
 */
export function boundedCount<Count>(
  count: () => Promise<Count>,
  now: () => number = () => performance.now(),
): () => Promise<Count> {
  let savedMs = maxSavedMs
  let savedAt = now()
  let last: Count | undefined
  let counting: Promise<Count> | undefined

  return () => {
    const at = now()
    savedMs = Math.min(maxSavedMs, savedMs + (at - savedAt) * share)
    savedAt = at
    if (last !== undefined && savedMs <= 0) return Promise.resolve(last)
    counting ??= made(at).finally(() => {
      counting = undefined
    })
    return counting
  }

  async function made(beganAt: number): Promise<Count> {
    try {
      const counted = await count()
      last = counted
      return counted
    } finally {
      savedMs -= now() - beganAt
    }
  }
}
