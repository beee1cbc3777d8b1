import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'backup_runs',
    key: [],
    leftOut: 'of the installation that made them',
    namesNone: ['node', 'state', 'file', 'sha256', 'detail'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    backup_runs: BackupRunsTable
  }
}

/** Backups that the service made automatically. */
interface BackupRunsTable {
  id: Generated<number>
  started_at: number
  node: string
  /** `removed`: it was made, and its file was removed later, because newer ones were there. */
  state: 'waiting' | 'running' | 'done' | 'failed' | 'removed'
  /** The lease of the node that makes it, by the clock of the database; 0 while it waits. */
  locked_until: number
  file: string | null
  bytes: number | null
  sha256: string | null
  /** Why it failed. */
  detail: string | null
  finished_at: number | null
}
