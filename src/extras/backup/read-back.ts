import type { RowsOfTables } from '../../core/database/rows-of-tables.ts'
import { type Opening, openContents } from './contents.ts'
import type { Tables } from './copied-tables.ts'
import { counted, type OnProgress } from './dump.ts'
import { leftOutOf } from './format.ts'
import type { TableName } from './rows.ts'

/** A restorable backup. */
export interface ReadBack {
  readonly createdAt: string
  readonly sha256: string
  readonly bytes: number
  readonly counts: ReadonlyMap<TableName, number>
  /** Omitted rows. */
  readonly leftOut: RowsOfTables
}

/**
 * Reads a backup as a restore does, without loading: digest, passphrase, authentication, every row
 * and count. @throws Error as `openContents`, or for a wrong row or count
 */
export async function readBack(
  path: string,
  opening: Opening,
  { tables, onProgress }: { readonly tables: Tables; readonly onProgress?: OnProgress },
): Promise<ReadBack> {
  const contents = await openContents(path, opening)
  try {
    const { sha256, size, description } = contents
    const { batches, counts } = contents.dump(tables)
    for await (const _ of counted(batches, counts, onProgress));
    const leftOut = leftOutOf(description)
    return { createdAt: description.created_at, sha256, bytes: size, counts, leftOut }
  } finally {
    await contents.close()
  }
}
