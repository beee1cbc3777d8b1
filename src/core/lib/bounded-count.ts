// Share of elapsed time; also limits the saved budget.
const share = 0.01
const maxSavedMs = 2_000

/**
 * Limits the cost of counting millions of rows for frequent scrapes. Without budget, returns the
 * last count. Concurrent callers share one count.
 * @param now monotonic milliseconds
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
