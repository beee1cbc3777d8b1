import { isIP } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { overlap, parseAddressRange } from '../addresses/address-ranges.ts'
import { isLoopback } from '../addresses/loopback.ts'
import { isUnguarded, parsePostgresAddress } from '../database/postgres/address.ts'
import { passwordRefusal } from '../lib/password.ts'
import { contractRoles, type Role, type RoleName } from '../policy/principal.ts'
import { secretAdvice, secretWeaknesses } from '../secret-strength/configured.ts'
import { auditSinkMistakes } from './audit-sinks.ts'
import { type Branding, readBranding } from './branding.ts'
import { type ClientsReading, readClients } from './clients-file.ts'
import { type ForwardReading, readForwardFile } from './forward-file.ts'
import { type HashingSettings, hashesAtOnce, hashingMistakes, hashingWarnings } from './hashing.ts'
import { type SettingInForce, settingsInForce } from './in-force.ts'
import { readSettings, type Values } from './kinds.ts'
import { parseMailServer } from './mail.ts'
import { misspeltSettings } from './misspelt.ts'
import { type ModuleSettings, type ModuleValues, readModuleSettings } from './module-settings.ts'
import {
  type ProvidersReading,
  providerContradictions,
  providerWarnings,
  readProviders,
  toProvider,
  unknownRoles,
} from './oidc.ts'
import { notRole, prefixed } from './oidc-settings.ts'
import { settings } from './settings-table.ts'
import { readTlsPair, type TlsFiles, type TlsReading } from './tls.ts'

type SettingValues = Values<typeof settings>

export type Config = ReturnType<typeof toConfig>
export type ProviderConfig = Config['providers'][number]

/** All mistakes of a configuration, one per line, and below them the names that may be misspelt. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[]
  readonly misspelt: readonly string[]

  constructor(mistakes: readonly string[], misspelt: readonly string[] = []) {
    const lines = [...mistakes, ...secretAdvice(mistakes.map(settingOf)), ...misspelt]
    super(
      `Gatehouse cannot start with these settings:\n${lines.map((line) => `  ${line}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.mistakes = mistakes
    this.misspelt = misspelt
  }
}

/** What a process before this one has read of files, by their settings: it counts if they broke since. */
export interface KeptFiles {
  readonly CLIENTS_FILE?: ClientsReading['clients']
  readonly FORWARD_AUTH_FILE?: ForwardReading['rules']
}

/**
 * Reads the settings of an environment, with those that modules from outside bring.
 * @throws ConfigError that lists every mistake
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  tables: readonly ModuleSettings[] = [],
  kept: KeptFiles = {},
): Config {
  const { values, mistakes, warnings } = readSettings(settings, env)
  const oidc = readProviders(values, env)
  mistakes.push(...oidc.mistakes)
  warnings.push(...oidc.warnings, ...providerWarnings(oidc.providers))
  const ofModules = readModuleSettings(tables, env)
  mistakes.push(...ofModules.mistakes)
  warnings.push(...ofModules.warnings)
  const clients = goodOr(
    readClients(values.CLIENTS_FILE, { audience: values.TOKEN_AUDIENCE }),
    kept.CLIENTS_FILE && { clients: kept.CLIENTS_FILE, mistakes: [], warnings: [] },
  )
  mistakes.push(...clients.mistakes)
  warnings.push(...clients.warnings)
  const forward = goodOr(
    forwardOf(values, mistakes),
    kept.FORWARD_AUTH_FILE && { rules: kept.FORWARD_AUTH_FILE, mistakes: [], warnings: [] },
  )
  mistakes.push(...forward.mistakes)
  warnings.push(...forward.warnings)
  const { mistakes: ofBranding, ...branding } = brandingOf(values)
  mistakes.push(...ofBranding)
  // A setting that could not be read takes part in no contradiction.
  const misread = new Set(mistakes.map(settingOf))
  const ownRoles = misread.has('ROLES') ? null : values.ROLES
  const tls = readTls(values)
  warnings.push(...tls.warnings)
  const hashing = hashingOf(values, env)
  warnings.push(...hashingWarnings(hashing), ...metricsWarnings(values))
  if (values.CONSOLE === 'off' && values.CONSOLE_ADDRESSES.length > 0) {
    warnings.push('CONSOLE_ADDRESSES has no effect while CONSOLE is off')
  }
  const all = [
    ...contradictions(values),
    ...hashingMistakes(hashing),
    ...metricsMistakes(values),
    ...mailMistakes(values),
    ...tls.mistakes,
    ...(ownRoles ? roleContradictions(values, ownRoles) : []),
    ...providerContradictions(oidc.providers, { ...about(values), ownRoles }),
  ]
  mistakes.push(...all.filter((line) => !misread.has(settingOf(line))))
  const named = oidc.providers.map(({ prefix }) => prefixed(prefix))
  const misspelt = misspeltSettings(env, [settings, ...tables.map(({ table }) => table), ...named])
    // These are mistakes, which name what is near.
    .filter((line) => !line.startsWith('OIDC_'))
  if (mistakes.length > 0) throw new ConfigError(mistakes, misspelt)
  warnings.push(...misspelt)
  const masterKeyFiles = masterKeyFilesOf(env)
  const inForce = (derived: Readonly<Record<string, string>>) =>
    settingsInForce([settings, ...tables.map(({ table }) => table)], env, derived)
  const read = { ofModules, branding, clients, forward, hashing, inForce, masterKeyFiles }
  return toConfig(values, { ...oidc, ...read, warnings, misspelt })
}

/** What was read, or if it has mistakes what was kept, if anything was. */
function goodOr<T extends { readonly mistakes: readonly string[] }>(
  reading: T,
  kept: T | undefined,
): T {
  return reading.mistakes.length > 0 && kept ? kept : reading
}

