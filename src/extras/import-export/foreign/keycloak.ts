import { base32 } from '../../../core/crypto/base32.ts'
import type { ForeignAccount } from './account.ts'
import { AccountFault } from './account-fault.ts'
import { type ForeignFormat, plain } from './format.ts'
import { envelopeRecords } from './json.ts'
import {
  type Fields,
  fieldOf,
  flagAt,
  joinedName,
  listAt,
  namesAt,
  nestedAt,
  textAt,
  timeOf,
} from './values.ts'

/** `kc.sh export`: a realm with its users, or one of the files of users. */
export const keycloak: ForeignFormat = {
  records: (pieces) => envelopeRecords(pieces, 'users'),
  converter: plain(account),
}

function account(user: unknown): ForeignAccount | null {
  if (textAt(user, 'serviceAccountClientId') !== undefined) return null
  const credentials = listAt(user, 'credentials')
  const ofType = (type: string) => credentials.filter((one) => fieldOf(one, 'type') === type)
  const [password] = ofType('password')
  return {
    id: textAt(user, 'id'),
    username: textAt(user, 'username'),
    name: joinedName(textAt(user, 'firstName'), textAt(user, 'lastName')),
    email: textAt(user, 'email'),
    emailVerified: flagAt(user, 'emailVerified') ?? false,
    hash: password === undefined ? undefined : hashOf(password),
    roles: rolesOf(user),
    active: flagAt(user, 'enabled') ?? true,
    mustChange: listAt(user, 'requiredActions').includes('UPDATE_PASSWORD'),
    createdAt: timeOf(fieldOf(user, 'createdTimestamp')),
    totp: ofType('otp')
      .map(totpOf)
      .find((secret) => secret !== undefined),
  }
}

/** Names of realm roles, `client/role` of roles of clients, and paths of groups. */
function rolesOf(user: unknown): string[] {
  const ofClients = Object.keys((fieldOf(user, 'clientRoles') ?? {}) as Fields).flatMap((client) =>
    namesAt(user, 'clientRoles', client).map((role) => `${client}/${role}`),
  )
  return [...namesAt(user, 'realmRoles'), ...ofClients, ...namesAt(user, 'groups')]
}

function hashOf(credential: unknown): string {
  const secret = nestedAt(credential, 'secretData')
  const data = nestedAt(credential, 'credentialData')
  const [salt, hash] = [textAt(secret, 'salt') ?? '', textAt(secret, 'value') ?? '']
  const algorithm = textAt(data, 'algorithm') ?? ''
  const rounds = String(fieldOf(data, 'hashIterations'))
  if (algorithm === 'argon2') {
    const of = (name: string) => String(listAt(data, 'additionalParameters', name)[0])
    const version = of('version') === '1.3' ? 19 : 16
    const costs = `m=${of('memory')},t=${rounds},p=${of('parallelism')}`
    return `$argon2${of('type')}$v=${version}$${costs}$${bare(salt)}$${bare(hash)}`
  }
  const [, digest = algorithm === 'pbkdf2' ? 'sha1' : undefined] =
    /^pbkdf2-(sha256|sha512)$/.exec(algorithm) ?? []
  if (digest) return `$pbkdf2-${digest}$i=${rounds}$${salt}$${hash}`
  throw new AccountFault('credentials', `the algorithm "${algorithm.slice(0, 40)}" is not known`)
}

function bare(base64: string): string {
  return base64.replaceAll('=', '')
}

function totpOf(credential: unknown): string | undefined {
  const data = nestedAt(credential, 'credentialData')
  const secret = textAt(nestedAt(credential, 'secretData'), 'value')
  const isOurs =
    fieldOf(data, 'subType') === 'totp' &&
    fieldOf(data, 'digits') === 6 &&
    fieldOf(data, 'period') === 30 &&
    fieldOf(data, 'algorithm') === 'HmacSHA1'
  if (!isOurs || secret === undefined) return undefined
  // Without an encoding, the characters themselves are the key.
  return fieldOf(data, 'secretEncoding') === 'BASE32' ? secret : base32(Buffer.from(secret))
}
