import type { Generated } from 'kysely'

/**
 * All tables; modules add theirs in `tables.ts`. Times are epoch milliseconds; flags 0 or 1; bearer
 * secrets SHA-256 digests.
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
  /** The table. Triggers keep the count, so that totals have a constant cost. */
  name: string
  total: number
}

/** Read by nodes of 0.12.0: see migrations/0040-pages-by-offset.ts. */
interface EmptyTable {
  id: Generated<number>
}

/** Hides staged rows: imports and pending deletions. */
interface ImportsTable {
  id: Generated<number>
  state: 'open' | 'done' | 'failed'
  /** Names taken by other requests; if any, the import cannot be completed. */
  lost: Generated<number>
  /** Last touched by its process; an open import without a recent touch is dead. */
  seen_at: number
  /** Null if begun by 0.8.0, which does not count lines. */
  started_at: number | null
  /** Lines read. */
  lines: Generated<number>
  dry_run: Generated<number>
}

interface SchemaVersionTable {
  version: number
  applied_at: number
  /** `expand` or `contract`; null before schema 24. */
  kind: Generated<string | null>
}

/** Of external modules. */
interface ModuleSchemasTable {
  room: string
  version: number
  applied_at: number
}
