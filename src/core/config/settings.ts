import { isIP } from 'node:net'
import { overlap, parseAddressRange } from '../addresses/address-ranges.ts'
import { isLoopback } from '../addresses/loopback.ts'
import { isUnguarded, parsePostgresAddress } from '../database/postgres/address.ts'
import type { RoleName } from '../policy/principal.ts'
import { parseWorkers } from '../workers/count.ts'
import { integer, list, oneOf, optional, secret, text, type Values } from './kinds.ts'
import type { ConfigOf, Group, KeptFiles, Reading, SettingValues } from './load.ts'
import { parseOwnRole, rolesOf } from './roles.ts'
import { readTlsPair, type TlsFiles, type TlsReading } from './tls.ts'

const maxPort = 65_535

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
  DATA_DIR: text({ default: './data', doc: 'Folder of the SQLite file and the master key.' }),
  DATABASE_URL: {
    ...secret({
      doc: 'Empty: the SQLite file `DATA_DIR/gatehouse.db`, for one machine. `postgres://user:password@host:5432/database`: PostgreSQL 14 or newer, for any number of nodes. Off this machine TLS is on and verified; `sslrootcert` names another authority, `sslcert` and `sslkey` a client certificate, `sslmode=disable` turns TLS off and `sslmode=no-verify` its verification.',
      check: (value) => void parsePostgresAddress(value, isLoopback),
    }),
    isOfAllCommands: true,
  },
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
    doc: 'Largest request body; most forms and routes of a few fields read 16 KiB at most.',
  }),
  CORS_ORIGINS: list({
    doc: 'Origins that browsers may call from, comma-separated and exact; `*` only outside production.',
    parse: parseOrigin,
  }),
  LOGIN_TRUSTED_NETWORKS: optional({
    formerly: 'LOGIN_TRUSTED_CALLERS',
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
  REAUTHENTICATE_SECONDS: integer({
    default: 900,
    min: 0,
    doc: 'How recent the login must be for a change of a password, a second factor or a linked identity, and to appoint, demote, lock or delete an administrator. Seconds.',
  }),
  ROLES: list({
    doc: 'Roles of your own beside `USER`, `EDITOR` and `ADMIN`, comma-separated and in the order in which they are shown: capital letters, digits and `_`, at most 32 characters, and at most 64 names. They stand in accounts, tokens and answers, for your own services to go by; no route of this one asks for them. A name that is taken out grants nothing and is shown no more; accounts keep it until their roles are set anew.',
    parse: parseOwnRole,
  }),
  PAGE_LIMIT_MAX: integer({
    default: 0,
    min: 0,
    doc: 'Maximum page size of users v1 and of posts; 0: no limit.',
  }),
  WORKERS: {
    ...integer({
      default: 1,
      min: 1,
      doc: 'Processes that serve, at most 32, or `auto`: one for each core that is available. They share the port, the log, the jobs and all limits; more than there are cores cost memory and gain nothing.',
    }),
    parse: parseWorkers,
  },
}

declare module '../workers/topics.ts' {
  interface Kept extends KeptFiles {}
}

declare module './load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
  interface HttpConfig extends Group<typeof configure, 'http'> {}
  interface LoginConfig extends Group<typeof configure, 'login'> {}
}

export function configure({ isMisread, values }: Reading) {
  const baseUrl = baseUrlOf(values)
  const postgres =
    values.DATABASE_URL && parsePostgresAddress(values.DATABASE_URL.reveal(), isLoopback)
  const tls = readTls(values)
  return {
    config: {
      environment: values.NODE_ENV,
      logLevel: values.LOG_LEVEL,
      /** Also in log lines that name a person. */
      logsAddresses: values.LOG_ADDRESSES === 'on',
      baseUrl,
      http: {
        host: values.HOST,
        port: values.PORT,
        /** Undefined: plain HTTP. */
        tls: tlsFilesOf(values),
        redirectPort: values.HTTP_REDIRECT_PORT,
        bodyLimitBytes: values.BODY_LIMIT_BYTES,
        corsOrigins: values.CORS_ORIGINS,
        trustedProxies: values.TRUST_PROXY ?? [],
        rateLimit: { max: values.RATE_LIMIT_MAX, windowSeconds: values.RATE_LIMIT_WINDOW_SECONDS },
      },
      database: {
        dataDirectory: values.DATA_DIR,
        postgres,
        poolMax: values.DATABASE_POOL_MAX,
        timeoutMs: values.DATABASE_TIMEOUT_MS,
      },
      login: {
        reauthenticateSeconds: values.REAUTHENTICATE_SECONDS,
        trustedNetworks: values.LOGIN_TRUSTED_NETWORKS ?? [],
      },
      /** In display order. */
      roles: rolesOf(values),
      lists: { pageLimitMax: values.PAGE_LIMIT_MAX },
      workers: values.WORKERS,
    },
    mistakes: [
      ...contradictions(values, baseUrl),
      ...tls.mistakes,
      ...(isMisread('ROLES') ? [] : mistakesOfRoles(values.ROLES)),
    ],
    warnings: [
      ...tls.warnings,
      ...(postgres && isUnguarded(postgres, isLoopback)
        ? ['DATABASE_URL: what goes to the database and back is not guarded by verified TLS']
        : []),
    ],
    derived: { BASE_URL: baseUrl, TRUST_PROXY: 'none' },
  }
}

