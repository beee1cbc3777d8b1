import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentUser } from '../../core/database/pending-import.ts'
import type { User } from './user.ts'

/** The columns that make a user. */
export const shown = ['id', 'name', 'email'] as const

/** A query of the users that a read may show. */
export const present = (db: DatabaseOrTransaction) => db.selectFrom('users').where(isPresentUser)

export function toUser({ id, name, email }: User): User {
  return { id, name, email }
}
