// Exports of other products, in the form that each documents, with two accounts: `ann` signs in by
// the password, has a confirmed address and what the product calls `editors`; `bob` has another
// kind of hash where the product has one, is disabled, and has the foreign role `ADMIN`.
import { createCipheriv, createHash, pbkdf2Sync, scryptSync } from 'node:crypto'
import { hash as argon2Hash } from '@node-rs/argon2'
import { hash as bcryptHash } from '@node-rs/bcrypt'

export interface ForeignExport {
  readonly text: string
  /** The file for --hash-config. */
  readonly hashConfig?: string
  /** What the product has not: bob cannot be disabled, addresses cannot be confirmed. */
  readonly lacks?: readonly ('disabled' | 'verified' | 'roles')[]
  /** The name of ann, where the product has none of its own. */
  readonly username?: string
  readonly storesWrapped?: boolean
  readonly totp?: true
}

const salt = Buffer.from('a salt of bytes!')
/** The secret of ann's app, where the export has one. */
export const totpSecret = Buffer.from('0123456789abcdefghij')
const totpBase32 = 'GAYTEMZUGU3DOOBZMFRGGZDFMZTWQ2LK'
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const created = Date.UTC(2024, 4, 6, 7, 8, 9)
const createdAt = new Date(created).toISOString()
const bcrypt = async (password: string) => (await bcryptHash(password, 4)).replace('$2y$', '$2a$')

type Make = (password: string) => Promise<ForeignExport> | ForeignExport