/** The setting of a mistake, whose name it begins with. */
function settingOf(mistake: string): string {
  return mistake.split(' ', 1)[0] ?? ''
}

/** Reads the rules; without those of ROLES if that setting has mistakes, which are told. */
function forwardOf(values: SettingValues, mistakes: readonly string[]): ForwardReading {
  const isMisread = mistakes.some((mistake) => settingOf(mistake) === 'ROLES')
  const reading = readForwardFile(values.FORWARD_AUTH_FILE, isMisread ? null : rolesOf(values))
  if (values.FORWARD_AUTH_FILE === undefined || values.TRUST_PROXY?.length) return reading
  const warning = 'FORWARD_AUTH_FILE: TRUST_PROXY names no proxy, and others are not answered'
  return { ...reading, warnings: [...reading.warnings, warning] }
}

/** All roles: names become roles here and in `toProvider`, and contradictions let no others through. */
function rolesOf({ ROLES }: SettingValues): readonly Role[] {
  return [...contractRoles, ...(ROLES as readonly Role[])]
}

function brandingOf({ PAGES_LANGUAGE, PAGES_LOGO_FILE, PAGES_TEXTS_FILE }: SettingValues) {
  return readBranding(PAGES_LOGO_FILE, PAGES_TEXTS_FILE, PAGES_LANGUAGE)
}

function mailMistakes({ MAIL_FROM, SIGN_IN_BY_MAIL, SIGN_UP, SMTP_URL, ...more }: SettingValues) {
  const mistakes: string[] = []
  if (SMTP_URL && !MAIL_FROM) mistakes.push('MAIL_FROM must be set with SMTP_URL')
  const hasMail = SMTP_URL !== undefined || more.NODE_ENV !== 'production'
  if (SIGN_UP !== 'off' && !hasMail) mistakes.push('SIGN_UP must be off without SMTP_URL')
  if (SIGN_IN_BY_MAIL === 'on' && !hasMail) {
    mistakes.push('SIGN_IN_BY_MAIL must be off without SMTP_URL')
  }
  return mistakes
}

function metricsMistakes({ HOST, METRICS_ADDRESS: metrics, PORT }: SettingValues): string[] {
  const isSame = metrics?.host === HOST && metrics.port === PORT && PORT !== 0
  return isSame ? ['METRICS_ADDRESS must not be HOST and PORT, where the service listens'] : []
}

function metricsWarnings({ METRICS_ADDRESS: metrics }: SettingValues): string[] {
  if (!metrics || isLoopback(metrics.host)) return []
  return [
    'METRICS_ADDRESS is no loopback address and asks for no credential: only the monitoring should reach it',
  ]
}

