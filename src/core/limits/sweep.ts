/**
 * Removes expired map entries, `batchSize` checked per call: a pass over a million would block the
 * event loop.
 */
export function createSweep<Key, Value>(
  map: Map<Key, Value>,
  batchSize: number,
): (isOver: (value: Value) => boolean) => void {
  let entries = map.entries()
  return (isOver) => {
    for (let checked = 0; checked < batchSize; checked += 1) {
      const { value: entry, done } = entries.next()
      if (done) {
        entries = map.entries()
        return
      }
      const [key, value] = entry
      if (isOver(value)) map.delete(key)
    }
  }
}