export const foreignExports: Readonly<Record<string, Make>> = {
  keycloak(password) {
    const derived = pbkdf2Sync(password, salt, 27_500, 64, 'sha256')
    const secret = (value: object) => JSON.stringify(value)
    const user = (name: string, more: object) => ({
      ...{ id: `id-of-${name}`, username: name, email: `${name}@example.org` },
      ...{ firstName: 'Known', lastName: name, createdTimestamp: created, totp: false },
      ...{ enabled: true, emailVerified: true, requiredActions: [], ...more },
    })
    const ann = user('ann', {
      groups: ['/editors'],
      credentials: [
        {
          ...{ type: 'password', createdDate: created },
          secretData: secret({ value: base64(derived), salt: base64(salt) }),
          credentialData: secret({ hashIterations: 27_500, algorithm: 'pbkdf2-sha256' }),
        },
        {
          type: 'otp',
          secretData: secret({ value: totpSecret.toString() }),
          credentialData: secret({
            ...{ subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' },
          }),
        },
      ],
    })
    const bob = user('bob', { enabled: false, realmRoles: ['ADMIN'] })
    const service = user('service', { serviceAccountClientId: 'an-application' })
    const clients = [{ users: ['no account: "users": ['] }]
    const realm = { id: 'x', realm: 'home', users: [ann, service, bob], clients, enabled: true }
    return { text: JSON.stringify(realm, null, 2), totp: true }
  },

  async authelia(password) {
    const hash = await argon2Hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 })
    const text = `---
# Users
users:
  ann:
    disabled: false
    displayname: "Known ann" # a comment
    password: "${hash}"
    email: ann@example.org
    groups:
      - 'editors'
      - dev
    address:
      locality: 'Somewhere'
  'bob':
    displayname: 'Known bob'
    password: '${await bcrypt(password)}'
    email: bob@example.org
    groups: [ADMIN]
    disabled: true
...
`.replace('...\n', '')
    return { text, lacks: ['verified'] }
  },

  ldif(password) {
    const sha = createHash('sha1').update(password).update(salt).digest()
    const label = base64(Buffer.from(`{SSHA}${base64(Buffer.concat([sha, salt]))}`))
    const text = `version: 1

# example.org
dn: dc=example,dc=org
objectClass: organization
o: Example

dn: uid=ann,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: ann
cn: Known
  ann
mail: ann@example.org
entryUUID: id-of-ann
memberOf: cn=editors,ou=groups,dc=example,dc=org
createTimestamp: 20240506070809Z
userPassword:: ${label.slice(0, 30)}
 ${label.slice(30)}

dn: uid=bob,ou=people,dc=example,dc=org
uid: bob
cn:: ${base64(Buffer.from('Known bob'))}
mail: bob@example.org
entryUUID: id-of-bob
nsAccountLock: TRUE
memberOf: ADMIN
userPassword: {CRYPT}$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/

`
    return { text, lacks: ['verified'], storesWrapped: true }
  },

  firebase(password) {
    const signerKey = Buffer.alloc(64, 'signer')
    const separator = Buffer.from([7])
    const costs = { N: 2 ** 14, r: 8, p: 1 }
    const key = scryptSync(password, Buffer.concat([salt, separator]), 32, costs)
    const hash = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(signerKey)
    const user = (name: string, more: object) => ({
      ...{ localId: `id-of-${name}`, email: `${name}@example.org`, displayName: `Known ${name}` },
      ...{ emailVerified: true, createdAt: String(created), providerUserInfo: [], ...more },
    })
    const ann = user('ann', {
      ...{ passwordHash: base64(hash), salt: base64(salt) },
      customAttributes: JSON.stringify({ editors: true, plan: 'free' }),
    })
    const claims = { customAttributes: JSON.stringify({ role: 'ADMIN' }) }
    return {
      text: JSON.stringify({ users: [ann, user('bob', { disabled: true, ...claims })] }),
      hashConfig: `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: ${base64(signerKey)},
  base64_salt_separator: ${base64(separator)},
  rounds: 8,
  mem_cost: 14,
}`,
      username: 'ann@example.org',
      storesWrapped: true,
    }
  },

  async auth0(password) {
    const user = (name: string, more: object) => ({
      ...{ _id: { $oid: `id-of-${name}` }, email: `${name}@example.org`, username: name },
      ...{ email_verified: true, name: `Known ${name}`, tenant: 'home', ...more },
    })
    const created = { createdAt: { $date: createdAt } }
    const ann = user('ann', {
      ...{ passwordHash: await bcrypt(password), ...created },
      app_metadata: { roles: ['editors'] },
    })
    const bob = user('bob', { blocked: true, app_metadata: { roles: ['ADMIN'] } })
    return { text: `${JSON.stringify(ann)}\n${JSON.stringify(bob)}\n` }
  },

  'better-auth'(password) {
    const saltText = salt.toString('hex')
    const options = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 }
    const key = scryptSync(password.normalize('NFKC'), saltText, 64, options)
    const user = (name: string, more: object) => ({
      ...{ id: `id-of-${name}`, name: `Known ${name}`, email: `${name}@example.org` },
      ...{ emailVerified: 1, image: null, createdAt, updatedAt: createdAt, ...more },
    })
    const ann = user('ann', {
      ...{ username: 'ann', role: 'editors', banned: 0 },
      password: `${saltText}:${key.toString('hex')}`,
    })
    const bob = user('bob', { username: 'bob', role: 'ADMIN', banned: 1, password: null })
    return { text: JSON.stringify([ann, bob], null, 2), storesWrapped: true }
  },

  async pocketbase(password) {
    const user = (name: string, more: object) => ({
      ...{ id: `id-of-${name}`, name: `Known ${name}`, email: `${name}@example.org` },
      ...{ username: name, verified: 1, emailVisibility: 0, tokenKey: 'x' },
      ...{ created: '2024-05-06 07:08:09.000Z', ...more },
    })
    const ann = user('ann', { password: await bcrypt(password), role: 'editors' })
    const bob = user('bob', { password: await bcrypt(password), role: 'ADMIN' })
    return { text: JSON.stringify([ann, bob]), lacks: ['disabled'] }
  },

  async supabase(password) {
    const user = (name: string, more: object) => ({
      ...{ id: `id-of-${name}`, email: `${name}@example.org`, is_anonymous: false },
      ...{ email_confirmed_at: createdAt, created_at: '2024-05-06T07:08:09.000123+00:00' },
      raw_user_meta_data: { full_name: `Known ${name}`, username: name, roles: ['ADMIN'] },
      ...more,
    })
    const ann = user('ann', {
      ...{ encrypted_password: await bcrypt(password), totp_secret: totpBase32 },
      raw_app_meta_data: { provider: 'email', roles: ['editors'] },
    })
    const bob = user('bob', {
      raw_app_meta_data: JSON.stringify({ role: 'ADMIN' }),
      ...{ banned_until: '2999-01-01T00:00:00+00:00', encrypted_password: '' },
    })
    const anonymous = { id: 'id-of-nobody', is_anonymous: true }
    const lines = [ann, anonymous, bob].map((one) => `${JSON.stringify(one)}\n`)
    return { text: lines.join(''), totp: true }
  },

  kratos(password) {
    const identity = (name: string, more: object) => ({
      ...{ id: `id-of-${name}`, schema_id: 'person', state: 'active', created_at: createdAt },
      traits: {
        email: `${name}@example.org`,
        username: name,
        name: { first: 'Known', last: name },
      },
      verifiable_addresses: [{ value: `${name}@example.org`, verified: true, via: 'email' }],
      ...more,
    })
    const key = scryptSync(password, salt, 32, { N: 16_384, r: 8, p: 1 })
    const url = `otpauth://totp/Home:ann?secret=${totpBase32}&issuer=Home&digits=6&period=30`
    const credentials = {
      password: {
        ...{ type: 'password', identifiers: ['ann@example.org'] },
        config: { hashed_password: `$scrypt$ln=16384,r=8,p=1$${base64(salt)}$${base64(key)}` },
      },
      totp: { type: 'totp', config: { totp_url: url } },
    }
    const ann = identity('ann', { credentials, metadata_public: { roles: ['editors'] } })
    const bob = identity('bob', { state: 'inactive', metadata_admin: { roles: ['ADMIN'] } })
    return { text: JSON.stringify([ann, bob]), storesWrapped: true, totp: true }
  },
}

/** The name of the group in the export, for --roles. */
export const roleNames = ['editors', '/editors', 'cn=editors,ou=groups,dc=example,dc=org']