/** Checks the settings of TLS against each other, and reads the files that they name. */
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
  const reading = readTlsPair(files, { baseUrl: BASE_URL ?? defaultBaseUrl(values) })
  return { mistakes: [...mistakes, ...reading.mistakes], warnings: reading.warnings }
}

function tlsFilesOf({ TLS_CERT_FILE, TLS_KEY_FILE }: SettingValues): TlsFiles | undefined {
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return undefined
  return { certFile: TLS_CERT_FILE, keyFile: TLS_KEY_FILE }
}

function hashingOf(
  values: SettingValues,
  env: Readonly<Record<string, string | undefined>>,
): HashingSettings {
  return {
    memoryMib: values.HASHING_MEMORY_MIB,
    argon2MemoryKib: values.PASSWORD_ARGON2_MEMORY_KIB,
    poolSize: env.UV_THREADPOOL_SIZE,
  }
}

// As with one process: a transaction must not take the only connection.
const minPoolPerWorker = 2

function contradictions(values: SettingValues): string[] {
  const mistakes: string[] = []
  const adminPassword = values.ADMIN_PASSWORD?.reveal()
  const refusal =
    adminPassword === undefined
      ? undefined
      : passwordRefusal(adminPassword, values.PASSWORD_MIN_LENGTH)
  if (refusal) mistakes.push(`ADMIN_PASSWORD ${refusal}`)
  if (values.DATABASE_URL && !values.MASTER_KEY) {
    mistakes.push('MASTER_KEY must be set with PostgreSQL: every node needs the same')
  }
  if (values.DATABASE_URL && values.DATABASE_POOL_MAX < minPoolPerWorker * values.WORKERS) {
    const least = minPoolPerWorker * values.WORKERS
    mistakes.push(
      `DATABASE_POOL_MAX must be at least ${least}: two connections for each of WORKERS`,
    )
  }
  if (values.BACKUP_DIR && !values.BACKUP_PASSPHRASE) {
    mistakes.push('BACKUP_PASSPHRASE must be set with BACKUP_DIR: every backup is encrypted')
  }
  mistakes.push(...auditSinkMistakes(values.AUDIT_SINKS, checkpointsFileOf(values)))
  const proxies = (values.TRUST_PROXY ?? []).map(parseAddressRange)
  for (const caller of (values.LOGIN_TRUSTED_CALLERS ?? []).map(parseAddressRange)) {
    const proxy = proxies.find((range) => overlap(range, caller))
    if (!proxy) continue
    const both = caller.text === proxy.text ? caller.text : `${caller.text}, in ${proxy.text}`
    mistakes.push(`LOGIN_TRUSTED_CALLERS must not hold what TRUST_PROXY holds: ${both}`)
  }
  if (values.NODE_ENV !== 'production') return mistakes
  for (const [name, weakness] of secretWeaknesses(values)) mistakes.push(`${name} ${weakness}`)
  const base = new URL(values.BASE_URL ?? defaultBaseUrl(values))
  if (base.protocol === 'http:' && !isLoopback(base.hostname)) {
    mistakes.push('BASE_URL must be https in production: Basic credentials and cookies need it')
  }
  if (values.TRUST_PROXY === undefined) {
    mistakes.push('TRUST_PROXY must be set in production: the proxies in front, or none')
  }
  if (values.CORS_ORIGINS.includes('*')) {
    mistakes.push('CORS_ORIGINS must not be * in production')
  }
  if (values.USERS_POLICY === 'open') {
    mistakes.push('USERS_POLICY must not be open in production')
  }
  return mistakes
}

const maxOwnRoles = 64 // with all of them a token stays well below the longest that is accepted

function roleContradictions(values: SettingValues, ownRoles: readonly RoleName[]): string[] {
  const twice = new Set(ownRoles.filter((role, index) => ownRoles.indexOf(role) !== index))
  return [
    ...[...twice].map((role) => `ROLES holds ${role} twice`),
    ...(ownRoles.length > maxOwnRoles ? [`ROLES must hold at most ${maxOwnRoles} names`] : []),
    ...(['REQUIRE_SECOND_FACTOR', 'SIGN_UP_ROLES'] as const).flatMap((name) =>
      unknownRoles(values[name], ownRoles).map((role) => `${name} ${notRole(role)}`),
    ),
  ]
}

