import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { forNoKeyUpdate } from '../../core/database/transactions.ts'
import type { ConfirmationPurpose } from './purposes.ts'

export interface StoredConfirmation {
  readonly id: string
  readonly purpose: ConfirmationPurpose
  readonly userId: number | null
  readonly index: string
  readonly sealed: string
  readonly version: number
  readonly flow: string | null
  readonly tries: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly usedAt: number | null
  /** 0 without an account. */
  readonly versionNow: number
}

export type NewConfirmation = Omit<StoredConfirmation, 'tries' | 'usedAt' | 'versionNow'>

export interface MailOfFlow {
  readonly id: string
  readonly confirmation: string | null
  /** Not sent: a limit, or no account. */
  readonly isDropped: boolean
  readonly tries: number
  /** Epoch milliseconds. */
  readonly askedAt: number
}

const withVersion = (db: DatabaseOrTransaction) =>
  db
    .selectFrom('confirmations')
    .leftJoin('token_versions', 'token_versions.user_id', 'confirmations.user_id')
    .selectAll('confirmations')
    .select('token_versions.refresh_version')

export function confirmationStore(db: DatabaseOrTransaction) {
  return {
    async find(id: string): Promise<StoredConfirmation | null> {
      const row = await withVersion(db).where('id', '=', id).executeTakeFirst()
      return row ? toStored(row) : null
    },

    /** Locks the row for its use. */
    async hold(id: string): Promise<StoredConfirmation | null> {
      const query = withVersion(db).where('id', '=', id)
      const row = await forNoKeyUpdate(db, 'confirmations', query).executeTakeFirst()
      return row ? toStored(row) : null
    },

    /** Used or not. */
    async newest(
      purpose: ConfirmationPurpose,
      index: string,
      until: number,
    ): Promise<StoredConfirmation | null> {
      const row = await withVersion(db)
        .where('address_index', '=', index)
        .where('purpose', '=', purpose)
        .where('expires_at', '>', until)
        .orderBy('expires_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row ? toStored(row) : null
    },

    /** Unused, newest first. */
    async ofAccount(
      userId: number,
      purposes: readonly ConfirmationPurpose[],
    ): Promise<StoredConfirmation[]> {
      const rows = await withVersion(db)
        .where('confirmations.user_id', '=', userId)
        .where('purpose', 'in', purposes)
        .where('used_at', 'is', null)
        .orderBy('created_at', 'desc')
        .execute()
      return rows.map(toStored)
    },

    async insert(row: NewConfirmation): Promise<void> {
      await db
        .insertInto('confirmations')
        .values({ id: row.id, ...columnsOf(row) })
        .execute()
    },

    /** Reuses an invalid row: see `begin`. */
    async renew({ id, ...row }: NewConfirmation): Promise<void> {
      const columns = { ...columnsOf(row), used_at: null }
      await db.updateTable('confirmations').set(columns).where('id', '=', id).execute()
    },

    async setFlow(id: string, flow: string | null): Promise<void> {
      await db.updateTable('confirmations').set({ flow }).where('id', '=', id).execute()
    },

    /** For nodes of the previous version; false at the limit. */
    async countTry(id: string, max: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('confirmations')
        .set((eb) => ({ tries: eb('tries', '+', 1) }))
        .where('id', '=', id)
        .where('tries', '<', max)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Newest first. */
    async mailsOf(flow: string): Promise<MailOfFlow[]> {
      const rows = await db
        .selectFrom('mails')
        .select(['id', 'confirmation', 'state', 'tries', 'created_at'])
        .where('flow', '=', flow)
        .orderBy('created_at', 'desc')
        .execute()
      return rows.map(({ state, created_at, ...row }) => ({
        ...row,
        isDropped: state === 'dropped',
        askedAt: created_at,
      }))
    },

    async countTryOfMail(id: string): Promise<void> {
      await db
        .updateTable('mails')
        .set((eb) => ({ tries: eb('tries', '+', 1) }))
        .where('id', '=', id)
        .execute()
    },

    /** Resets wrong codes, like a correct password. */
    async use(id: string, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('confirmations')
        .set({ used_at: now, tries: 0 })
        .where('id', '=', id)
        .where('used_at', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async cancel(
      userId: number,
      purposes: readonly ConfirmationPurpose[],
      now: number,
      exceptIndex = '',
    ): Promise<void> {
      await db
        .updateTable('confirmations')
        .set({ used_at: now })
        .where('user_id', '=', userId)
        .where('purpose', 'in', purposes)
        .where('address_index', '!=', exceptIndex)
        .where('used_at', 'is', null)
        .execute()
    },
  }
}

function columnsOf(row: Omit<NewConfirmation, 'id'>) {
  return {
    purpose: row.purpose,
    user_id: row.userId,
    address_index: row.index,
    sealed: row.sealed,
    version: row.version,
    flow: row.flow,
    created_at: row.createdAt,
    expires_at: row.expiresAt,
  }
}

interface Row {
  id: string
  purpose: string
  user_id: number | null
  address_index: string
  sealed: string
  version: number
  flow: string | null
  tries: number
  created_at: number
  expires_at: number
  used_at: number | null
  refresh_version: number | null
}

function toStored(row: Row): StoredConfirmation {
  return {
    id: row.id,
    purpose: row.purpose as ConfirmationPurpose,
    userId: row.user_id,
    index: row.address_index,
    sealed: row.sealed,
    version: row.version,
    flow: row.flow,
    tries: row.tries,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    versionNow: row.refresh_version ?? 0,
  }
}
