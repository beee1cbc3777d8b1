import type { Insertable, Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'

export type KeyPurpose = 'signing' | 'refresh' | 'identity' | 'data'

/** A stored key; the material is sealed under the master key. */
export interface SealedKey {
  readonly id: string
  readonly purpose: KeyPurpose
  readonly algorithm: string
  readonly sealed: string
  /** Epoch milliseconds; `retiredAt` is null for a current key. */
  readonly createdAt: number
  readonly retiredAt: number | null
  /** Null: as soon as every node knows the key. */
  readonly signsFrom: number | null
  /** Version 0.2.0 made the key and signed both types of tokens with it. */
  readonly isOlder: boolean
}

// Nodes of version 0.2.0 know the purposes signing and data only, and must verify our refresh
// tokens. For these nodes a refresh key is a replaced signing key, which never signs. The largest
// time of a Date, ECMA-262.
const neverMs = 8_640_000_000_000_000
// Nodes of version 0.15.0 do not know the purpose identity. For these nodes such a key is a replaced
// data key, which they ignore.
const neverOfIdentityMs = neverMs - 1

export function keyStore(db: DatabaseOrTransaction) {
  return {
    /** Newest first. */
    async all(): Promise<SealedKey[]> {
      const query = db.selectFrom('keys').selectAll().orderBy('created_at', 'desc').orderBy('id')
      return (await query.execute()).map(toKey)
    },

    async insert(key: SealedKey): Promise<void> {
      await db.insertInto('keys').values(toRow(key)).execute()
    },

    /** The keys verify until the given time. */
    async retire(ids: readonly string[], until: number): Promise<void> {
      if (ids.length === 0) return
      await db.updateTable('keys').set({ retired_at: until }).where('id', 'in', ids).execute()
    },

    /** Retires a signing key at once; false if no such key verifies. */
    async end(id: string, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('keys')
        .set({ retired_at: now })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('purpose', '=', 'signing'), eb('usage', '=', 'identity')]))
        .where((eb) => eb.or([eb('retired_at', 'is', null), eb('retired_at', '>', now)]))
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
  }
}

/** The purpose in the row, as version 0.2.0 reads it. */
export function storedPurpose(purpose: KeyPurpose): 'signing' | 'data' {
  return purpose === 'data' || purpose === 'identity' ? 'data' : 'signing'
}

function toKey(row: Selectable<Schema['keys']>): SealedKey {
  return {
    id: row.id,
    // The purpose is part of the sealed text, so an edited purpose does not open.
    purpose: purposeOf(row),
    algorithm: row.algorithm,
    sealed: row.sealed,
    createdAt: row.created_at,
    retiredAt: (row.retired_at ?? 0) >= neverOfIdentityMs ? null : row.retired_at,
    signsFrom: row.signs_from,
    isOlder: row.usage === null,
  }
}

function purposeOf({ purpose, usage }: Selectable<Schema['keys']>): KeyPurpose {
  if (purpose === 'data') return usage === 'identity' ? 'identity' : 'data'
  return usage === 'refresh' ? 'refresh' : 'signing'
}

const notRetired = { signing: null, refresh: neverMs, identity: neverOfIdentityMs, data: null }

function toRow(key: SealedKey): Insertable<Schema['keys']> {
  return {
    id: key.id,
    purpose: storedPurpose(key.purpose),
    algorithm: key.algorithm,
    sealed: key.sealed,
    created_at: key.createdAt,
    retired_at: key.retiredAt ?? notRetired[key.purpose],
    usage: key.isOlder ? null : key.purpose,
    signs_from: key.signsFrom,
  }
}
