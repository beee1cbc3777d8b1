import type { Insertable, Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'

/** What a key is for: access tokens, refresh tokens, or stored secrets. */
export type KeyPurpose = 'signing' | 'refresh' | 'data'

/** A stored key, its material sealed under the master key. */
export interface SealedKey {
  readonly id: string
  readonly purpose: KeyPurpose
  readonly algorithm: string
  readonly sealed: string
  /** Epoch milliseconds; `retiredAt` is null for a key that nothing has replaced. */
  readonly createdAt: number
  readonly retiredAt: number | null
  /** From when it signs; null: as soon as every node knows it. */
  readonly signsFrom: number | null
  /** Whether version 0.2.0 made it, which signed tokens of both types with a signing key. */
  readonly isOlder: boolean
}

// A node of version 0.2.0 may work beside this one. It knows the purposes signing and data alone,
// and must verify the refresh tokens of this node. So their keys are signing keys for it, which it
// believes to be replaced: it never signs with them. The largest time of a Date, ECMA-262.
const neverMs = 8_640_000_000_000_000

/** The table of keys. */
export function keyStore(db: DatabaseOrTransaction) {
  return {
    /** All keys, the newest first. */
    async all(): Promise<SealedKey[]> {
      const query = db.selectFrom('keys').selectAll().orderBy('created_at', 'desc').orderBy('id')
      return (await query.execute()).map(toKey)
    },

    async insert(key: SealedKey): Promise<void> {
      await db.insertInto('keys').values(toRow(key)).execute()
    },

    /** Retires keys: they verify until the given time. */
    async retire(ids: readonly string[], until: number): Promise<void> {
      if (ids.length === 0) return
      await db.updateTable('keys').set({ retired_at: until }).where('id', 'in', ids).execute()
    },

    /** Retires a signing key at once; answers false if no such key verifies. */
    async end(id: string, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('keys')
        .set({ retired_at: now })
        .where('id', '=', id)
        .where('purpose', '=', 'signing')
        .where((eb) => eb.or([eb('retired_at', 'is', null), eb('retired_at', '>', now)]))
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
  }
}

/** The purpose in the row of a key, which version 0.2.0 reads as well. */
export function storedPurpose(purpose: KeyPurpose): 'signing' | 'data' {
  return purpose === 'data' ? 'data' : 'signing'
}

function toKey(row: Selectable<Schema['keys']>): SealedKey {
  return {
    id: row.id,
    // A purpose that was edited must not open: it is part of what is sealed.
    purpose: row.purpose === 'signing' && row.usage === 'refresh' ? 'refresh' : row.purpose,
    algorithm: row.algorithm,
    sealed: row.sealed,
    createdAt: row.created_at,
    retiredAt: row.retired_at === neverMs ? null : row.retired_at,
    signsFrom: row.signs_from,
    isOlder: row.usage === null,
  }
}

function toRow(key: SealedKey): Insertable<Schema['keys']> {
  return {
    id: key.id,
    purpose: storedPurpose(key.purpose),
    algorithm: key.algorithm,
    sealed: key.sealed,
    created_at: key.createdAt,
    retired_at: key.retiredAt ?? (key.purpose === 'refresh' ? neverMs : null),
    usage: key.isOlder ? null : key.purpose,
    signs_from: key.signsFrom,
  }
}
