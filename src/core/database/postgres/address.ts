import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { Secret } from '../../crypto/secret.ts'

/** The content of `DATABASE_URL`. */
export interface PostgresAddress {
  /** A name, an address, or the folder of a unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: Secret | undefined
  readonly applicationName: string
  /** Session settings, as `-c name=value`. */
  readonly options: string | undefined
  readonly tls: PostgresTls | 'off'
}

export interface PostgresTls {
  /** Whether to verify the certificate's host and issuer. */
  readonly verifies: boolean
  /** PEM; replaces Node's trusted authorities. */
  readonly authority: string | undefined
  readonly certificate: string | undefined
  readonly key: Secret | undefined
}

const parameters = new Set([
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'host',
  'application_name',
  'options',
])

const severalHosts = 'names several hosts: give one address that follows the primary'

/**
 * Parses `postgres://user:password@host:port/database`. TLS is the default except for localhost.
 * `require` verifies the certificate too; only `no-verify` allows a man in the middle.
 * @throws Error without the password in its message
 */
export function parsePostgresAddress(
  text: string,
  isLoopback: (host: string) => boolean,
): PostgresAddress {
  // URL.parse rejects libpq's list of hosts with ports.
  const [, hosts = ''] = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^@/?#]*)(?:[/?#]|$)/.exec(text) ?? []
  if (hosts.includes(',')) throw new Error(severalHosts)
  const url = URL.parse(text)
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new Error('must be empty, or postgres://user:password@host/database')
  }
  const given = url.searchParams
  for (const name of given.keys()) {
    if (!parameters.has(name)) throw new Error(`has a parameter that is not supported: ${name}`)
  }
  const host = given.get('host') ?? decoded(url.hostname.replace(/^\[|\]$/g, ''))
  if (host.includes(',')) throw new Error(severalHosts)
  const database = decoded(url.pathname.slice(1))
  const user = decoded(url.username)
  if (host === '' || database === '' || database.includes('/') || user === '') {
    throw new Error('must name a user, a host and a database: postgres://user@host/database')
  }
  return {
    host,
    port: Number(url.port || 5432),
    database,
    user,
    password: url.password === '' ? undefined : new Secret(decoded(url.password)),
    applicationName: given.get('application_name') ?? 'gatehouse',
    options: given.get('options') ?? undefined,
    tls: tlsOf(given, host.startsWith('/') || isLoopback(host)),
  }
}

/** Whether a man in the middle is possible. */
export function isUnguarded(
  { host, tls }: PostgresAddress,
  isLoopback: (host: string) => boolean,
): boolean {
  return !host.startsWith('/') && !isLoopback(host) && (tls === 'off' || !tls.verifies)
}

/** Options of a `pg` client. */
export function connectionOf(address: PostgresAddress) {
  const { host, port, database, user, password, applicationName, options, tls } = address
  const ssl: ConnectionOptions | false = tls === 'off' ? false : tlsOptions(tls)
  return {
    host,
    port,
    database,
    user,
    password: password?.reveal(),
    application_name: applicationName,
    ...(options !== undefined && { options }),
    ssl,
    enableChannelBinding: ssl !== false, // RFC 5802 section 6
  }
}

function tlsOptions({ verifies, authority, certificate, key }: PostgresTls): ConnectionOptions {
  return {
    rejectUnauthorized: verifies,
    ...(authority !== undefined && { ca: authority }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key: key.reveal() }),
  }
}

function tlsOf(given: URLSearchParams, isLocal: boolean): PostgresAddress['tls'] {
  const mode = given.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full')
  const key = fileOf(given, 'sslkey')
  const files = {
    authority: fileOf(given, 'sslrootcert'),
    certificate: fileOf(given, 'sslcert'),
    key: key === undefined ? undefined : new Secret(key),
  }
  switch (mode) {
    case 'disable':
      return 'off'
    case 'require':
    case 'verify-full':
      return { verifies: true, ...files }
    case 'no-verify':
      return { verifies: false, ...files }
  }
  throw new Error('has another sslmode than disable, require, verify-full or no-verify')
}

function fileOf(given: URLSearchParams, name: string): string | undefined {
  const path = given.get(name)
  if (path === null) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new Error(`names a file in ${name} that cannot be read`)
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Error('has a % that is no escape: a password with one needs %25')
  }
}
