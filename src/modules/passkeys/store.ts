import type { Selectable } from 'kysely'
import { digest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'

export interface Passkey {
  /** Without a leading `-`, which looks like an option. */
  readonly id: string
  readonly credentialId: string
  readonly userId: number
  readonly publicKey: Uint8Array
  readonly algorithm: number
  readonly counter: number
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  readonly rpId: string
  readonly name: string
  readonly transports: readonly string[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

export interface Use {
  readonly passkey: Passkey
  readonly counter: number
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  readonly at: number
}

const byId = prepared((db, { id }: Parameters<{ id: string }>) =>
  db.selectFrom('passkeys').selectAll().where('id', '=', id),
)
const ofUser = prepared((db, { userId }: Parameters<{ userId: number }>) =>
  db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('created_at'),
)

interface UsedRow {
  readonly id: string
  readonly userId: number
  /** The counter as it was read. */
  readonly before: number
  readonly counter: number
  readonly isBackupEligible: number
  readonly isBackedUp: number
  readonly at: number
}
const update = (db: DatabaseOrTransaction, row: Parameters<UsedRow>) =>
  db
    .updateTable('passkeys')
    .set({ counter: row.counter, backup_eligible: row.isBackupEligible })
    .set({ backed_up: row.isBackedUp, used_at: row.at })
    .where('id', '=', row.id)
    .where('user_id', '=', row.userId)
    .returning('id')
const usedSynced = prepared(update)
const usedCounted = prepared((db, row: Parameters<UsedRow>) =>
  update(db, row).where('counter', '=', row.before),
)
const one = prepared((db) => db.selectFrom('passkeys').select('id').limit(1))

export function idOf(credentialId: string): string {
  return digest(credentialId).replace(/^-/, '_')
}

export function passkeyStore(db: DatabaseOrTransaction) {
  return {
    async byCredential(credentialId: string): Promise<Passkey | null> {
      const row = await byId.first(db, { id: idOf(credentialId) })
      return row && row.credential_id === credentialId ? passkeyOf(row) : null
    },

    /** Oldest first. */
    async of(userId: number): Promise<Passkey[]> {
      return (await ofUser.all(db, { userId })).map(passkeyOf)
    },

    async any(): Promise<boolean> {
      return (await one.first(db, {})) !== undefined
    },

    /** False if the credential is registered. */
    async insert(passkey: Passkey): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('passkeys')
        .values(rowOf(passkey))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow()
      return numInsertedOrUpdatedRows === 1n
    },

    /** False if removed, or if another assertion has counted in between. */
    async use({ passkey, counter, isBackupEligible, isBackedUp, at }: Use): Promise<boolean> {
      const values = {
        ...{ id: passkey.id, userId: passkey.userId, before: passkey.counter, counter, at },
        ...{ isBackupEligible: Number(isBackupEligible), isBackedUp: Number(isBackedUp) },
      }
      const query = isBackupEligible ? usedSynced : usedCounted
      return (await query.first(db, values)) !== undefined
    },

    async rename(userId: number, id: string, name: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('passkeys')
        .set({ name })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },

    async remove(userId: number, id: string): Promise<void> {
      await ofOwner(userId).where('id', '=', id).execute()
    },

    /** Returns whether any was removed. */
    async removeSince(userId: number, since: number): Promise<boolean> {
      const { numDeletedRows } = await ofOwner(userId)
        .where('created_at', '>=', since)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
  }

  function ofOwner(userId: number) {
    return db.deleteFrom('passkeys').where('user_id', '=', userId)
  }
}

function passkeyOf(row: Selectable<Schema['passkeys']>): Passkey {
  return {
    id: row.id,
    credentialId: row.credential_id,
    userId: row.user_id,
    publicKey: Buffer.from(row.public_key, 'base64url'),
    algorithm: row.algorithm,
    counter: row.counter,
    isBackupEligible: row.backup_eligible === 1,
    isBackedUp: row.backed_up === 1,
    rpId: row.rp_id,
    name: row.name,
    transports: row.transports === '' ? [] : row.transports.split(','),
    createdAt: row.created_at,
    lastUsedAt: row.used_at,
  }
}

function rowOf(passkey: Passkey): Selectable<Schema['passkeys']> {
  return {
    id: passkey.id,
    credential_id: passkey.credentialId,
    user_id: passkey.userId,
    public_key: Buffer.from(passkey.publicKey).toString('base64url'),
    algorithm: passkey.algorithm,
    counter: passkey.counter,
    backup_eligible: Number(passkey.isBackupEligible),
    backed_up: Number(passkey.isBackedUp),
    rp_id: passkey.rpId,
    name: passkey.name,
    transports: passkey.transports.join(','),
    created_at: passkey.createdAt,
    used_at: passkey.lastUsedAt,
  }
}