function about(values: SettingValues) {
  return {
    isProduction: values.NODE_ENV === 'production',
    ownIssuer: values.TOKEN_ISSUER ?? values.BASE_URL ?? defaultBaseUrl(values),
  }
}

function postgresOf({ DATABASE_URL }: SettingValues) {
  return DATABASE_URL && parsePostgresAddress(DATABASE_URL.reveal(), isLoopback)
}

/** The files of the master key and of the next one, if the settings name any. */
interface MasterKeyFiles {
  readonly present: string | undefined
  readonly next: string | undefined
}

function masterKeyFilesOf(env: Readonly<Record<string, string | undefined>>): MasterKeyFiles {
  const present = env.MASTER_KEY_FILE || undefined
  const beside = present && !env.MASTER_KEY_NEXT ? `${present}.next` : undefined
  return { present, next: env.MASTER_KEY_NEXT_FILE || beside }
}

/** What was read beside the table of settings, and the warnings of all. */
interface Readings extends Pick<ProvidersReading, 'providers'> {
  readonly ofModules: Pick<ModuleValues, 'values'>
  readonly clients: Pick<ClientsReading, 'clients'>
  readonly forward: Pick<ForwardReading, 'rules'>
  readonly branding: Branding
  readonly hashing: HashingSettings
  readonly masterKeyFiles: MasterKeyFiles
  readonly inForce: (derived: Readonly<Record<string, string>>) => readonly SettingInForce[]
  readonly warnings: readonly string[]
  readonly misspelt: readonly string[]
}

