export interface NetworkRows {
  readonly network: string
  readonly rows: number
  readonly oldest: number
}

/**
 * Chooses how many rows each network loses, `excess` in total. The largest networks shrink to the
 * same level; ties: the network with the oldest row loses one more. Each keeps at least `least`, so
 * the total can be lower.
 */
export function levelOff(
  networks: readonly NetworkRows[],
  excess: number,
  least: number,
): ReadonlyMap<string, number> {
  const above = (level: number) =>
    networks.reduce((sum, { rows }) => sum + Math.max(0, rows - level), 0)
  let low = least
  let high = networks.reduce((most, { rows }) => Math.max(most, rows), least)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (above(middle) <= excess) high = middle
    else low = middle + 1
  }
  const level = high
  const given = new Map<string, number>()
  for (const { network, rows } of networks) if (rows > level) given.set(network, rows - level)
  if (level === least) return given
  const equals = networks.filter(({ rows }) => rows >= level)
  equals.sort((a, b) => a.oldest - b.oldest)
  for (const { network } of equals.slice(0, excess - above(level))) {
    given.set(network, (given.get(network) ?? 0) + 1)
  }
  return given
}
