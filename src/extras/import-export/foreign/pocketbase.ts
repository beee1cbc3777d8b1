import type { ForeignAccount } from './account.ts'
import { type ForeignFormat, plain } from './format.ts'
import { jsonRecords } from './json.ts'
import { databaseTimeOf, fieldOf, flagAt, namesAt, textAt } from './values.ts'

/** The rows of an auth collection, as `sqlite3 -json` writes them. */
export const pocketbase: ForeignFormat = { records: jsonRecords, converter: plain(account) }

function account(user: unknown): ForeignAccount {
  return {
    id: textAt(user, 'id'),
    username: textAt(user, 'username'),
    name: textAt(user, 'name'),
    email: textAt(user, 'email'),
    emailVerified: flagAt(user, 'verified') ?? false,
    hash: textAt(user, 'password') ?? textAt(user, 'passwordHash'), // before version 0.23
    roles: [...namesAt(user, 'role'), ...namesAt(user, 'roles')],
    createdAt: databaseTimeOf(fieldOf(user, 'created')),
  }
}
