import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'confirmations',
    key: ['id'],
    sealed: ['sealed'],
    needsKeys: true,
    isLogin: true, // sets a password or signs in
    person: { column: 'user_id', onDelete: 'delete' },
    namesPerson: {
      columns: ['sealed'],
      atErasure: 'the row goes; one without an account goes when no code of it can count any more',
    },
    namesNone: ['id', 'purpose', 'address_index', 'flow'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    confirmations: ConfirmationsTable
  }
}

/** Neither link nor code is stored. */
interface ConfirmationsTable {
  /** Public part of the token. */
  id: string
  purpose: string
  user_id: number | null
  /** Keyed digest of the canonical address. */
  address_index: string
  /** Encrypted JSON of address, language and purpose data. */
  sealed: string
  /** The account's initial refresh version; 0 without an account. */
  version: number
  /** The last flow. Like `tries`, for the previous version only. */
  flow: string | null
  tries: Generated<number>
  created_at: number
  expires_at: number
  used_at: number | null
}
