import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { Schema } from '../../core/database/schema.ts'

export interface RegistrationToken {
  readonly id: string
  readonly name: string
  /** What the applications may ask for. */
  readonly scopes: readonly string[]
  /** Where their redirect addresses may lead. */
  readonly redirectHosts: readonly string[]
  /** How many applications can still register. */
  readonly remaining: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly expiresAt: number
}

export function registrationTokenStore(db: DatabaseOrTransaction) {
  return {
    async byDigest(digest: string): Promise<RegistrationToken | null> {
      const row = await db
        .selectFrom('registration_tokens')
        .selectAll()
        .where('digest', '=', digest)
        .executeTakeFirst()
      return row ? tokenOf(row) : null
    },

    /** Oldest first. */
    async all(): Promise<RegistrationToken[]> {
      const rows = await db
        .selectFrom('registration_tokens')
        .selectAll()
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(tokenOf)
    },

    async insert(token: RegistrationToken & { readonly digest: string }): Promise<void> {
      const { createdAt, expiresAt, redirectHosts, scopes, ...row } = token
      const lists = { scopes: scopes.join(' '), redirect_hosts: redirectHosts.join(' ') }
      const times = { created_at: createdAt, expires_at: expiresAt }
      await db
        .insertInto('registration_tokens')
        .values({ ...row, ...lists, ...times })
        .execute()
    },

    /** False if the token is used up, expired or gone. */
    async use(id: string, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('registration_tokens')
        .set(({ eb }) => ({ remaining: eb('remaining', '-', 1) }))
        .where('id', '=', id)
        .where('remaining', '>', 0)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async remove(id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('registration_tokens')
        .where('id', '=', id)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    purge: (until: number, batchSize: number) =>
      deleteExpired(
        db,
        { table: 'registration_tokens', key: 'id', column: 'expires_at', until },
        batchSize,
      ),
  }
}

function tokenOf(row: Selectable<Schema['registration_tokens']>): RegistrationToken {
  return {
    ...{ id: row.id, name: row.name, remaining: row.remaining },
    scopes: row.scopes.split(' '),
    redirectHosts: row.redirect_hosts.split(' '),
    ...{ createdAt: row.created_at, expiresAt: row.expires_at },
  }
}
