/**
 * Ignores case. Tolerates one edit up to seven characters, else two: insert, delete, replace or
 * transpose.
 */
export function nearName(given: string, names: Iterable<string>): string | undefined {
  let [nearest, least]: [string | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
  for (const name of names) {
    const most = Math.min(name.length < 8 ? 1 : 2, least - 1)
    const distance = distanceUpTo(most, given.toLowerCase(), name.toLowerCase())
    if (distance <= most) [nearest, least] = [name, distance]
  }
  return nearest
}

/** Optimal string alignment distance; stops above `most`. */
function distanceUpTo(most: number, from: string, to: string): number {
  if (Math.abs(from.length - to.length) > most) return most + 1
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const at = (cells: readonly number[], index: number) => cells[index] ?? most + 1
      const isSame = from[i - 1] === to[j - 1]
      const isExchanged = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (isSame ? 0 : 1),
        isExchanged ? at(before, j - 2) + 1 : most + 1,
      )
    }
    if (Math.min(...next) > most && Math.min(...row) > most) return most + 1
    before = row
    row = next
  }
  return row[to.length] ?? most + 1
}
