import type { Selectable } from 'kysely'
import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import { derivedKey, keyedDigest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forNoKeyUpdate } from '../../core/database/transactions.ts'
import type { Needs } from '../../core/module/services.ts'
import { splitRoles } from '../../modules/authentication/account.ts'
import { seal, unseal } from '../../modules/keys/seal.ts'
import type { Invitation } from './invitation.ts'

export type InvitationStoreDeps = Pick<Needs, 'keys' | 'random'>

export type NewInvitation = Omit<Invitation, 'id' | 'acceptedAt' | 'revokedAt' | 'userId'>

/** The sealed, personal part of a row. */
type Sealed = Pick<Invitation, 'email' | 'name' | 'language' | 'isOfOperator' | 'nonce'>

export function invitationStores({ keys, random }: InvitationStoreDeps) {
  const indexKey = derivedKey(keys.dataKey, 'invitations')
  const indexOf = ({ key }: EmailAddress) => keyedDigest(indexKey, key)

  const of = (db: DatabaseOrTransaction) => ({
    async insert(invitation: NewInvitation): Promise<number> {
      const address_index = indexOf(invitation.email)
      const { id } = await db
        .insertInto('invitations')
        .values({
          confirmation: invitation.confirmation,
          sealed: sealIn(address_index, invitation),
          address_index,
          roles: invitation.roles.join(','),
          invited_by: invitation.invitedBy,
          created_at: invitation.createdAt,
          expires_at: invitation.expiresAt,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    async byId(id: number): Promise<Invitation | null> {
      const query = db.selectFrom('invitations').selectAll().where('id', '=', id)
      return opened(await query.executeTakeFirst())
    },

    /** Locks the row on PostgreSQL. */
    async byIdForUpdate(id: number): Promise<Invitation | null> {
      const query = db.selectFrom('invitations').selectAll().where('id', '=', id)
      return opened(await forNoKeyUpdate(db, 'invitations', query).executeTakeFirst())
    },

    async ofUser(userId: number): Promise<Invitation[]> {
      const query = db.selectFrom('invitations').selectAll().where('user_id', '=', userId)
      return (await query.orderBy('id').execute()).map(open)
    },

    async byConfirmation(confirmation: string): Promise<Invitation | null> {
      const query = db
        .selectFrom('invitations')
        .selectAll()
        .where('confirmation', '=', confirmation)
      return opened(await query.executeTakeFirst())
    },

    /** At most one is pending per address. */
    async pendingTo(email: EmailAddress, now: number): Promise<Invitation | null> {
      const query = db
        .selectFrom('invitations')
        .selectAll()
        .where('address_index', '=', indexOf(email))
        .where('accepted_at', 'is', null)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
      return opened(await query.executeTakeFirst())
    },

    async page(offset: number, limit: number): Promise<Invitation[]> {
      const query = db
        .selectFrom('invitations')
        .selectAll()
        .orderBy('id', 'desc')
        .offset(offset)
        .limit(limit)
      return (await query.execute()).map(open)
    },

    async count(): Promise<number> {
      const { total } = await db
        .selectFrom('invitations')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    /** False if accepted or revoked before. */
    async revoke(id: number, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('invitations')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('accepted_at', 'is', null)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    /** For a user who is about to be deleted. */
    async forgetAddressOf(userId: number): Promise<void> {
      const row = await db
        .selectFrom('accounts')
        .select('verified_email')
        .where('user_id', '=', userId)
        .executeTakeFirst()
      const email = row?.verified_email ? parseEmail(row.verified_email) : null
      if (!email) return
      await db.deleteFrom('invitations').where('address_index', '=', indexOf(email)).execute()
    },

    /** False if accepted or revoked before. */
    async accept(id: number, userId: number, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('invitations')
        .set({ accepted_at: now, user_id: userId })
        .where('id', '=', id)
        .where('accepted_at', 'is', null)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    /** Stores the confirmation and inviter of a new mail. */
    async renew(invitation: Invitation): Promise<void> {
      await db
        .updateTable('invitations')
        .set({
          confirmation: invitation.confirmation,
          expires_at: invitation.expiresAt,
          invited_by: invitation.invitedBy,
          sealed: sealIn(indexOf(invitation.email), invitation),
        })
        .where('id', '=', invitation.id)
        .execute()
    },

    /** Deletes invitations that ended by `until`; returns how many. */
    purge(until: number, batchSize: number): Promise<number> {
      const ended = { table: 'invitations', key: 'id', column: 'expires_at' } as const
      return deleteExpired(db, { ...ended, until }, batchSize)
    },
  })

  return { of, indexOf }

  function sealIn(
    addressIndex: string,
    { email, name, language, isOfOperator, nonce }: Sealed,
  ): string {
    const plain = Buffer.from(JSON.stringify({ email, name, language, isOfOperator, nonce }))
    return seal(random, keys.dataKey, contextOf(addressIndex), plain)
  }

  function opened(row: Row | undefined): Invitation | null {
    return row ? open(row) : null
  }

  function open(row: Row): Invitation {
    const plain = unseal(keys.dataKey, contextOf(row.address_index), row.sealed)
    const sealed: Sealed = JSON.parse(plain.toString())
    return {
      ...sealed,
      id: row.id,
      roles: splitRoles(row.roles),
      invitedBy: row.invited_by,
      confirmation: row.confirmation,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      acceptedAt: row.accepted_at,
      revokedAt: row.revoked_at,
      userId: row.user_id,
    }
  }
}

type Row = Selectable<Schema['invitations']>

/** Binds the sealed data to the address. */
function contextOf(addressIndex: string): string {
  return `invitation ${addressIndex}`
}
