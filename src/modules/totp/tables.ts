import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'second_factors',
    key: ['user_id'],
    sealed: ['sealed', 'pending'],
    person: { column: 'user_id', onDelete: 'delete' },
    namesNone: ['sealed', 'pending'],
  },
  {
    name: 'recovery_codes',
    key: ['user_id', 'code'],
    person: { column: 'user_id', onDelete: 'delete' },
    namesNone: ['code'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    second_factors: SecondFactorsTable
    recovery_codes: RecoveryCodesTable
  }
}

interface SecondFactorsTable {
  user_id: number
  /** The confirmed secret, and a pending one without a first code; encrypted under the data key. */
  sealed: string | null
  pending: string | null
  /** The latest step of 30 s whose code was accepted. */
  last_step: number
  /** The steps whose codes were used: bit n stands for `last_step - n`. */
  used_steps: Generated<number>
  /** When the secret was confirmed; null before, and for secrets of earlier versions. */
  confirmed_at: Generated<number | null>
}

interface RecoveryCodesTable {
  user_id: number
  /** Digest of the code. */
  code: string
  /** Null for codes of a version before. */
  created_at: Generated<number | null>
}
