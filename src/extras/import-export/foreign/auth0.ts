import type { ForeignAccount } from './account.ts'
import { type ForeignFormat, plain } from './format.ts'
import { jsonRecords } from './json.ts'
import { databaseTimeOf, fieldOf, flagAt, namesAt, textAt } from './values.ts'

/** JSON Lines of the export job, or the export with hashes that its support makes. */
export const auth0: ForeignFormat = { records: jsonRecords, converter: plain(account) }

function account(user: unknown): ForeignAccount {
  const id = textAt(user, 'user_id') ?? textAt(user, 'Id') ?? textAt(user, '_id', '$oid')
  return {
    // With hashes, the id of a database connection stands without its prefix.
    id: id?.replace(/^auth0\|/, ''),
    username: textAt(user, 'username'),
    name: textAt(user, 'name') ?? textAt(user, 'nickname'),
    email: textAt(user, 'email'),
    emailVerified: flagAt(user, 'email_verified') ?? false,
    hash: textAt(user, 'passwordHash') ?? textAt(user, 'password_hash'),
    roles: [...namesAt(user, 'roles'), ...namesAt(user, 'app_metadata', 'roles')],
    active: flagAt(user, 'blocked') !== true,
    createdAt:
      databaseTimeOf(fieldOf(user, 'created_at')) ??
      databaseTimeOf(fieldOf(user, 'createdAt', '$date')),
  }
}
