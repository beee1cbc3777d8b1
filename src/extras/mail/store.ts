import { type Insertable, sql } from 'kysely'
import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import type { Language } from '../../core/lib/languages.ts'
import { languages } from '../../core/lib/languages.ts'
import { noLease } from './queue.ts'

/** A null address gets no mail. */
export interface Recipient {
  readonly userId: number | null
  readonly address: EmailAddress | null
  readonly language: Language | null
  readonly isUndeliverable: boolean
}

export interface MailCounts {
  /** Same message and flow, in the last minute. */
  readonly same: number
  readonly address: number
  readonly account: number
  /** Same message beyond a limit, by address or account. */
  readonly extra: number
}

/**
 * Requests that were not dropped. Literal conditions: neither database uses partial indexes with
 * parameters.
 */
export function admittedMails(
  db: DatabaseOrTransaction,
  column: 'address_index' | 'user_id',
  value: string | number,
) {
  return db
    .selectFrom('mails')
    .where(column, '=', value)
    .where('kind', '=', sql.lit('request'))
    .where('state', '<>', sql.lit('dropped'))
}

export function outboxStore(db: DatabaseOrTransaction) {
  return {
    async insert(mail: Insertable<Schema['mails']>): Promise<void> {
      await db.insertInto('mails').values(mail).execute()
    },

    async recipient(userId: number): Promise<Omit<Recipient, 'userId'>> {
      const row = await db
        .selectFrom('accounts')
        .select(['verified_email', 'language', 'undeliverable_at'])
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return {
        address: row?.verified_email ? parseEmail(row.verified_email) : null,
        language: languages.find((name) => name === row?.language) ?? null,
        isUndeliverable: row !== undefined && row.undeliverable_at !== null,
      }
    },

    /** Cancels and wipes the sendable mail of an account before deletion. */
    async forget(userId: number, now: number): Promise<void> {
      await db
        .updateTable('mails')
        .set((eb) => ({
          sealed: null,
          state: sql<
            Schema['mails']['state']
          >`case when state = 'failed' then state else 'cancelled' end`,
          finished_at: eb.fn.coalesce('finished_at', eb.val(now)),
          ...noLease,
        }))
        .where('user_id', '=', userId)
        .where('sealed', 'is not', null)
        .execute()
      // The server's response may repeat the address.
      await db
        .updateTable('mails')
        .set({ response: null })
        .where('user_id', '=', userId)
        .where('response', 'is not', null)
        .execute()
    },

    /** The same for an address without an account, such as at sign-up. */
    async forgetAddress(addressIndex: string, now: number): Promise<void> {
      await db
        .updateTable('mails')
        .set((eb) => ({
          sealed: null,
          response: null,
          state: sql<
            Schema['mails']['state']
          >`case when state in ('waiting', 'sending') then 'cancelled' else state end`,
          finished_at: eb.fn.coalesce('finished_at', eb.val(now)),
          ...noLease,
        }))
        .where('address_index', '=', addressIndex)
        .where('user_id', 'is', null)
        .where((eb) => eb.or([eb('sealed', 'is not', null), eb('response', 'is not', null)]))
        .execute()
    },

    /** Times of a client's requests, sent or not, newest first. */
    async askedBy(clientIndex: string, since: number, max: number): Promise<number[]> {
      const rows = await db
        .selectFrom('mails')
        .select('created_at')
        .where('client_index', '=', clientIndex)
        .where('created_at', '>', since)
        .orderBy('created_at', 'desc')
        .limit(max)
        .execute()
      return rows.map((row) => row.created_at)
    },

    async counts(of: {
      readonly message: string
      readonly flow: string | null
      readonly addressIndex: string
      readonly userId: number
      readonly since: number
      readonly sameSince: number
    }): Promise<MailCounts> {
      const admitted = (column: 'address_index' | 'user_id', value: string | number) =>
        admittedMails(db, column, value).where('created_at', '>', of.since)
      const extra = (column: 'address_index' | 'user_id', value: string | number) =>
        admitted(column, value)
          .where('message', '=', of.message)
          .where('is_extra', '=', 1)
          .select(sql<number>`count(*)`.as('total'))
      const row = await db
        .selectNoFrom([
          admitted('address_index', of.addressIndex)
            .where('message', '=', of.message)
            .where('created_at', '>', of.sameSince)
            .where('flow', of.flow === null ? 'is' : '=', of.flow)
            .select(sql<number>`count(*)`.as('total'))
            .as('same'),
          admitted('address_index', of.addressIndex)
            .select(sql<number>`count(*)`.as('total'))
            .as('address'),
          admitted('user_id', of.userId).select(sql<number>`count(*)`.as('total')).as('account'),
          extra('address_index', of.addressIndex).as('extra_to_address'),
          extra('user_id', of.userId).as('extra_to_account'),
        ])
        .executeTakeFirstOrThrow()
      return {
        same: Number(row.same),
        address: Number(row.address),
        account: Number(row.account),
        extra: Number(row.extra_to_address) + Number(row.extra_to_account),
      }
    },
  }
}
