import type { Generated } from 'kysely'

/**
 * The tables, the same on every database; each module adds its own in `tables.ts`. Times are integers in epoch milliseconds, UTC; flags are
 * 0 or 1; secrets of bearers are stored as SHA-256 digests.
 */
export interface Schema {
  row_counts: RowCountsTable
  list_blocks: EmptyTable
  list_changes: EmptyTable
  imports: ImportsTable
  schema_version: SchemaVersionTable
  room_schemas: ModuleSchemasTable
}

interface RowCountsTable {
  /** The counted table. Kept by triggers, so that a total costs the same at any size. */
  name: string
  total: number
}

/** Without rows. A node of 0.12.0 reads it: see migrations/0040-pages-by-offset.ts. */
interface EmptyTable {
  id: Generated<number>
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
