import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'recovery_codes',
    key: ['user_id', 'code'],
    refersTo: 'second_factors', // in backups of before version 0.15.0
    person: { column: 'user_id', onDelete: 'delete' },
    namesNone: ['code'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    recovery_codes: RecoveryCodesTable
  }
}

interface RecoveryCodesTable {
  user_id: number
  /** Digest. */
  code: string
  /** Null for codes of earlier versions. */
  created_at: Generated<number | null>
}
