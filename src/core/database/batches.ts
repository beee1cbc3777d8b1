/** Rows in memory at once, unless they are large. */
const rowsAtOnce = 500

export interface InBatches<Row, Place> {
  /** The place before the first row. */
  readonly from: Place
  /** Rows at once. */
  readonly size?: number | undefined
  /** Returns the rows behind a place, in their order, and at most `size`. */
  readonly read: (after: Place, size: number) => Promise<readonly Row[]>
  /** Returns the place of the last row of a batch that began behind `after`. */
  readonly placeOf: (last: Row, after: Place) => Place
}

/** Reads a list of any length in constant memory, on demand. Yields no empty batch. */
export async function* batchesOf<Row, Place>({
  from,
  size = rowsAtOnce,
  read,
  placeOf,
}: InBatches<Row, Place>): AsyncGenerator<readonly Row[]> {
  let after = from
  for (;;) {
    const batch = await read(after, size)
    const last = batch.at(-1)
    if (last === undefined) return
    yield batch
    if (batch.length < size) return
    after = placeOf(last, after)
  }
}

/** As `batchesOf`, row by row. */
export async function* rowsOf<Row, Place>(list: InBatches<Row, Place>): AsyncGenerator<Row> {
  for await (const batch of batchesOf(list)) for (const row of batch) yield row
}

/** As `batchesOf`, for a list without another place than the number of rows before. */
export function batchesByOffset<Row>(
  read: (offset: number, size: number) => Promise<readonly Row[]>,
  size = rowsAtOnce,
): AsyncGenerator<readonly Row[]> {
  return batchesOf({ from: 0, size, read, placeOf: (_, offset) => offset + size })
}
