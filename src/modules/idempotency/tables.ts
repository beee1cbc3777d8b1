import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'idempotency_keys',
    key: ['id'],
    namesPerson: {
      columns: ['answer'],
      atErasure: 'emptied if the person called, or is named by it',
    },
    namesNone: ['id', 'fingerprint'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    idempotency_keys: IdempotencyKeysTable
  }
}

interface IdempotencyKeysTable {
  /** Digest of caller, route and key. */
  id: string
  /** Keyed digest of the body. */
  fingerprint: string
  /** JSON; empty after erasure of a named person. */
  answer: string
  /** The caller, and the user named in the response. */
  caller: Generated<number | null>
  person: Generated<number | null>
  expires_at: number
}
