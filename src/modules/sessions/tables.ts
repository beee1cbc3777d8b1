import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'sessions',
    key: ['id'],
    isLogin: true,
    person: { column: 'user_id', onDelete: 'delete' },
    namesPerson: { columns: ['address', 'user_agent'], atErasure: 'the row goes' },
    namesNone: ['id', 'csrf_token', 'amr'],
  },
  {
    name: 'session_ends',
    key: [],
    person: {
      column: 'user_id',
      onDelete: 'delete',
      excluded: 'digests of ended sessions, for a day',
    },
    leftOut: 'kept for a day, to explain refusals of the service that wrote them',
    namesNone: ['id'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    sessions: SessionsTable
    session_ends: SessionEndsTable
  }
}

interface SessionsTable {
  /** Digest of the cookie's value. */
  id: string
  user_id: number
  csrf_token: string
  /** RFC 8176, joined by spaces; empty if unknown. */
  amr: Generated<string>
  /**
   * Epoch milliseconds; 0 if the provider did not say, null for a session of a previous version.
   */
  auth_time: number | null
  created_at: number
  last_seen_at: number
  /** 1: kept for KEEP_SIGNED_IN_DAYS. */
  kept: Generated<number>
  address: string
  user_agent: string
}

/** Sessions that ended with all logins of their account, for a day. */
interface SessionEndsTable {
  id: string
  user_id: number
  ended_at: number
}
