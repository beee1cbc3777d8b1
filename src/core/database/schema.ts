import type { Generated } from 'kysely'

/**
 * The tables, the same on every database; each module adds its own in `tables.ts`. Times are integers in epoch milliseconds, UTC; flags are
 * 0 or 1; secrets of bearers are stored as SHA-256 digests.
 */
export interface Schema {
  row_counts: RowCountsTable
  list_blocks: ListBlocksTable
  list_changes: ListChangesTable
  imports: ImportsTable
  schema_version: SchemaVersionTable
  room_schemas: ModuleSchemasTable
}

interface RowCountsTable {
  /** The counted table. Kept by triggers, so that a total costs the same at any size. */
  name: string
  total: number
}

/** How many rows stand from a place of an order up to the next one: see list-pages.ts. */
interface ListBlocksTable {
  id: Generated<number>
  list: string
  /** The place at which the block begins; the first one of a list begins before all rows. */
  key: string
  row_id: number
  /** Without the changes that `list_changes` holds. */
  total: number
}

/** Rows that have entered and left lists since the blocks were counted. Kept by triggers. */
interface ListChangesTable {
  id: Generated<number>
  list: string
  row_id: number
  name_key: string | null
  email_key: string | null
  /** 1 for a row that has entered, -1 for one that has left. */
  change: number
  /** 1 while they are added to the blocks, in that transaction alone. */
  taken: Generated<number>
}

/** Hides staged rows from all reads: rows of an import, and a user that is being deleted. */
interface ImportsTable {
  id: Generated<number>
  state: 'open' | 'done' | 'failed'
  /** How many of its names other requests have taken; if any, it cannot be completed. */
  lost: Generated<number>
  /** When its process last touched it; an open import without a recent touch is dead. */
  seen_at: number
  /** Null if a node of 0.8.0 began it, which does not count lines. */
  started_at: number | null
  /** How many lines were read when it was last touched. */
  lines: Generated<number>
  dry_run: Generated<number>
}

interface SchemaVersionTable {
  version: number
  applied_at: number
  /** `expand` or `contract`; null for a migration before schema 24. */
  kind: Generated<string | null>
}

/** The migrations of external modules that have run. */
interface ModuleSchemasTable {
  room: string
  version: number
  applied_at: number
}
