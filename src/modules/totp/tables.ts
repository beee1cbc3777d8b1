import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'second_factors',
    key: ['user_id'],
    sealed: ['sealed', 'pending'],
    present: 'isOfPresentUser',
    person: { column: 'user_id', onDelete: 'delete' },
    namesNone: ['sealed', 'pending'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    second_factors: SecondFactorsTable
  }
}

interface SecondFactorsTable {
  user_id: number
  /** Confirmed, or pending without a first code; encrypted with the data key. */
  sealed: string | null
  pending: string | null
  /** The latest accepted 30 s step. */
  last_step: number
  /** Bit n: step `last_step - n`. */
  used_steps: Generated<number>
  /** Null if unconfirmed, or from earlier versions. */
  confirmed_at: Generated<number | null>
}
