import type { ForeignAccount } from './account.ts'
import { AccountFault } from './account-fault.ts'
import { type ForeignFormat, plain } from './format.ts'
import { flagAt, namesAt, textAt } from './values.ts'
import { yamlUsers } from './yaml-users.ts'

/** The file of the users, users_database.yml. */
export const authelia: ForeignFormat = { records: yamlUsers, converter: plain(account) }

function account(user: unknown): ForeignAccount {
  const username = textAt(user, 'username')
  const hash = textAt(user, 'password')
  if (hash === undefined) throw new AccountFault('password', 'is missing')
  return {
    id: username,
    username,
    name: textAt(user, 'displayname'),
    email: textAt(user, 'email'),
    hash,
    roles: namesAt(user, 'groups'),
    active: flagAt(user, 'disabled') !== true,
  }
}
