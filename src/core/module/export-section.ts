import type { DatabaseOrTransaction } from '../database/database.ts'

export interface ExportSection {
  readonly name: string
  readonly tables: readonly string[]
  readonly isList: boolean
  /** A single object is the only item of the first batch. */
  read(db: DatabaseOrTransaction, userId: number): AsyncIterable<readonly object[]>
}

type Named = Pick<ExportSection, 'name' | 'tables'>

/** A post can have 80 kB. */
export const sectionBatch = 200

/** Null if the person has none. */
export function single(
  named: Named,
  read: (db: DatabaseOrTransaction, userId: number) => Promise<object | null | undefined>,
): ExportSection {
  return {
    ...named,
    isList: false,
    async *read(db, userId) {
      const found = await read(db, userId)
      yield found ? [found] : []
    },
  }
}

/** For few items, read together. */
export function list(
  named: Named,
  read: (db: DatabaseOrTransaction, userId: number) => Promise<readonly object[]>,
): ExportSection {
  return {
    ...named,
    isList: true,
    async *read(db, userId) {
      yield await read(db, userId)
    },
  }
}

/** `read` returns the items after the given item, or the first; none at the end. */
export function batches<Item extends object>(
  named: Named,
  read: (db: DatabaseOrTransaction, userId: number, after: Item | undefined) => Promise<Item[]>,
): ExportSection {
  return {
    ...named,
    isList: true,
    async *read(db, userId) {
      let last: Item | undefined
      do {
        const items = await read(db, userId, last)
        last = items.at(-1)
        if (last) yield items
      } while (last)
    },
  }
}
