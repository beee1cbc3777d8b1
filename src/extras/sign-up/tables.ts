import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'invitations',
    key: ['id'],
    givesIds: true,
    sealed: ['sealed'],
    needsKeys: true,
    person: { column: 'user_id', onDelete: 'delete' },
    namesPerson: {
      columns: ['sealed'],
      atErasure: 'the row of the account goes, and all to its verified address',
    },
    namesNone: ['confirmation', 'address_index', 'roles'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    invitations: InvitationsTable
  }
}

interface InvitationsTable {
  id: Generated<number>
  confirmation: string
  /** JSON of address and name, under the data key. */
  sealed: string
  address_index: string
  /** Comma-separated. */
  roles: string
  invited_by: number | null
  created_at: number
  expires_at: number
  accepted_at: number | null
  revoked_at: number | null
  /** The created user. */
  user_id: number | null
}
