import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'mails',
    key: ['id'],
    sealed: ['sealed'],
    needsKeys: true,
    isLogin: true, // a restore would send it again
    person: { column: 'user_id', onDelete: 'set-null' },
    namesPerson: {
      columns: ['sealed', 'response'],
      atErasure:
        'emptied, and what waits is withdrawn; mail of an account opens no more, because it is under the key of the person; also of mail to the verified address that names no account',
    },
    namesNone: [
      'id',
      'message',
      'kind',
      'state',
      'confirmation',
      'address_index',
      'client_index',
      'flow',
      'locked_by',
    ],
  },
  {
    name: 'notices',
    key: ['id'],
    givesIds: true,
    sealed: ['sealed'],
    needsKeys: true,
    person: { column: 'user_id', onDelete: 'delete' },
    namesPerson: { columns: ['sealed'], atErasure: 'the row goes' },
    namesNone: ['type'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    mails: MailsTable
    notices: NoticesTable
  }
}

interface MailsTable {
  id: string
  message: string
  kind: 'request' | 'notice'
  /** `dropped`: never sent: no account has the address, or a limit was reached. */
  state: 'waiting' | 'sending' | 'sent' | 'failed' | 'expired' | 'cancelled' | 'dropped'
  user_id: number | null
  confirmation: string | null
  /** JSON of address, language and facts; null once sent. */
  sealed: string | null
  address_index: string
  /** Keyed digest of the client's network. */
  client_index: string | null
  /** Lower first. */
  priority: number
  attempts: Generated<number>
  due_at: number
  expires_at: number
  /** Due time, if sealed under the person's key; null: data key. */
  ready_at: number | null
  locked_until: number | null
  /** The lease of mail with `ready_at`: see queue.ts. */
  lease_until: number | null
  locked_by: string | null
  response: string | null
  created_at: number
  finished_at: number | null
  /** The flow that accepts the code: a page flow, or the `id` in an API response. */
  flow: string | null
  /** Codes typed since this mail. */
  tries: Generated<number>
  /** Whether sent beyond a limit: 0 or 1. */
  is_extra: Generated<number>
}

/** Kept for 30 days. */
interface NoticesTable {
  id: Generated<number>
  user_id: number
  type: string
  at: number
  /** JSON, under the data key. */
  sealed: string
}
