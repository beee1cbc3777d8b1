import type { DatabaseOrTransaction } from '../database/database.ts'

/** A section of the export of a person's data. */
export interface ExportSection {
  /** Its field in the export. */
  readonly name: string
  /** The tables whose rows the section exports. */
  readonly tables: readonly string[]
  /** Whether it is a list, or a single object. */
  readonly isList: boolean
  /** Reads its items in batches; a single object is the one item of the first batch. */
  read(db: DatabaseOrTransaction, userId: number): AsyncIterable<readonly object[]>
}

type Named = Pick<ExportSection, 'name' | 'tables'>

/** How many rows are read at a time: a post can have 80 kB. */
export const sectionBatch = 200

/** A section of one object; null if the person has none. */
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

/** A section of few items, which are read together. */
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

/** A section of very many items: `read` answers those after one, or the first; none at the end. */
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
