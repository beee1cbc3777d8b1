import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  { name: 'imports', key: [], leftOut: 'under way elsewhere: begun anew where the data goes' },
  {
    name: 'import_names',
    key: [],
    leftOut: 'of those imports',
    person: {
      column: 'user_id',
      onDelete: { kept: 'they go with their import, within minutes' },
      excluded: 'a name of an import that is under way, for minutes',
    },
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    imports: ImportsTable
    import_names: ImportNamesTable
  }
}

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

/** The names on lines of an import that created no account: see 0008-imports.ts. */
interface ImportNamesTable {
  import_id: number
  username: string
  line: number
  user_id: number | null
}
