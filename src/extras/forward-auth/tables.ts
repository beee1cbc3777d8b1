import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'forward_tickets',
    key: [],
    leftOut: 'valid for ten seconds, in a browser that waits elsewhere',
    namesPerson: { columns: ['return_to'], atErasure: 'the row goes with its session' },
    namesNone: ['id', 'session_id', 'origin', 'browser'],
  },
  {
    name: 'forward_sessions',
    key: ['id'],
    isLogin: true,
    namesNone: ['id', 'session_id', 'origin'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    forward_tickets: ForwardTicketsTable
    forward_sessions: ForwardSessionsTable
  }
}

interface ForwardTicketsTable {
  /** Digest of the ticket. */
  id: string
  /** Deleted with this session. */
  session_id: string
  /** The application's scheme, host, and port unless default. */
  origin: string
  /** Digest of the browser cookie. */
  browser: string
  return_to: string
  expires_at: number
}

/** Ends with its parent session. */
interface ForwardSessionsTable {
  /** Digest of the cookie's value. */
  id: string
  session_id: string
  origin: string
  created_at: number
}
