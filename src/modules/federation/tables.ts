import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'identities',
    key: ['id'],
    givesIds: true,
    person: { column: 'user_id', onDelete: 'delete' },
    namesPerson: { columns: ['issuer', 'subject'], atErasure: 'the row goes' },
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    identities: IdentitiesTable
  }
}

interface IdentitiesTable {
  id: Generated<number>
  user_id: number
  issuer: string
  subject: string
  created_at: number
  /** 1 if the identity created the account; null in rows of older versions. */
  made_account: Generated<number | null>
}