function toConfig(values: SettingValues, { providers, ...read }: Readings) {
  const postgres = postgresOf(values)
  const warnings = [...read.warnings]
  if (postgres && isUnguarded(postgres, isLoopback)) {
    warnings.push('DATABASE_URL: what goes to the database and back is not guarded by verified TLS')
  }
  if (values.OTEL_EXPORTER_OTLP_HEADERS && goesUnguarded(values.OTEL_EXPORTER_OTLP_ENDPOINT)) {
    warnings.push('OTEL_EXPORTER_OTLP_HEADERS: what goes to the collector is not guarded by TLS')
  }
  if (values.NODE_ENV !== 'production') warnings.push(...secretWarnings(values))
  if (isBelow(values.BACKUP_DIR, values.DATA_DIR)) {
    warnings.push('BACKUP_DIR is in DATA_DIR: what destroys the database destroys its backups')
  }
  const baseUrl = values.BASE_URL ?? defaultBaseUrl(values)
  const roles = rolesOf(values)
  return deepFreeze({
    warnings,
    /** Those of the warnings that name a variable which is no setting, though its name is near one. */
    misspelt: read.misspelt,
    environment: values.NODE_ENV,
    logLevel: values.LOG_LEVEL,
    /** Whether a line of the log that names a person has the network address. */
    logsAddresses: values.LOG_ADDRESSES === 'on',
    baseUrl,
    http: {
      host: values.HOST,
      port: values.PORT,
      /** Undefined: the service speaks plain HTTP. */
      tls: tlsFilesOf(values),
      redirectPort: values.HTTP_REDIRECT_PORT,
      metricsAddress: values.METRICS_ADDRESS,
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
    masterKey: values.MASTER_KEY,
    nextMasterKey: read.masterKeyFiles.next === undefined ? values.MASTER_KEY_NEXT : undefined,
    /** They are read anew while the service runs. */
    masterKeyFiles: read.masterKeyFiles,
    admin: { username: values.ADMIN_USERNAME, password: values.ADMIN_PASSWORD },
    token: {
      /** Undefined: `accessAlgorithm` of keys/algorithm.ts decides by the key set. */
      algorithm: values.TOKEN_ALGORITHM,
      rsaBits: values.TOKEN_RSA_BITS,
      secret: values.TOKEN_SECRET,
      previousSecret: values.TOKEN_SECRET_PREVIOUS,
      privateKey: values.TOKEN_PRIVATE_KEY,
      issuer: values.TOKEN_ISSUER ?? baseUrl,
      audience: values.TOKEN_AUDIENCE,
      singleSeconds: values.TOKEN_SECONDS,
      accessSeconds: values.ACCESS_TOKEN_SECONDS,
      refreshSeconds: values.REFRESH_TOKEN_SECONDS,
      rotationDays: values.KEY_ROTATION_DAYS,
      rotatesRefresh: values.REFRESH_ROTATION === 'on',
      refreshGraceSeconds: values.REFRESH_GRACE_SECONDS,
    },
    session: {
      cookieName: values.SESSION_COOKIE_NAME,
      idleSeconds: values.SESSION_IDLE_SECONDS,
      absoluteSeconds: values.SESSION_ABSOLUTE_SECONDS,
      maxPerAccount: values.SESSIONS_PER_ACCOUNT,
    },
    login: {
      formMode: values.LOGIN_FORM_MODE,
      jsonMode: values.LOGIN_JSON_MODE,
      reauthenticateSeconds: values.REAUTHENTICATE_SECONDS,
      perUsername: {
        attempts: values.LOGIN_ATTEMPTS,
        windowSeconds: values.LOGIN_WINDOW_SECONDS,
      },
      perAddress: {
        attempts: values.LOGIN_ADDRESS_ATTEMPTS,
        windowSeconds: values.LOGIN_ADDRESS_WINDOW_SECONDS,
      },
      lock: { after: values.LOGIN_LOCK_AFTER, seconds: values.LOGIN_LOCK_SECONDS },
      captchaAfter: values.LOGIN_CAPTCHA_AFTER,
      trustedCallers: values.LOGIN_TRUSTED_CALLERS ?? [],
    },
    password: {
      minLength: values.PASSWORD_MIN_LENGTH,
      hash: values.PASSWORD_HASH,
      argon2MemoryKib: values.PASSWORD_ARGON2_MEMORY_KIB,
      argon2Passes: values.PASSWORD_ARGON2_PASSES,
      bcryptCost: values.PASSWORD_BCRYPT_COST,
      pbkdf2Iterations: values.PASSWORD_PBKDF2_ITERATIONS,
      /** How many hashes are computed at a time, at most. */
      hashesAtOnce: hashesAtOnce(read.hashing),
      breachUrl: values.PASSWORD_BREACH_URL,
    },
    /** All that there are, in the order in which they are shown. */
    roles,
    secondFactor: {
      requiredOf: values.REQUIRE_SECOND_FACTOR as readonly Role[],
    },
    clients: { file: values.CLIENTS_FILE, atStart: read.clients.clients },
    forwardAuth: { file: values.FORWARD_AUTH_FILE, atStart: read.forward.rules },
    providers: providers.map((provider) => toProvider(provider, { baseUrl, roles })),
    users: { policy: values.USERS_POLICY },
    posts: { deletePolicy: values.POSTS_DELETE_POLICY },
    lists: { pageLimitMax: values.PAGE_LIMIT_MAX },
    audit: {
      checkpointSeconds: values.AUDIT_CHECKPOINT_SECONDS,
      retentionDays: values.AUDIT_RETENTION_DAYS,
      sinks: values.AUDIT_SINKS,
      /** The file outside the database that every checkpoint goes to. */
      checkpointsFile: checkpointsFileOf(values),
    },
    /** What webhooks may reach although it is no public address. */
    webhooks: { addresses: values.WEBHOOK_ADDRESSES.map(parseAddressRange) },
    console: {
      isOn: values.CONSOLE === 'on',
      /** From where it may be opened; empty: from anywhere. */
      addresses: values.CONSOLE_ADDRESSES.map(parseAddressRange),
    },
    refusals: { max: values.REFUSALS_MAX },
    backups: {
      /** Undefined: the service makes none by itself. */
      directory: values.BACKUP_DIR,
      everyHours: values.BACKUP_EVERY_HOURS,
      keep: values.BACKUP_KEEP,
      passphrase: values.BACKUP_PASSPHRASE,
    },
    mail: {
      /** Undefined: development writes files, and production sends none. */
      server: values.SMTP_URL && parseMailServer(values.SMTP_URL.reveal()),
      from: values.MAIL_FROM,
      replyTo: values.MAIL_REPLY_TO,
      heloName: values.MAIL_HELO_NAME ?? new URL(baseUrl).hostname,
      caFile: values.MAIL_CA_FILE,
      /** How many mails a client may ask for in an hour; 0: any number. */
      maxPerClient: values.MAIL_REQUESTS_PER_CLIENT,
      /** How many mails the server takes in a minute, without notices; 0: any number. */
      maxPerMinute: values.MAIL_PER_MINUTE,
      /** Whether there is mail at all. */
      isOn: values.SMTP_URL !== undefined || values.NODE_ENV !== 'production',
    },
    signUp: {
      mode: values.SIGN_UP,
      roles: values.SIGN_UP_ROLES as readonly Role[],
      domains: values.SIGN_UP_DOMAINS,
      reservedUsernames: values.RESERVED_USERNAMES,
    },
    signInByMail: values.SIGN_IN_BY_MAIL === 'on',
    /** How long links and codes in mail count, in seconds. */
    confirmations: {
      signInSeconds: values.SIGN_IN_CODE_SECONDS,
      resetSeconds: values.RESET_SECONDS,
      verificationSeconds: values.VERIFICATION_SECONDS,
      emailChangeSeconds: values.EMAIL_CHANGE_SECONDS,
      invitationSeconds: values.INVITATION_SECONDS,
      /** 0: a deletion by the owner erases the account at once. */
      deletionSeconds: values.ACCOUNT_DELETION_DAYS * 86_400,
    },
    pages: {
      name: values.PAGES_NAME,
      color: values.PAGES_COLOR,
      language: values.PAGES_LANGUAGE,
      ...read.branding,
      returnOrigins: values.RETURN_ORIGINS,
    },
    workers: values.WORKERS,
    traces: {
      /** Undefined: none are exported. */
      endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: values.OTEL_EXPORTER_OTLP_HEADERS,
      serviceName: values.OTEL_SERVICE_NAME,
      sampler: values.OTEL_TRACES_SAMPLER,
      ratio: values.OTEL_TRACES_SAMPLER_ARG ?? 1,
      maxPerSecond: values.TRACES_PER_SECOND,
    },
    /** Lists all settings, for operators: no secret is in them. */
    inForce: () =>
      read.inForce({
        BASE_URL: baseUrl,
        TOKEN_ISSUER: baseUrl,
        MAIL_HELO_NAME: new URL(baseUrl).hostname,
        TRUST_PROXY: 'none',
      }),
    /** Read by `settingsOf`. */
    ofModules: read.ofModules.values,
  })
}

function checkpointsFileOf({ DATA_DIR }: SettingValues): string {
  return join(resolve(DATA_DIR), 'audit-checkpoints.jsonl')
}

function isBelow(path: string | undefined, folder: string): boolean {
  return path !== undefined && !relative(resolve(folder), path).startsWith('..')
}

/** Whether an address is one of plain HTTP to another machine. */
function goesUnguarded(address: string | undefined): boolean {
  const { protocol, hostname } = new URL(address ?? 'https://none')
  return protocol === 'http:' && !isLoopback(hostname)
}

/** Warnings outside production about secrets that production refuses. */
function secretWarnings(values: SettingValues): string[] {
  return secretWeaknesses(values).map(([name, weakness]) =>
    [`${name} ${weakness}: production refuses it.`, ...secretAdvice([name])].join(' '),
  )
}

/** The default of BASE_URL, without a slash at the end. */
function defaultBaseUrl(values: SettingValues): string {
  const { HOST, PORT } = values
  const wildcard = HOST === '0.0.0.0' || HOST === '::'
  const host = wildcard ? 'localhost' : isIP(HOST) === 6 ? `[${HOST}]` : HOST
  return new URL(`${tlsFilesOf(values) ? 'https' : 'http'}://${host}:${PORT}`).origin
}

function deepFreeze<T extends object>(object: T): Readonly<T> {
  for (const value of Object.values(object)) {
    if (typeof value === 'object' && value !== null) deepFreeze(value)
  }
  return Object.freeze(object)
}