/** Without a trailing slash. */
export function baseUrlOf(values: SettingValues): string {
  const { BASE_URL, HOST, PORT } = values
  if (BASE_URL !== undefined) return BASE_URL
  const wildcard = HOST === '0.0.0.0' || HOST === '::'
  const host = wildcard ? 'localhost' : isIP(HOST) === 6 ? `[${HOST}]` : HOST
  return new URL(`${tlsFilesOf(values) ? 'https' : 'http'}://${host}:${PORT}`).origin
}

// A transaction must not take the only connection.
const minPoolPerWorker = 2

function contradictions(values: SettingValues, baseUrl: string): string[] {
  const mistakes: string[] = []
  const least = minPoolPerWorker * values.WORKERS
  if (values.DATABASE_URL && values.DATABASE_POOL_MAX < least) {
    mistakes.push(
      `DATABASE_POOL_MAX must be at least ${least}: two connections for each of WORKERS`,
    )
  }
  const proxies = (values.TRUST_PROXY ?? []).map(parseAddressRange)
  for (const caller of (values.LOGIN_TRUSTED_NETWORKS ?? []).map(parseAddressRange)) {
    const proxy = proxies.find((range) => overlap(range, caller))
    if (!proxy) continue
    const both = caller.text === proxy.text ? caller.text : `${caller.text}, in ${proxy.text}`
    mistakes.push(`LOGIN_TRUSTED_NETWORKS must not hold what TRUST_PROXY holds: ${both}`)
  }
  if (values.NODE_ENV !== 'production') return mistakes
  const base = new URL(baseUrl)
  if (base.protocol === 'http:' && !isLoopback(base.hostname)) {
    mistakes.push('BASE_URL must be https in production: Basic credentials and cookies need it')
  }
  if (values.TRUST_PROXY === undefined) {
    mistakes.push('TRUST_PROXY must be set in production: the proxies in front, or none')
  }
  if (values.CORS_ORIGINS.includes('*')) {
    mistakes.push('CORS_ORIGINS must not be * in production')
  }
  return mistakes
}

const maxOwnRoles = 64 // keeps tokens well below the accepted length

function mistakesOfRoles(roles: readonly RoleName[]): string[] {
  const twice = new Set(roles.filter((role, index) => roles.indexOf(role) !== index))
  return [
    ...[...twice].map((role) => `ROLES holds ${role} twice`),
    ...(roles.length > maxOwnRoles ? [`ROLES must hold at most ${maxOwnRoles} names`] : []),
  ]
}

/** Also reads the files. */
function readTls(values: SettingValues): Pick<TlsReading, 'mistakes' | 'warnings'> {
  const { TLS_CERT_FILE, TLS_KEY_FILE, HTTP_REDIRECT_PORT: redirectPort, PORT, BASE_URL } = values
  const mistakes: string[] = []
  if (TLS_CERT_FILE && !TLS_KEY_FILE) mistakes.push('TLS_KEY_FILE must be set with TLS_CERT_FILE')
  if (TLS_KEY_FILE && !TLS_CERT_FILE) mistakes.push('TLS_CERT_FILE must be set with TLS_KEY_FILE')
  const files = tlsFilesOf(values)
  if (redirectPort !== undefined && !TLS_CERT_FILE && !TLS_KEY_FILE) {
    mistakes.push('HTTP_REDIRECT_PORT must not be set without TLS_CERT_FILE and TLS_KEY_FILE')
  }
  if (redirectPort !== undefined && redirectPort !== 0 && redirectPort === PORT) {
    mistakes.push('HTTP_REDIRECT_PORT must not be PORT, which is for HTTPS')
  }
  if (!files) return { mistakes, warnings: [] }
  if (BASE_URL?.startsWith('http:')) mistakes.push('BASE_URL must be https with TLS_CERT_FILE')
  const reading = readTlsPair(files, { baseUrl: baseUrlOf(values) })
  return { mistakes: [...mistakes, ...reading.mistakes], warnings: reading.warnings }
}

function tlsFilesOf({ TLS_CERT_FILE, TLS_KEY_FILE }: SettingValues): TlsFiles | undefined {
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return undefined
  return { certFile: TLS_CERT_FILE, keyFile: TLS_KEY_FILE }
}

function assertHost(value: string): void {
  const host = isIP(value) === 6 ? `[${value}]` : value
  if (!/^[A-Za-z0-9.:-]+$/.test(value) || !URL.canParse(`http://${host}`)) {
    throw new Error('must be an address or a host name')
  }
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
  return new URL(value).origin // as browsers send it
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
