import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'profile_values',
    key: ['user_id', 'field'],
    person: { column: 'user_id', onDelete: 'delete' },
    present: 'isOfPresentUser',
    namesPerson: { columns: ['value', 'unique_key'], atErasure: 'the row goes' },
    namesNone: ['field'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    profile_values: ProfileValuesTable
  }
}

interface ProfileValuesTable {
  user_id: number
  field: string
  /** JSON. */
  value: string
  /** Digest of the compared form; null if the field was not unique when the value was written. */
  unique_key: string | null
}
