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

/** Hands a session over to the host of an application, once. */
interface ForwardTicketsTable {
  /** Digest of the ticket. */
  id: string
  /** Deleted with this session. */
  session_id: string
  /** The application's scheme, host, and port unless default. */
  origin: string
  /** Digest of the browser cookie at that host. */
  browser: string
  return_to: string
  expires_at: number
}

/** A session at the host of an application; ends with its parent session. */
interface ForwardSessionsTable {
  /** Digest of the cookie's value. */
  id: string
  session_id: string
  origin: string
  created_at: number
}
