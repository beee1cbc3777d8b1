import type { ForeignAccount } from './account.ts'
import { type ForeignFormat, plain } from './format.ts'
import { jsonRecords } from './json.ts'
import { databaseTimeOf, fieldOf, joinedName, listAt, namesAt, objectOf, textAt } from './values.ts'

/** Identities of the administration API, with `include_credential` of password and totp. */
export const kratos: ForeignFormat = { records: jsonRecords, converter: plain(account) }

function account(identity: unknown): ForeignAccount {
  const traits = fieldOf(identity, 'traits')
  const email = textAt(traits, 'email')
  const hash = textAt(identity, 'credentials', 'password', 'config', 'hashed_password')
  return {
    id: textAt(identity, 'id'),
    username: textAt(traits, 'username'),
    name: nameOf(traits),
    email,
    emailVerified: listAt(identity, 'verifiable_addresses').some(
      (address) =>
        fieldOf(address, 'value') === email &&
        fieldOf(address, 'via') === 'email' &&
        fieldOf(address, 'verified') === true,
    ),
    hash: hash === undefined ? undefined : hashOf(hash),
    // Its owner can write the traits: no role is taken from there.
    roles: [
      ...namesAt(identity, 'metadata_public', 'roles'),
      ...namesAt(identity, 'metadata_admin', 'roles'),
    ],
    active: (textAt(identity, 'state') ?? 'active') === 'active',
    createdAt: databaseTimeOf(fieldOf(identity, 'created_at')),
    totp: totpOf(textAt(identity, 'credentials', 'totp', 'config', 'totp_url')),
  }
}

function nameOf(traits: unknown): string | undefined {
  if (!objectOf(fieldOf(traits, 'name'))) return textAt(traits, 'name')
  return joinedName(textAt(traits, 'name', 'first'), textAt(traits, 'name', 'last'))
}

const scryptFormat = /^\$scrypt\$ln=(\d{1,10}),r=(\d+),p=(\d+)\$/
const maxLog = 30

/** Its `ln` of scrypt is N itself. */
function hashOf(hash: string): string {
  return hash.replace(scryptFormat, (whole, ln: string, r: string, p: string) => {
    const cost = Math.log2(Number(ln))
    if (Number(ln) <= maxLog || !Number.isInteger(cost)) return whole
    return `$scrypt$ln=${cost},r=${r},p=${p}$`
  })
}

function totpOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  const { searchParams, protocol, host } = new URL(url)
  const is = (name: string, wanted: string) => (searchParams.get(name) ?? wanted) === wanted
  const isOurs =
    protocol === 'otpauth:' &&
    host === 'totp' &&
    is('digits', '6') &&
    is('period', '30') &&
    is('algorithm', 'SHA1')
  return isOurs ? (searchParams.get('secret') ?? undefined) : undefined
}
