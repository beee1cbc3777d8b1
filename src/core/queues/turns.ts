/**
 * Limits starts to `maxPerTurn` per event loop turn; the rest start later in order, so that other
 * requests run.
 */
export function createTurns(maxPerTurn: number): (start: () => void) => void {
  const waiting: (() => void)[] = []
  let started = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(nextTurn)
  }

  function nextTurn(): void {
    isScheduled = false
    started = 0
    while (started < maxPerTurn) {
      const start = waiting.shift()
      if (!start) return
      started += 1
      schedule() // first: an error must not stop the others
      start()
    }
  }

  return (start) => {
    schedule()
    if (waiting.length > 0 || started >= maxPerTurn) {
      waiting.push(start)
      return
    }
    started += 1
    start()
  }
}
