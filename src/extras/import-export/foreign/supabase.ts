import type { ForeignAccount } from './account.ts'
import { type ForeignFormat, plain } from './format.ts'
import { jsonRecords } from './json.ts'
import { databaseTimeOf, fieldOf, flagAt, namesAt, nestedAt, textAt } from './values.ts'

/** The rows of `auth.users` as JSON. */
export const supabase: ForeignFormat = { records: jsonRecords, converter: plain(account) }

function account(user: unknown): ForeignAccount | null {
  if (flagAt(user, 'is_anonymous') === true || textAt(user, 'deleted_at') !== undefined) return null
  const [ofUser, ofApp] = ['raw_user_meta_data', 'raw_app_meta_data'].map((name) =>
    nestedAt(user, name),
  )
  const bannedUntil = textAt(user, 'banned_until')
  return {
    id: textAt(user, 'id'),
    username: textAt(ofUser, 'username'),
    name: textAt(ofUser, 'full_name') ?? textAt(ofUser, 'name'),
    email: textAt(user, 'email'),
    emailVerified: textAt(user, 'email_confirmed_at') !== undefined,
    hash: textAt(user, 'encrypted_password'),
    // Its owner can write the metadata of the user: no role is taken from there.
    roles: [...namesAt(ofApp, 'roles'), ...namesAt(ofApp, 'role')],
    active: bannedUntil === undefined,
    createdAt: databaseTimeOf(fieldOf(user, 'created_at')),
    totp: textAt(user, 'totp_secret'),
  }
}
