import type { Insertable, Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { Schema } from '../../core/database/schema.ts'
import { parseRoleName, type RoleName } from '../../core/policy/principal.ts'

export type KeyKind = Schema['api_keys']['kind']

export interface StoredKey {
  readonly id: string
  readonly userId: number
  readonly kind: KeyKind
  readonly name: string
  readonly scopes: readonly string[]
  readonly roles: readonly RoleName[]
  readonly version: number
  readonly createdBy: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly lastUsedAt: number | null
}

export type NewKey = Omit<StoredKey, 'version' | 'lastUsedAt'> & { readonly digest: string }

const byDigest = prepared((db, { digest }: Parameters<{ digest: string }>) =>
  db.selectFrom('api_keys').selectAll().where('digest', '=', digest),
)

export function keyStore(db: DatabaseOrTransaction) {
  return {
    async byDigest(digest: string): Promise<StoredKey | null> {
      const row = await byDigest.first(db, { digest })
      return row ? keyOf(row) : null
    },

    /** Oldest first. */
    async of(userId: number, kind?: KeyKind): Promise<StoredKey[]> {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('user_id', '=', userId)
        .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'key'))
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(keyOf)
    },

    async insert({ userId, createdBy, createdAt, expiresAt, scopes, roles, ...key }: NewKey) {
      const row: Insertable<Schema['api_keys']> = {
        ...key,
        user_id: userId,
        scopes: scopes.join(' '),
        roles: roles.join(' '),
        created_by: createdBy,
        created_at: createdAt,
        expires_at: expiresAt,
      }
      await db.insertInto('api_keys').values(row).execute()
    },

    /** False if the key has changed or is gone. */
    async shorten({ id, version }: StoredKey, expiresAt: number, toldAt: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set({ version: version + 1, expires_at: expiresAt, told_at: toldAt })
        .where('id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** False if the key has changed or is gone. */
    async remove({ id, version }: Pick<StoredKey, 'id' | 'version'>): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('api_keys')
        .where('id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    async removeOf(userId: number): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('api_keys')
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return Number(numDeletedRows)
    },

    async used(id: string, lastUsedAt: number): Promise<void> {
      await db
        .updateTable('api_keys')
        .set({ last_used_at: lastUsedAt })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', lastUsedAt)]))
        .execute()
    },

    /** Soonest end first. */
    async endingUntold(from: number, until: number, limit: number): Promise<StoredKey[]> {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('expires_at', '>', from)
        .where('expires_at', '<=', until)
        .where('told_at', 'is', null)
        .orderBy('expires_at')
        .limit(limit)
        .execute()
      return rows.map(keyOf)
    },

    /** False if another node was first. */
    async told(id: string, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set({ told_at: now })
        .where('id', '=', id)
        .where('told_at', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    purgeEnded: (until: number, batchSize: number) =>
      deleteExpired(
        db,
        { table: 'app_passwords_ended', key: 'user_id', column: 'at', until },
        batchSize,
      ),

    purge: (until: number, batchSize: number) =>
      deleteExpired(db, { table: 'api_keys', key: 'id', column: 'expires_at', until }, batchSize),
  }
}

function keyOf(row: Selectable<Schema['api_keys']>): StoredKey {
  return {
    id: row.id,
    userId: row.user_id,
    kind: row.kind,
    name: row.name,
    scopes: wordsOf(row.scopes),
    roles: wordsOf(row.roles).flatMap((name) => parseRoleName(name) ?? []),
    version: row.version,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }
}

function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}
