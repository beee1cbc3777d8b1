import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { dueAt } from './queue.ts'

export interface MailFilters {
  readonly state?: Schema['mails']['state']
  readonly message?: string
  readonly userId?: number
}

export type MailRow = Selectable<Schema['mails']> & { readonly username: string | null }

export function mailAdminStore(db: DatabaseOrTransaction) {
  const wanted = ({ state, message, userId }: MailFilters) =>
    db
      .selectFrom('mails')
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'sent'))
      .$if(message !== undefined, (query) => query.where('message', '=', message ?? ''))
      .$if(userId !== undefined, (query) => query.where('mails.user_id', '=', userId ?? 0))
  const shown = (query: ReturnType<typeof wanted>) =>
    query
      .leftJoin('accounts', 'accounts.user_id', 'mails.user_id')
      .selectAll('mails')
      .select('accounts.username')

  return {
    async count(filters: MailFilters): Promise<number> {
      const row = await wanted(filters)
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return Number(row.total)
    },

    /** Newest first. */
    page(filters: MailFilters, offset: number, limit: number): Promise<MailRow[]> {
      return shown(wanted(filters))
        .orderBy('mails.created_at', 'desc')
        .orderBy('mails.id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute()
    },

    async find(id: string): Promise<MailRow | null> {
      return (await shown(wanted({}).where('mails.id', '=', id)).executeTakeFirst()) ?? null
    },

    /** Returns whether the mail was waiting, or failed and not wiped. */
    async resend(id: string, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('mails')
        .set({ state: 'waiting', ...dueAt(now), attempts: 0, finished_at: null })
        .where('id', '=', id)
        .where('state', 'in', ['waiting', 'failed'])
        .where('sealed', 'is not', null)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Returns whether the mail was waiting. */
    async cancel(id: string, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('mails')
        .set({ state: 'cancelled', sealed: null, finished_at: now })
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
  }
}
