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
  /** The session that it is of; the end of that session removes it. */
  session_id: string
  /** The origin of the application: scheme, host, and the port unless it is the scheme's own. */
  origin: string
  /** Digest of the cookie of the browser at that host. */
  browser: string
  /** The address of the application that was asked for. */
  return_to: string
  expires_at: number
}

/** A session at the host of an application, which ends with the session that it is of. */
interface ForwardSessionsTable {
  /** Digest of the cookie's value. */
  id: string
  session_id: string
  origin: string
  created_at: number
}
