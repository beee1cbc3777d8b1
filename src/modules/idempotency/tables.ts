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
  /** The answer's body as JSON; empty after a person whom it may name was erased. */
  answer: string
  /** The user who called, and the user whom the answer names. */
  caller: Generated<number | null>
  person: Generated<number | null>
  expires_at: number
}
