import type { ForeignAccount } from './account.ts'
import { AccountFault } from './account-fault.ts'
import { type ForeignFormat, plain } from './format.ts'
import { jsonRecords } from './json.ts'
import { databaseTimeOf, fieldOf, flagAt, idAt, namesAt, textAt } from './values.ts'

/** The rows of `user`, each with the password of its `account` of the provider `credential`. */
export const betterAuth: ForeignFormat = { records: jsonRecords, converter: plain(account) }

function account(user: unknown): ForeignAccount {
  const password = textAt(user, 'password')
  return {
    id: idAt(user, 'id'),
    username: textAt(user, 'username'),
    name: textAt(user, 'name'),
    email: textAt(user, 'email'),
    emailVerified: flagAt(user, 'emailVerified') ?? false,
    hash: password === undefined ? undefined : hashOf(password),
    roles: namesAt(user, 'role'),
    active: flagAt(user, 'banned') !== true,
    createdAt: databaseTimeOf(fieldOf(user, 'createdAt')),
  }
}

const format = /^([0-9a-f]{32}):([0-9a-f]{128})$/
const costs = 'ln=14,r=16,p=1'

/** Its own scrypt, whose salt is the hexadecimal text; or a hash of the application's choice. */
function hashOf(password: string): string {
  if (password.startsWith('$')) return password
  const [, salt, key] = format.exec(password) ?? []
  if (!salt || !key) throw new AccountFault('password', 'is no hash as better-auth makes it')
  const [saltText, keyText] = [Buffer.from(salt), Buffer.from(key, 'hex')].map((bytes) =>
    bytes.toString('base64'),
  )
  return `$scrypt-nfkc$${costs}$${saltText}$${keyText}`
}
