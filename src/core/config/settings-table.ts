import { createPrivateKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { parseAddressRange } from '../addresses/address-ranges.ts'
import { parseListenAddress } from '../addresses/listen-address.ts'
import { isLoopback } from '../addresses/loopback.ts'
import { parsePostgresAddress } from '../database/postgres/address.ts'
import { gatehouse } from '../hints/command-line.ts'
import { canonicalUsername } from '../lib/username.ts'
import { contractRoles, parseRoleName, type RoleName } from '../policy/principal.ts'
import { assertSoundRsaKey } from '../secret-strength/rsa-key.ts'
import { assertStrongSecret } from '../secret-strength/signing-secret.ts'
import { assertVaried } from '../secret-strength/varied.ts'
import { parseWorkers } from '../workers/count.ts'
import { parseAuditSink } from './audit-sinks.ts'
import { backupSettings } from './backup-settings.ts'
import { integer, list, oneOf, optional, type Setting, secret, text } from './kinds.ts'
import { flowCookieName, oidcSettings, parseNamedRole } from './oidc-settings.ts'
import {
  hostBrowserCookieName,
  hostSessionCookieName,
  pageCookieName,
  peopleSettings,
} from './people-settings.ts'
import { tracesSettings } from './traces-settings.ts'

/** The result of a login: a cookie session, a token, or an access and a refresh token. */
export const loginModes = ['session', 'token', 'pair'] as const
export type LoginMode = (typeof loginModes)[number]

const maxPort = 65_535

/** Every setting, in the order of the documentation. Names and defaults: docs/configuration.md. */
export const settings = {
  HOST: text({ default: '127.0.0.1', doc: 'Address to listen on.', check: assertHost }),
  PORT: integer({
    default: 3000,
    min: 0,
    max: maxPort,
    doc: 'Port to listen on. 0 takes a free one, which only the log tells: BASE_URL and the `iss` of tokens keep the 0 unless BASE_URL is set.',
  }),
  BASE_URL: optional({
    shown: '`http://HOST:PORT`, with TLS_CERT_FILE `https://HOST:PORT`',
    doc: 'The address that callers use, without a path. `localhost` stands for the wildcard addresses. In production https, or http on a loopback address.',
    parse: parseBaseUrl,
  }),
  TLS_CERT_FILE: optional({
    doc: 'HTTPS without a proxy: a file with the certificate of the service and those of its issuers, PEM. Read again every ten seconds: a renewed certificate needs no restart.',
    parse: (value) => value,
  }),
  TLS_KEY_FILE: optional({
    doc: 'The file of its private key, PEM without a passphrase.',
    parse: (value) => value,
  }),
  HTTP_REDIRECT_PORT: optional({
    doc: 'With TLS_CERT_FILE: a port for plain HTTP, which redirects the navigation of a browser to BASE_URL and refuses everything else. 0 takes a free one, which only the log tells.',
    parse: parsePort,
  }),
  METRICS_ADDRESS: optional({
    shown: '(off)',
    doc: 'Serves `/metrics` alone, to anyone who reaches it and without TLS, at a port of its own: `127.0.0.1:9464`, `[::1]:9464`, `0.0.0.0:9464`. Only the monitoring should reach it. docs/monitoring.md',
    parse: parseListenAddress,
  }),
  DATA_DIR: text({ default: './data', doc: 'Folder of the SQLite file and the master key.' }),
  DATABASE_URL: secret({
    doc: 'Empty: the SQLite file `DATA_DIR/gatehouse.db`, for one machine. `postgres://user:password@host:5432/database`: PostgreSQL 14 or newer, for any number of nodes. Off this machine TLS is on and verified; `sslrootcert` names another authority, `sslcert` and `sslkey` a client certificate, `sslmode=disable` turns TLS off and `sslmode=no-verify` its verification.',
    check: (value) => void parsePostgresAddress(value, isLoopback),
  }),
  DATABASE_POOL_MAX: integer({
    default: 10,
    min: 2,
    doc: 'Maximum of connections of a node to PostgreSQL, besides one of each worker that listens for changes. WORKERS share it, two for each at least.',
  }),
  DATABASE_TIMEOUT_MS: integer({
    default: 2000,
    min: 1,
    doc: 'How long a change, and with PostgreSQL any query, waits for the database before it is answered 503; and how long a search, or a page of accounts by filters, may take in all. Milliseconds.',
  }),
  MASTER_KEY: secret({
    shown: 'made as `DATA_DIR/master.key`; required with PostgreSQL',
    doc: 'Encrypts the key set in the database: 32 bytes as 64 hex digits or base64url.',
    check: (value) => void parseMasterKey(value),
  }),
  MASTER_KEY_NEXT: secret({
    shown:
      'the file of MASTER_KEY, or `DATA_DIR/master.key`, with `.next` at its end, if there is one',
    doc: `The master key that \`${gatehouse} keys rotate-master\` turns to; each process knows both meanwhile. A file that is not there or empty names none. Files of master keys are read anew while the service runs.`,
    fileMayLack: true,
    check: (value) => void parseMasterKey(value),
  }),
  NODE_ENV: oneOf({
    default: 'development',
    values: ['development', 'production', 'test'],
    doc: '`production` refuses unsafe settings; `development` shows the failure text of a 500.',
  }),
  LOG_LEVEL: oneOf({
    default: 'info',
    values: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    doc: 'Security events and failures are logged at `info` and above, each request at `debug`.',
  }),
  LOG_ADDRESSES: oneOf({
    default: 'on',
    values: ['on', 'off'],
    doc: '`off` leaves the network address out of each line of the log that names a person. docs/personal-data.md',
  }),
  TRUST_PROXY: optional({
    shown: '`none` outside production',
    doc: 'Proxies whose X-Forwarded-For is trusted: a comma-separated list of addresses and CIDR ranges, or `none`. Must be set in production.',
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
    doc: 'The first administrator, created at the first start.',
    check: (value) => {
      if (canonicalUsername(value) === null) throw new Error('is not a valid username')
    },
  }),
  ADMIN_PASSWORD: secret({
    shown: 'random: shown once at a terminal, else in `DATA_DIR/first-password`',
    doc: 'Its password. Used at the first start only.',
  }),
  TOKEN_ALGORITHM: optional({
    shown:
      '`RS256`; `HS256` with `TOKEN_SECRET`; an installation that exists keeps what its keys are for',
    doc: 'Signs new access tokens: `RS256`, whose public keys other services find at `/.well-known/jwks.json`, or `HS256`. A key is generated if the key set has none.',
    parse: parseAlgorithm,
  }),
  TOKEN_RSA_BITS: integer({
    default: 2048,
    min: 2048,
    max: 8192,
    doc: 'Length of a generated RS256 key: 2048 verifies everywhere and signs fastest, 3072 is what long-lived keys should have. A key is never replaced by a shorter one.',
  }),
  TOKEN_SECRET: secret({
    shown: 'generated',
    doc: 'A signing secret of your own for access tokens by HS256: text of at least 32 bytes, as `openssl rand -base64 32` prints it. Production refuses what is publicly known or can be guessed.',
    check: assertStrongSecret,
  }),
  TOKEN_SECRET_PREVIOUS: secret({
    doc: 'The previous secret: it signs no tokens but still verifies them, so it must be as strong.',
    check: assertStrongSecret,
  }),
  TOKEN_PRIVATE_KEY: secret({
    shown: 'generated, `TOKEN_RSA_BITS`',
    doc: 'A signing key of your own for access tokens by RS256: an RSA key of at least 2048 bits, PEM.',
    check: assertRsaKey,
  }),
  KEY_ROTATION_DAYS: integer({
    default: 0,
    min: 0,
    doc: 'A generated signing key is replaced automatically once it is this old; 0: never. The new one is published 10 minutes before it signs, and tokens of the old one stay valid.',
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
    doc: 'Whether a refresh token can be used only once: /refresh answers a new one, and a second use revokes its token family.',
  }),
  REFRESH_GRACE_SECONDS: integer({
    default: 10,
    min: 0,
    doc: 'With rotation: a retry within this time gets the same new token again. Seconds.',
  }),
  CLIENTS_FILE: optional({
    doc: `A JSON file of the services that may ask here whether a token is active, end tokens, or read the metrics: \`${gatehouse} client add\` writes it, docs/use-it.md shows its format. Every node needs it; a changed file is taken up within a second.`,
    parse: (value) => value,
  }),
  FORWARD_AUTH_FILE: optional({
    doc: 'A JSON file of rules: who may open which application behind a proxy that asks here (docs/forward-auth.md). Their hosts count as `RETURN_ORIGINS`. Every node needs it; a changed file is taken up within a second, one with mistakes is not.',
    parse: (value) => value,
  }),
  SESSION_COOKIE_NAME: text({
    default: 'JSESSIONID',
    doc: 'Name of the session cookie, for instance `__Host-JSESSIONID`.',
    check: (value) => {
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(value)) throw new Error('is not a cookie name')
      if ([flowCookieName, pageCookieName].includes(value))
        throw new Error('is the name of the cookie of a sign-in')
      if ([hostSessionCookieName, hostBrowserCookieName].includes(value))
        throw new Error('is the name of a cookie at the hosts of applications')
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
    doc: 'A session ends this long after its login, even if it is in use; 0: never. Seconds.',
  }),
  SESSIONS_PER_ACCOUNT: integer({
    default: 100,
    min: 0,
    doc: 'Maximum of sessions of an account; a login beyond it ends the session that has been idle longest. 0: no limit.',
  }),
  LOGIN_FORM_MODE: oneOf({
    default: 'session',
    values: loginModes,
    doc: 'The result of a login by form that names no mode.',
  }),
  LOGIN_JSON_MODE: oneOf({
    default: 'token',
    values: loginModes,
    doc: 'The result of a login by JSON that names no mode.',
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
    doc: 'Failed logins per client address (IPv6: per /64), over all usernames, before 429; 0: no limit.',
  }),
  LOGIN_ADDRESS_WINDOW_SECONDS: integer({
    default: 3600,
    min: 1,
    doc: 'The sliding window of that count. Seconds.',
  }),
  LOGIN_LOCK_AFTER: integer({
    default: 10,
    min: 0,
    doc: 'Failed logins in a row, over all addresses, that lock an account for some time; 0: never. Its sessions and tokens stay valid.',
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
    doc: 'Backends that log their users in from one address: a comma-separated list of addresses and CIDR ranges. The last element of the X-Forwarded-For that such a caller sends is the client for the limits of a login; without one the limits count the caller. An address cannot be in TRUST_PROXY as well.',
    parse: parseAddresses,
  }),
  RATE_LIMIT_MAX: integer({
    default: 0,
    min: 0,
    doc: 'Requests per client address (IPv6: per /64) before 429, except for `/health/*`; 0: no limit.',
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
    doc: 'How recent the login must be for a change of a password, a second factor or a linked identity, and to appoint, demote, lock or delete an administrator. Seconds.',
  }),
  ROLES: list({
    doc: 'Roles of your own beside `USER`, `EDITOR` and `ADMIN`, comma-separated and in the order in which they are shown: capital letters, digits and `_`, at most 32 characters, and at most 64 names. They stand in accounts, tokens and answers, for your own services to go by; no route of this one asks for them. A name that is taken out grants nothing and is shown no more; accounts keep it until their roles are set anew.',
    parse: parseOwnRole,
  }),
  REQUIRE_SECOND_FACTOR: list({
    doc: 'Roles whose accounts must have a second factor, comma-separated: without one, a login only allows the enrolment of a factor.',
    parse: parseNamedRole,
  }),
  PASSWORD_MIN_LENGTH: integer({
    default: 12,
    min: 12,
    max: 128,
    doc: 'Minimum length of a new password, in code points.',
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
  HASHING_MEMORY_MIB: optional({
    shown: 'two hashes',
    doc: 'Memory for the password hashes that are computed at a time, each of PASSWORD_ARGON2_MEMORY_KIB; a login waits while all of it is in use. 57 MiB hold three hashes, which on two cores let a tenth more logins through; for more than three, set UV_THREADPOOL_SIZE to one more than their number. MiB.',
    parse: integer({ doc: '', default: 38, min: 19, max: 1_048_576 }).parse,
  }),
  PASSWORD_BREACH_URL: optional({
    doc: 'A service of breached passwords with range queries, for instance `https://api.pwnedpasswords.com/range`: only five hex digits of the SHA-1 are sent. If it does not answer, the password is accepted.',
    parse: parseBreachUrl,
  }),
  USERS_POLICY: oneOf({
    default: 'roles',
    values: ['roles', 'administrators', 'authenticated', 'open'],
    doc: "Who may call the users resource: by role and ownership; administrators, and owners for their own row; any caller; or anyone (not in production). Only its owner or an ADMIN may change or remove the row of an ADMIN's account.",
  }),
  POSTS_DELETE_POLICY: oneOf({
    default: 'admin',
    values: ['admin', 'owner'],
    doc: 'Who may delete a post: an ADMIN, or its author as well.',
  }),
  PAGE_LIMIT_MAX: integer({
    default: 0,
    min: 0,
    doc: 'Maximum page size of users v1 and of posts; 0: no limit.',
  }),
  AUDIT_CHECKPOINT_SECONDS: integer({
    default: 10,
    min: 1,
    doc: 'How old a record of the audit log may be before a signed checkpoint covers it. Seconds.',
  }),
  AUDIT_RETENTION_DAYS: integer({
    default: 365,
    min: 0,
    doc: 'Records of the audit log are removed after this many days, and a signed tombstone stays; 0: never.',
  }),
  AUDIT_SINKS: list({
    doc: 'Places outside the database to which the audit log is sent, comma-separated: `file:/path`, `syslog://host:514` (UDP), `syslog+tcp://host:601`, `syslog+tls://host:6514` with `?ca=`, `&cert=` and `&key=` for files in PEM. They get records with pseudonyms in place of persons, and checkpoints. Checkpoints go to `DATA_DIR/audit-checkpoints.jsonl` in any case. docs/audit.md',
    parse: parseAuditSink,
  }),
  WEBHOOK_ADDRESSES: list({
    doc: 'Private addresses and CIDR ranges that webhooks may go to, comma-separated: `10.20.0.0/16`. Without it only public ones, and outside production loopback. Metadata addresses of clouds are refused in any case. docs/webhooks.md',
    parse: (value) => {
      parseAddressRange(value)
      return value
    },
  }),
  CONSOLE: oneOf({
    default: 'on',
    values: ['on', 'off'],
    doc: 'The console at `/admin`: administration in a browser. `off` leaves it out; the API stays. docs/console.md',
  }),
  CONSOLE_ADDRESSES: list({
    shown: '(any)',
    doc: 'Addresses and CIDR ranges from which the console may be opened, comma-separated: `10.0.0.0/8, 2001:db8::/32`. Others get 403 at `/admin`; the API is not limited by it.',
    parse: (value) => {
      parseAddressRange(value)
      return value
    },
  }),
  REFUSALS_MAX: integer({
    default: 10_000,
    min: 0,
    doc: `How many refusals are kept for 24 hours with their reasons, for \`${gatehouse} explain\`; a tenth of them of one address. 0: none.`,
  }),
  WORKERS: {
    ...integer({
      default: 1,
      min: 1,
      doc: 'Processes that serve, at most 32, or `auto`: one for each core that is available. They share the port, the log, the jobs and all limits; more than there are cores cost memory and gain nothing.',
    }),
    parse: parseWorkers,
  },
  ...peopleSettings,
  ...backupSettings,
  ...tracesSettings,
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

export type SigningAlgorithm = 'HS256' | 'RS256'

function parseAlgorithm(value: string): SigningAlgorithm {
  if (value === 'HS256' || value === 'RS256') return value
  throw new Error('must be one of HS256, RS256')
}

/** The name of a role that the operator adds. @throws Error whose message says what is wrong */
function parseOwnRole(item: string): RoleName {
  if (contractRoles.some((role) => role === item)) {
    throw new Error(`holds ${item}, which every installation has`)
  }
  const name = parseRoleName(item)
  // With the prefix, which is removed wherever a role is named, the name would never be met again.
  if (name === null || name !== item) {
    throw new Error(
      `holds ${JSON.stringify(item)}: a name is 1 to 32 capital letters, digits and _, begins with a letter, and not with ROLE_`,
    )
  }
  return name
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

function parsePort(value: string): number {
  if (!/^[0-9]{1,5}$/.test(value) || Number(value) > maxPort) {
    throw new Error(`must be a whole number from 0 to ${maxPort}`)
  }
  return Number(value)
}

function parseBaseUrl(value: string): string {
  if (!/^https?:\/\/[^\s/\\?#@]+\/?$/i.test(value) || !URL.canParse(value)) {
    throw new Error('must be an http or https address without a path')
  }
  return new URL(value).origin // the form in which browsers send it
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
  for (const item of items) {
    parseAddressRange(item)
    if (/\/0+$/.test(item)) throw new Error(`holds ${item}, which is every address`)
  }
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
