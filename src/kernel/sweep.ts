/**
 * Removes entries that are over from a map, `atOnce` looked at by each call, and all in turn: a pass over
 * a million would hold up everything else.
 */
export function createSweep<Key, Value>(
  map: Map<Key, Value>,
  atOnce: number,
): (isOver: (value: Value) => boolean) => void {
  let entries = map.entries()
  return (isOver) => {
    for (let looked = 0; looked < atOnce; looked += 1) {
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
