/**
 * Answers a function that starts work at most `maxPerTurn` times in one turn of the event loop. The
 * rest starts in later turns, in the order of arrival, so that other requests run in between.
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
      schedule() // first, because an error of one must not stop the others
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
