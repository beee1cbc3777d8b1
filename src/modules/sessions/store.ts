import { type Expression, type Selectable, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import { takeExpired } from '../../core/database/purge.ts'
import { roleNamesOfAccount } from '../../core/database/role-names.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forKeyShare } from '../../core/database/transactions.ts'
import { splitRoles } from '../authentication/account.ts'
import type { Judged } from '../authentication/requirement-facts.ts'

/** A stored session with its account. Spec 2.3. Times in epoch milliseconds. */
export interface StoredSession {
  /** The digest of the cookie's value. */
  readonly id: string
  readonly userId: number
  readonly csrfToken: string
  /** Empty for a session of a version that did not store it. */
  readonly amr: readonly string[]
  /** Null for a session of a version that did not store it. */
  readonly authTime: number | null
  readonly createdAt: number
  readonly lastSeenAt: number
  /** KEEP_SIGNED_IN_DAYS is its only limit. */
  readonly isKept: boolean
  readonly username: string
  /** The verified address of the account. */
  readonly email: string | null
  readonly account: Judged
}

export interface NewSession {
  readonly id: string
  readonly userId: number
  readonly csrfToken: string
  readonly amr: readonly string[]
  readonly authTime: number | null
  readonly createdAt: number
  readonly isKept: boolean
  readonly address: string
  readonly userAgent: string
}

export type SessionRow = NewSession & Pick<StoredSession, 'lastSeenAt'>

/** See `toSession`. */
export function withAccount(db: DatabaseOrTransaction, id: string | Expression<string>) {
  return db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.user_id', 'sessions.user_id')
    .leftJoin('passwords', 'passwords.account', 'sessions.user_id')
    .select(roleNamesOfAccount.as('roles'))
    .select([
      'sessions.id',
      'sessions.user_id',
      'sessions.csrf_token',
      'sessions.amr',
      'sessions.auth_time',
      'sessions.created_at',
      'sessions.last_seen_at',
      'sessions.kept',
      'accounts.username',
      'accounts.verified_email',
      'accounts.locked',
      'accounts.active',
      'accounts.second_factor',
      'passwords.must_change',
      'accounts.locked_until',
    ])
    .where('sessions.id', '=', id)
}

/** The look-up of every request with a cookie. */
const byId = prepared((db, { id }: Parameters<{ id: string }>) => withAccount(db, id))
const byIdForKeyShare = prepared((db, { id }: Parameters<{ id: string }>) =>
  forKeyShare(db, 'sessions', withAccount(db, id)),
)
const inserted = prepared((db, row: Parameters<InsertedRow>) =>
  db.insertInto('sessions').values({
    ...{ id: row.id, user_id: row.user_id, csrf_token: row.csrf_token, amr: row.amr },
    ...{ created_at: row.created_at, last_seen_at: row.created_at },
    ...{ address: row.address, user_agent: row.user_agent, auth_time: row.auth_time },
    kept: row.kept,
  }),
)
const removed = prepared((db, { id }: Parameters<{ id: string }>) =>
  db.deleteFrom('sessions').where('id', '=', id).returning(['user_id', 'kept']),
)
const touched = prepared((db, { id, at }: Parameters<{ id: string; at: number }>) =>
  db
    .updateTable('sessions')
    .set({ last_seen_at: at })
    .where('id', '=', id)
    .where('last_seen_at', '<', at),
)

type InsertedRow = Pick<
  Selectable<Schema['sessions']>,
  | 'id'
  | 'user_id'
  | 'csrf_token'
  | 'amr'
  | 'auth_time'
  | 'created_at'
  | 'kept'
  | 'address'
  | 'user_agent'
>

type SessionWithAccount = NonNullable<
  Awaited<ReturnType<ReturnType<typeof withAccount>['executeTakeFirst']>>
>

export function toSession(row: SessionWithAccount): StoredSession {
  return {
    id: row.id,
    userId: row.user_id,
    csrfToken: row.csrf_token,
    amr: splitAmr(row.amr),
    authTime: row.auth_time,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    isKept: row.kept === 1,
    username: row.username,
    email: row.verified_email,
    account: {
      roles: splitRoles(row.roles),
      locked: row.locked === 1,
      active: row.active === 1,
      lockedUntil: row.locked_until,
      secondFactor: row.second_factor === 1,
      mustChange: row.must_change === 1,
    },
  }
}

function splitAmr(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}

export function sessionStore(db: DatabaseOrTransaction) {
  return {
    /** In a transaction, the row lock keeps the session until the end. */
    async byId(id: string): Promise<StoredSession | null> {
      const row = await (db.isTransaction ? byIdForKeyShare : byId).first(db, { id })
      return row ? toSession(row) : null
    },

    async insert(session: NewSession): Promise<void> {
      await inserted.all(db, {
        id: session.id,
        user_id: session.userId,
        csrf_token: session.csrfToken,
        amr: session.amr.join(' '),
        auth_time: session.authTime,
        created_at: session.createdAt,
        kept: session.isKept ? 1 : 0,
        address: session.address,
        user_agent: session.userAgent,
      })
    },

    /** Another process may have written a later time. */
    async touch(id: string, lastSeenAt: number): Promise<void> {
      await touched.all(db, { id, at: lastSeenAt })
    },

    async addAmr(id: string, names: readonly string[]): Promise<void> {
      const row = await db
        .selectFrom('sessions')
        .select('amr')
        .where('id', '=', id)
        .executeTakeFirst()
      if (!row) return
      const amr = [...new Set([...splitAmr(row.amr), ...names])].join(' ')
      await db.updateTable('sessions').set({ amr }).where('id', '=', id).execute()
    },

    async remove(id: string): Promise<Pick<StoredSession, 'userId' | 'isKept'> | null> {
      const row = await removed.first(db, { id })
      return row ? { userId: row.user_id, isKept: row.kept === 1 } : null
    },

    /** Up to `limit` sessions that are kept or were active after `seenAfter`, newest first. */
    async of(userId: number, seenAfter: number, limit: number): Promise<SessionRow[]> {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where('user_id', '=', userId)
        .where((eb) => eb.or([eb('last_seen_at', '>', seenAfter), eb('kept', '=', 1)]))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        id: row.id,
        userId: row.user_id,
        csrfToken: row.csrf_token,
        amr: splitAmr(row.amr),
        authTime: row.auth_time,
        createdAt: row.created_at,
        lastSeenAt: row.last_seen_at,
        isKept: row.kept === 1,
        address: row.address,
        userAgent: row.user_agent,
      }))
    },

    /** Up to `limit` live or ended sessions, longest idle first. */
    async idleLongest(
      userId: number,
      limit: number,
    ): Promise<Pick<StoredSession, 'id' | 'createdAt' | 'lastSeenAt' | 'isKept'>[]> {
      const rows = await db
        .selectFrom('sessions')
        .select(['id', 'created_at', 'last_seen_at', 'kept'])
        .where('user_id', '=', userId)
        .orderBy('last_seen_at')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        id: row.id,
        createdAt: row.created_at,
        lastSeenAt: row.last_seen_at,
        isKept: row.kept === 1,
      }))
    },

    async removeAll(ids: readonly string[]): Promise<void> {
      if (ids.length > 0) await db.deleteFrom('sessions').where('id', 'in', ids).execute()
    },

    async count({ seenBefore, createdBefore, keptBefore }: Ends): Promise<number> {
      const { total } = await db
        .selectFrom('sessions')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .where((eb) => {
          const [isKept, isOther] = sidesOf(keptBefore)
          const isActive = eb.and([
            eb('last_seen_at', '>', seenBefore),
            eb('created_at', '>', createdBefore),
          ])
          return sql<boolean>`((${isKept} and created_at > ${keptBefore ?? 0}) or (${isOther} and ${isActive}))`
        })
        .executeTakeFirstOrThrow()
      return total
    },

    async removeOf(userId: number, exceptId?: string): Promise<void> {
      await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .$if(exceptId !== undefined, (query) => query.where('id', '!=', exceptId ?? ''))
        .execute()
    },
  }
}

