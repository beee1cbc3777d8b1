import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'confirmations',
    key: ['id'],
    sealed: ['sealed'],
    needsKeys: true,
    isLogin: true, // its link sets a password, or signs in
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

/** Proofs under way that the caller reads a mailbox: neither link nor code is stored. */
interface ConfirmationsTable {
  /** The part of the link's token that finds the row. */
  id: string
  purpose: string
  user_id: number | null
  /** Keyed digest of the canonical address. */
  address_index: string
  /** JSON of the address, the language and what the purpose needs, under the data key. */
  sealed: string
  /** The refresh version of the account at the beginning; 0 without an account. */
  version: number
  /** The flow that asked last. Like `tries`, for nodes of the previous version alone. */
  flow: string | null
  tries: Generated<number>
  created_at: number
  expires_at: number
  used_at: number | null
}
