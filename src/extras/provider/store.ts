import { type DeleteQueryBuilder, type DeleteResult, type Selectable, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import {
  type ListParameters,
  type Parameters,
  prepared,
  preparedForLists,
} from '../../core/database/prepared.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forUpdate } from '../../core/database/transactions.ts'

export interface Artifact {
  /** Digest. */
  readonly id: string
  readonly kind: string
  /** Empty for a session. */
  readonly client: string
  readonly userId: number | null
  /** The session of ours whose end is its end. */
  readonly sessionId: string | null
  /** Digests. */
  readonly grantId: string | null
  readonly uid: string | null
  /** Whom a limit counts; empty: no limit. */
  readonly address: string
  readonly sealed: string
  /** Epoch milliseconds. */
  readonly consumedAt: number | null
  readonly expiresAt: number
}

export type NewArtifact = Omit<Artifact, 'consumedAt'>

const maxRemoved = 100
const grant = 'Grant'

const byId = prepared((db, { id, now }: Parameters<{ id: string; now: number }>) =>
  db
    .selectFrom('provider_artifacts')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now),
)
const byUid = prepared((db, { uid, now }: Parameters<{ uid: string; now: number }>) =>
  db
    .selectFrom('provider_artifacts')
    .selectAll()
    .where('uid', '=', uid)
    .where('expires_at', '>', now),
)

const upserted = preparedForLists((db, { rows }: ListParameters<{ rows: InsertedRow[] }>) =>
  db
    .insertInto('provider_artifacts')
    .values(
      rows.map((row) => ({
        ...{ id: row.id, kind: row.kind, client: row.client, user_id: row.user_id },
        ...{ session_id: row.session_id, grant_id: row.grant_id, uid: row.uid },
        ...{ address: row.address, sealed: row.sealed, expires_at: row.expires_at },
      })),
    )
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        sealed: eb.ref('excluded.sealed'),
        session_id: eb.ref('excluded.session_id'),
        expires_at: eb.ref('excluded.expires_at'),
        user_id: eb.ref('excluded.user_id'),
        grant_id: eb.ref('excluded.grant_id'),
      })),
    ),
)
const consumed = prepared(
  (db, { id, now, since }: Parameters<{ id: string; now: number; since: number }>) =>
    db
      .updateTable('provider_artifacts')
      .set((eb) => ({ consumed_at: eb.fn.coalesce('consumed_at', now) }))
      .where('id', '=', id)
      .where((eb) => eb.or([eb('consumed_at', 'is', null), eb('consumed_at', '>', since)]))
      .returning('id'),
)
const removed = prepared((db, { id }: Parameters<{ id: string }>) =>
  db.deleteFrom('provider_artifacts').where('id', '=', id),
)

type Removal = DeleteQueryBuilder<Schema, 'provider_artifacts', DeleteResult>
type InsertedRow = ReturnType<typeof rowOf>

export function artifactStore(db: DatabaseOrTransaction) {
  return {
    async byId(id: string, now: number): Promise<Artifact | null> {
      return toArtifact(await byId.first(db, { id, now }))
    },

    async byUid(uid: string, now: number): Promise<Artifact | null> {
      return toArtifact(await byUid.first(db, { uid, now }))
    },

    /** False if there is one already. */
    async insert(artifact: NewArtifact): Promise<boolean> {
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto('provider_artifacts')
        .values(rowOf(artifact))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows > 0n
    },

    /** For a change in the same transaction. */
    async locked(id: string): Promise<Artifact | null> {
      const query = db.selectFrom('provider_artifacts').selectAll().where('id', '=', id)
      return toArtifact(await forUpdate(db, query).executeTakeFirst())
    },

    /** Rows of different ids. */
    async upsert(rows: readonly NewArtifact[]): Promise<void> {
      await upserted.all(db, { rows: rows.map(rowOf) }, {})
    },

    /** False if it is gone, or was consumed before `since`. */
    async consume(id: string, { now, since }: { now: number; since: number }): Promise<boolean> {
      return (await consumed.first(db, { id, now, since })) !== undefined
    },

    async remove(id: string): Promise<void> {
      await removed.all(db, { id })
    },

    /** Everything that came of a grant, of all kinds, and the grant itself. */
    async removeGrant(grantId: string): Promise<void> {
      await removeAll((query) => query.where('grant_id', '=', grantId))
    },

    /** Returns the count. */
    async removeOf(userId: number, client?: string): Promise<number> {
      return removeAll((query) => {
        const ofUser = query.where('user_id', '=', userId)
        return client === undefined ? ofUser : ofUser.where('client', '=', client)
      })
    },

    /** Another application may get the id later. */
    async removeOfClient(client: string): Promise<void> {
      await removeAll((query) => query.where('client', '=', client))
    },

    /** The clients that have a grant of someone. */
    async clientsOfGrants(): Promise<string[]> {
      const rows = await db
        .selectFrom('provider_artifacts')
        .select('client')
        .distinct()
        .where('kind', '=', sql.lit(grant)) // as the index has it
        .execute()
      return rows.map(({ client }) => client)
    },

    /** The applications that have something of a person. */
    async clientsOf(userId: number): Promise<string[]> {
      const rows = await db
        .selectFrom('provider_artifacts')
        .select('client')
        .distinct()
        .where('user_id', '=', userId)
        .where('client', '!=', '')
        .orderBy('client')
        .execute()
      return rows.map(({ client }) => client)
    },

    /** Keeps the latest `max` of a kind and an address. */
    async bound({ kind, address, id }: Pick<Artifact, 'kind' | 'address' | 'id'>, max: number) {
      const older = await db
        .selectFrom('provider_artifacts')
        .select('id')
        .where('address', '=', address)
        .where('kind', '=', kind)
        .where('id', '!=', id)
        .orderBy('expires_at', 'desc')
        .limit(maxRemoved)
        .offset(max - 1)
        .execute()
      const ids = older.map((row) => row.id)
      if (ids.length > 0) {
        await db.deleteFrom('provider_artifacts').where('id', 'in', ids).execute()
      }
    },
  }

  /**
   * Returns the count. A deletion on PostgreSQL that waits for a request does not see the rows that
   * the request adds, so the deletion is repeated until nothing is left.
   */
  async function removeAll(chosen: (query: Removal) => Removal): Promise<number> {
    let total = 0
    for (;;) {
      const { numDeletedRows } = await chosen(
        db.deleteFrom('provider_artifacts'),
      ).executeTakeFirst()
      if (numDeletedRows === 0n) return total
      total += Number(numDeletedRows)
    }
  }
}

export function purgeArtifacts(
  db: DatabaseOrTransaction,
  until: number,
  batchSize: number,
): Promise<number> {
  const expired = { table: 'provider_artifacts', key: 'id', column: 'expires_at' } as const
  return deleteExpired(db, { ...expired, until }, batchSize)
}

function rowOf({ userId, sessionId, grantId, expiresAt, ...row }: NewArtifact) {
  return {
    ...{ ...row, user_id: userId, session_id: sessionId },
    ...{ grant_id: grantId, expires_at: expiresAt },
  }
}

function toArtifact(row: Selectable<Schema['provider_artifacts']> | undefined): Artifact | null {
  if (!row) return null
  return {
    ...{ id: row.id, kind: row.kind, client: row.client, userId: row.user_id },
    ...{ sessionId: row.session_id, grantId: row.grant_id, uid: row.uid },
    ...{ address: row.address, sealed: row.sealed },
    ...{ consumedAt: row.consumed_at, expiresAt: row.expires_at },
  }
}
