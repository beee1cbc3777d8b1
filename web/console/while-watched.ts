/** How long after the last key or click a person is taken to be there. */
const thereMs = 15 * 60_000
const signs = ['pointerdown', 'keydown', 'wheel'] as const

let lastSignAt = Date.now()
for (const sign of signs) {
  addEventListener(sign, () => {
    lastSignAt = Date.now()
  })
}

/**
 * Calls `then` once after a time, but only while the page is visible and a person is there: requests
 * that a page sends by itself would keep the session of an empty chair alive. Else it waits for the
 * return. Answers what gives it up.
 */
export function whileWatched(ms: number, then: () => void): () => void {
  const giveUp = new AbortController()
  const { signal } = giveUp
  let isDue = false
  const act = () => {
    if (!isDue || document.visibilityState !== 'visible') return
    if (Date.now() - lastSignAt > thereMs) return
    giveUp.abort()
    then()
  }
  const timer = setTimeout(() => {
    isDue = true
    act()
  }, ms)
  signal.addEventListener('abort', () => clearTimeout(timer))
  for (const sign of signs) addEventListener(sign, act, { signal })
  document.addEventListener('visibilitychange', act, { signal })
  return () => giveUp.abort()
}
