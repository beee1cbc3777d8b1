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

interface BackupRunsTable {
  id: Generated<number>
  started_at: number
  node: string
  /** `removed`: succeeded; newer backups replaced the file. */
  state: 'waiting' | 'running' | 'done' | 'failed' | 'removed'
  /** The lease, by database clock; 0 while waiting. */
  locked_until: number
  file: string | null
  bytes: number | null
  sha256: string | null
  /** The failure. */
  detail: string | null
  finished_at: number | null
}
