import { createPrivateKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { parsePostgresAddress } from '../database/postgres/address.ts'
import { parseAddressRange } from '../kernel/address-ranges.ts'
import { isLoopback } from '../kernel/loopback.ts'
import { parseRole } from '../kernel/principal.ts'
import { canonicalUsername } from '../kernel/username.ts'
import { assertSoundRsaKey } from '../strength/rsa-key.ts'
import { assertStrongSecret } from '../strength/signing-secret.ts'
import { assertVaried } from '../strength/varied.ts'
import { integer, list, oneOf, optional, type Setting, secret, text } from './kinds.ts'
import { flowCookieName, oidcSettings } from './oidc-settings.ts'

/** What a login answers: a cookie session, one token, or an access and a refresh token. */
export const loginModes = ['session', 'token', 'pair'] as const
export type LoginMode = (typeof loginModes)[number]

/** Every setting, in the order of the documentation. Names and defaults: docs/configuration.md. */
export const settings = {
  HOST: text({ default: '127.0.0.1', doc: 'Address to listen on.', check: assertHost }),
  PORT: integer({
    default: 3000,
    min: 0,
    max: 65_535,
    doc: 'Port to listen on. 0 takes a free one, which only the log tells: BASE_URL and the `iss` of tokens keep the 0 unless BASE_URL is set.',
  }),
  BASE_URL: optional({
    shown: '`http://HOST:PORT`',
    doc: 'The address that callers use, without a path. `localhost` stands for the wildcard addresses. In production https, or http on a loopback address.',
    parse: parseBaseUrl,
  }),
  DATA_DIR: text({ default: './data', doc: 'Folder of the SQLite file and the master key.' }),
  DATABASE_URL: secret({
    doc: 'Empty: the SQLite file `DATA_DIR/gatehouse.db`, for one machine. `postgres://user:password@host:5432/database`: PostgreSQL 14 or newer, for any number of nodes. Off this machine TLS is on and verified; `sslrootcert` names another authority, `sslcert` and `sslkey` a certificate of our own, `sslmode=disable` and `sslmode=no-verify` do without.',
    check: (value) => void parsePostgresAddress(value, isLoopback),
  }),
  DATABASE_POOL_MAX: integer({
    default: 10,
    min: 2,
    doc: 'Most connections of one node to PostgreSQL, besides one that listens for changes.',
  }),
  DATABASE_TIMEOUT_MS: integer({
    default: 2000,
    min: 1,
    doc: 'How long a change, and with PostgreSQL any query, waits for the database before it is answered 503. Milliseconds.',
  }),
  MASTER_KEY: secret({
    shown: 'made as `DATA_DIR/master.key`; required with PostgreSQL',
    doc: 'Encrypts the key set in the database: 32 bytes as 64 hex digits or base64url.',
    check: (value) => void parseMasterKey(value),
  }),
  NODE_ENV: oneOf({
    default: 'development',
    values: ['development', 'production', 'test'],
    doc: '`production` refuses unsafe settings; `development` tells the failure text of a 500.',
  }),
  LOG_LEVEL: oneOf({
    default: 'info',
    values: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    doc: 'Security events and failures are logged at `info` and above, each request at `debug`.',
  }),
  TRUST_PROXY: optional({
    shown: '`none` outside production',
    doc: 'Proxies whose X-Forwarded-For is believed: a comma-separated list of addresses and CIDR ranges, or `none`. Must be set in production.',
    parse: parseAddresses,
  }),
  BODY_LIMIT_BYTES: integer({
    default: 1_048_576,
    min: 1024,
    doc: 'Largest request body; forms and routes of a few fields read 16 KiB at most.',
  }),
  CORS_ORIGINS: list({
    doc: 'Origins that browsers may call from, comma-separated and exact; `*` only outside production.',
    parse: parseOrigin,
  }),
  ADMIN_USERNAME: text({
    default: 'admin',
    doc: 'The first administrator, made at the first start.',
    check: (value) => {
      if (canonicalUsername(value) === null) throw new Error('is not a valid username')
    },
  }),
  ADMIN_PASSWORD: secret({
    shown: 'random, printed once',
    doc: 'Its password. Read at the first start only.',
  }),
  TOKEN_ALGORITHM: oneOf({
    default: 'HS256',
    values: ['HS256', 'RS256'],
    doc: 'Signs new tokens. Its key is generated where the key set has none.',
  }),
  TOKEN_SECRET: secret({
    shown: 'generated',
    doc: 'A signing secret of your own for HS256: text of at least 32 bytes, as `openssl rand -base64 32` prints it. Production refuses what is publicly known or can be guessed.',
    check: assertStrongSecret,
  }),
  TOKEN_SECRET_PREVIOUS: secret({
    doc: 'The secret before the present one: signs nothing, still verifies, so it must be as good.',
    check: assertStrongSecret,
  }),
  TOKEN_PRIVATE_KEY: secret({
    shown: 'generated, 3072 bits',
    doc: 'A signing key of your own for RS256: an RSA key of at least 2048 bits, PEM.',
    check: assertRsaKey,
  }),
  KEY_ROTATION_DAYS: integer({
    default: 0,
    min: 0,
    doc: 'Replaces a generated signing key by itself once it is this old; 0: never. Tokens of the old one stay valid.',
  }),
  TOKEN_ISSUER: optional({
    shown: '`BASE_URL`',
    doc: 'The `iss` of tokens.',
    parse: (value) => value,
  }),
  TOKEN_AUDIENCE: text({ default: 'api', doc: 'The `aud` of access tokens.' }),
  TOKEN_SECONDS: integer({
    default: 3600,
    min: 1,
    doc: 'Life of the access token of login mode `token`. Seconds.',
  }),
  ACCESS_TOKEN_SECONDS: integer({
    default: 900,
    min: 1,
    doc: 'Life of the access token of login mode `pair` and of /refresh. Seconds.',
  }),
  REFRESH_TOKEN_SECONDS: integer({
    default: 604_800,
    min: 1,
    doc: 'Life of the refresh token. Seconds.',
  }),
  REFRESH_ROTATION: oneOf({
    default: 'off',
    values: ['off', 'on'],
    doc: 'Whether a refresh token can be used once: /refresh gives a new one, and a second use ends its whole line.',
  }),
  REFRESH_GRACE_SECONDS: integer({
    default: 10,
    min: 0,
    doc: 'With rotation: a retry this soon gets the same new token again. Seconds.',
  }),
  SESSION_COOKIE_NAME: text({
    default: 'JSESSIONID',
    doc: 'Name of the session cookie, for instance `__Host-JSESSIONID`.',
    check: (value) => {
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(value)) throw new Error('is not a cookie name')
      if (value === flowCookieName) throw new Error('is the name of the cookie of a sign-in')
    },
  }),
  SESSION_IDLE_SECONDS: integer({
    default: 1800,
    min: 1,
    doc: 'A session ends this long after its last request. Seconds.',
  }),
  SESSION_ABSOLUTE_SECONDS: integer({
    default: 43_200,
    min: 0,
    doc: 'A session ends this long after its login, however busy; 0: never. Seconds.',
  }),
  SESSIONS_PER_ACCOUNT: integer({
    default: 100,
    min: 0,
    doc: 'Live sessions of one account; a login that makes one more ends the one that was idle longest. 0: no limit.',
  }),
  LOGIN_FORM_MODE: oneOf({
    default: 'session',
    values: loginModes,
    doc: 'What a login by form answers when it names no mode.',
  }),
  LOGIN_JSON_MODE: oneOf({
    default: 'token',
    values: loginModes,
    doc: 'What a login by JSON answers when it names no mode.',
  }),
  LOGIN_ATTEMPTS: integer({
    default: 5,
    min: 0,
    doc: 'Failed logins per username and client address before 429; 0: no limit.',
  }),
  LOGIN_WINDOW_SECONDS: integer({
    default: 900,
    min: 1,
    doc: 'The sliding window of that count. Seconds.',
  }),
  LOGIN_ADDRESS_ATTEMPTS: integer({
    default: 20,
    min: 0,
    doc: 'Failed logins per client address (IPv6: per /64), whatever the username, before 429; 0: no limit.',
  }),
  LOGIN_ADDRESS_WINDOW_SECONDS: integer({
    default: 3600,
    min: 1,
    doc: 'The sliding window of that count. Seconds.',
  }),
  LOGIN_LOCK_AFTER: integer({
    default: 10,
    min: 0,
    doc: 'Failed logins in a row, over all addresses, that lock an account for a while; 0: never. Live sessions and tokens go on.',
  }),
  LOGIN_LOCK_SECONDS: integer({
    default: 1800,
    min: 1,
    doc: 'How long that lock lasts; an administrator can lift it. Seconds.',
  }),
  LOGIN_CAPTCHA_AFTER: integer({
    default: 0,
    min: 0,
    doc: 'Failed logins per username and client address after which a login needs a proof of work, and Basic is refused; 0: never.',
  }),
  LOGIN_TRUSTED_CALLERS: optional({
    doc: 'Backends that log their users in from one address: a comma-separated list of addresses and CIDR ranges. The last element of the X-Forwarded-For that such a caller writes is the client for the limits of a login; without one the limits count the caller. None may stand in TRUST_PROXY too.',
    parse: parseAddresses,
  }),
  RATE_LIMIT_MAX: integer({
    default: 0,
    min: 0,
    doc: 'Requests per client address (IPv6: per /64) before 429, `/health/*` apart; 0: no limit.',
  }),
  RATE_LIMIT_WINDOW_SECONDS: integer({
    default: 900,
    min: 1,
    doc: 'The window of that count; it starts with the first request. Seconds.',
  }),
  PASSWORD_HASH: oneOf({
    default: 'argon2id',
    values: ['argon2id', 'bcrypt', 'pbkdf2'],
    doc: 'Kind of new password hashes. All kinds verify; a hash of another kind or of lower cost is replaced at the next login. bcrypt refuses passwords of more than 72 bytes.',
  }),
  REAUTHENTICATE_SECONDS: integer({
    default: 900,
    min: 0,
    doc: 'How recent the login must be that changes a password, a second factor or a linked identity, or makes, unmakes, locks or deletes an administrator. Seconds.',
  }),
  REQUIRE_SECOND_FACTOR: list({
    doc: 'Roles whose accounts must have a second factor, comma-separated: without one, a login yields the right to enrol and nothing else.',
    parse: (item) => {
      const role = parseRole(item)
      if (!role) throw new Error(`holds ${JSON.stringify(item)}, which is not a role`)
      return role
    },
  }),
  PASSWORD_MIN_LENGTH: integer({
    default: 12,
    min: 12,
    max: 128,
    doc: 'Shortest new password, in code points.',
  }),
  PASSWORD_ARGON2_MEMORY_KIB: integer({
    default: 19_456,
    min: 19_456,
    max: 4_194_304,
    doc: 'Memory of one Argon2id hash. KiB.',
  }),
  PASSWORD_ARGON2_PASSES: integer({
    default: 2,
    min: 2,
    max: 100,
    doc: 'Passes of one Argon2id hash.',
  }),
  PASSWORD_BCRYPT_COST: integer({
    default: 12,
    min: 12,
    max: 31,
    doc: 'Cost of one bcrypt hash: each step doubles the work.',
  }),
  PASSWORD_PBKDF2_ITERATIONS: integer({
    default: 600_000,
    min: 100_000,
    max: 999_999_999,
    doc: 'Iterations of one PBKDF2-SHA-256 hash.',
  }),
  PASSWORD_BREACH_URL: optional({
    doc: 'A service of breached passwords that is asked by range, for instance `https://api.pwnedpasswords.com/range`: five hex digits of the SHA-1 leave the machine. Where it cannot answer, the password passes.',
    parse: parseBreachUrl,
  }),
  USERS_POLICY: oneOf({
    default: 'roles',
    values: ['roles', 'administrators', 'authenticated', 'open'],
    doc: "Who may call the users resource: by role and ownership; administrators, and owners for their own row; any caller; or anyone (not in production). The row of an ADMIN's account is changed and removed by its owner or an ADMIN at most.",
  }),
  POSTS_DELETE_POLICY: oneOf({
    default: 'admin',
    values: ['admin', 'owner'],
    doc: 'Who may delete a post: an ADMIN, or its author as well.',
  }),
  PAGE_LIMIT_MAX: integer({
    default: 0,
    min: 0,
    doc: 'Largest page of users v1 and of posts; 0: no cap.',
  }),
  ...oidcSettings,
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings

/** The 32 bytes of a master key. @throws Error whose message says what is wrong */
export function parseMasterKey(value: string): Uint8Array {
  const bytes = /^[0-9a-fA-F]{64}$/.test(value)
    ? Buffer.from(value, 'hex')
    : /^[A-Za-z0-9_-]{43}$/.test(value)
      ? Buffer.from(value, 'base64url')
      : undefined
  if (!bytes) throw new Error('must be 32 bytes, as 64 hex digits or 43 characters of base64url')
  assertVaried(bytes)
  return bytes
}

function assertHost(value: string): void {
  const host = isIP(value) === 6 ? `[${value}]` : value
  if (!/^[A-Za-z0-9.:-]+$/.test(value) || !URL.canParse(`http://${host}`)) {
    throw new Error('must be an address or a host name')
  }
}

function assertRsaKey(pem: string): void {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw new Error('must be an RSA private key in PEM')
  }
  assertSoundRsaKey(key)
}

function parseBaseUrl(value: string): string {
  if (!/^https?:\/\/[^\s/\\?#@]+\/?$/i.test(value) || !URL.canParse(value)) {
    throw new Error('must be an http or https address without a path')
  }
  return new URL(value).origin // as browsers write it
}

function parseOrigin(item: string): string {
  if (item === '*') return item
  if (!URL.canParse(item) || new URL(item).origin !== item || item.includes('*')) {
    throw new Error(`holds ${JSON.stringify(item)}, which is not an origin`)
  }
  return item
}

function parseAddresses(value: string): readonly string[] {
  if (value === 'none') return []
  const items = value.split(',').map((item) => item.trim())
  for (const item of items) parseAddressRange(item)
  return items
}

function parseBreachUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const { protocol, hostname, username, password, search, hash } = url ?? {}
  const safe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname ?? ''))
  if (!url || !safe || username || password || search || hash) {
    throw new Error('must be an https address (or http on loopback) without credentials or a query')
  }
  return url.href.replace(/\/+$/, '')
}
