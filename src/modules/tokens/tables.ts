import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'revocations',
    key: ['id'],
    givesIds: true,
    person: {
      column: 'user_id',
      onDelete: { kept: 'tokens of a user who is gone stay refused until they expire' },
      excluded: 'from which counter on tokens count, until they expire',
    },
    namesNone: ['token'],
  },
  { name: 'refresh_uses', key: ['rid'], namesNone: ['rid', 'family', 'successor'] },
  { name: 'refresh_families_ended', key: ['family'], namesNone: ['family'] },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    revocations: RevocationsTable
    refresh_uses: RefreshUsesTable
    refresh_families_ended: RefreshFamiliesEndedTable
  }
}

interface RevocationsTable {
  id: Generated<number>
  /** The `jti` of a single token; null for an entry of a user and a version. */
  token: string | null
  user_id: number | null
  access_version: number | null
  expires_at: number
}

interface RefreshUsesTable {
  rid: string
  successor: string
  /** The id of the first pair; in older families, the first `rid`. */
  family: string
  /** Claims of the successor, in seconds since the epoch. */
  issued_at: number
  successor_expires_at: number
  used_at: number
}

interface RefreshFamiliesEndedTable {
  family: string
  /** The expiry of the last token of the family, in seconds since the epoch. */
  expires_at: number
}