/** A session has ended if it was last active, or created, at or before these times. */
export interface Ends {
  readonly seenBefore: number
  readonly createdBefore: number
  /** Of a kept session, in place of both. Null: none is kept, all are as others. */
  readonly keptBefore: number | null
}

/** Deletes up to `batchSize` ended sessions; returns the sessions. */
export async function purgeSessions(
  db: DatabaseOrTransaction,
  { seenBefore, createdBefore, keptBefore }: Ends,
  batchSize: number,
): Promise<Pick<StoredSession, 'userId' | 'createdAt' | 'lastSeenAt' | 'isKept'>[]> {
  const [isKept, isOther] = sidesOf(keptBefore)
  const ways = [
    { column: 'last_seen_at', until: seenBefore, only: isOther },
    { column: 'created_at', until: createdBefore, only: isOther },
    { column: 'created_at', until: keptBefore ?? 0, only: isKept },
  ] as const
  const ended: Pick<StoredSession, 'userId' | 'createdAt' | 'lastSeenAt' | 'isKept'>[] = []
  for (const way of ways) {
    const rows = await takeExpired(
      db,
      {
        ...{ table: 'sessions', key: 'id', ...way },
        returning: ['user_id', 'created_at', 'last_seen_at', 'kept'],
      },
      batchSize - ended.length,
    )
    ended.push(
      ...rows.map((row) => ({
        userId: row.user_id,
        createdAt: row.created_at,
        lastSeenAt: row.last_seen_at,
        isKept: row.kept === 1,
      })),
    )
  }
  return ended
}

/** The conditions of kept and of other sessions. */
function sidesOf(keptBefore: number | null) {
  return keptBefore === null
    ? ([sql`1 = 0`, sql`1 = 1`] as const)
    : ([sql`kept = 1`, sql`kept = 0`] as const)
}
