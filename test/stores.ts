import type { Database } from '../src/core/database/database.ts'
import type { RoleName } from '../src/core/policy/principal.ts'
import { ownDatabase } from './own-database.ts'

interface StoredAccount {
  /** Default: USER. */
  readonly roles?: readonly RoleName[]
  readonly secondFactor?: boolean
}

/** An own database with the accounts `user1`, `user2` and so on, whose ids begin with 1. */
export async function databaseWithAccounts(count: number): Promise<Database> {
  const { db } = await ownDatabase()
  await storeAccounts(db, Array<StoredAccount>(count).fill({}))
  const rows = Array.from({ length: count }, (_, index) => ({
    ...{ user_id: index + 1, access_version: 1, refresh_version: 1 },
  }))
  await db.insertInto('token_versions').values(rows).execute()
  return db
}

/** Stores users with accounts, in this order. */
export async function storeAccounts(
  db: Database,
  accounts: readonly StoredAccount[],
): Promise<void> {
  for (const [index, { roles = ['USER'], secondFactor = false }] of accounts.entries()) {
    const username = `user${index + 1}`
    const user = { name: username, email: '', name_key: username, email_key: '' }
    const { id } = await db
      .insertInto('users')
      .values(user)
      .returning('id')
      .executeTakeFirstOrThrow()
    const more = { locked: 0, active: 1, second_factor: secondFactor ? 1 : 0, created_at: 0 }
    await db
      .insertInto('accounts')
      .values({ user_id: id, username, locked_until: null, ...more })
      .execute()
    const rows = roles.map((role) => ({ account: id, role }))
    await db.insertInto('role_assignments').values(rows).execute()
  }
}

/** A mail of a confirmation that waits; `more` are columns of the row. */
export async function storeMail(db: Database, id: string, at: number, more: object = {}) {
  await db
    .insertInto('mails')
    .values({
      ...{ id, message: 'reset', kind: 'request', state: 'waiting', user_id: null, sealed: null },
      ...{ confirmation: 'a', flow: 'f', address_index: '', client_index: null, priority: 0 },
      ...{ due_at: at, ready_at: null, created_at: at, expires_at: at, ...more },
    })
    .execute()
}
