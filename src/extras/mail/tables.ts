import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'mails',
    key: ['id'],
    sealed: ['sealed'],
    needsKeys: true,
    isLogin: true, // a restored one would be sent again
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

/** The outbox. */
interface MailsTable {
  id: string
  /** The name of the message. */
  message: string
  kind: 'request' | 'notice'
  /** `dropped`: never sent, because no account has the address or a limit was reached. */
  state: 'waiting' | 'sending' | 'sent' | 'failed' | 'expired' | 'cancelled' | 'dropped'
  user_id: number | null
  confirmation: string | null
  /** JSON of address, language and facts; null after it was sent. */
  sealed: string | null
  address_index: string
  /** Keyed digest of the network of the client that asked for it. */
  client_index: string | null
  /** Lower ones go first. */
  priority: number
  attempts: Generated<number>
  due_at: number
  expires_at: number
  /** When it is due, if it is sealed under the key of its person; null: under the data key. */
  ready_at: number | null
  /** The lease of the process that sends it. */
  locked_until: number | null
  /** The same of mail that has `ready_at`: see mail/due.ts. */
  lease_until: number | null
  locked_by: string | null
  /** What the mail server answered at last. */
  response: string | null
  created_at: number
  finished_at: number | null
  /** The flow in which the code counts: a flow of pages, or the `id` in the answer to a program. */
  flow: string | null
  /** How many codes were typed in the flow since this mail. */
  tries: Generated<number>
  /** Whether it was sent although a limit was reached: 0 or 1. */
  is_extra: Generated<number>
}

/** The notices to owners of accounts, for 30 days. */
interface NoticesTable {
  id: Generated<number>
  user_id: number
  type: string
  at: number
  /** JSON of the facts, under the data key. */
  sealed: string
}
