import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inspect } from 'node:util'
import { loadConfig, settings, tables } from '../../../test/config.ts'
import { masterKey } from '../../../test/master-key.ts'
import { mistakesOf } from '../../../test/mistakes.ts'
import { isLoopback } from '../addresses/loopback.ts'
import { describeSettings } from './describe.ts'
import { type Config, ConfigError } from './load.ts'

/** From the decisions on settings, in their order; what is unset is undefined. */
const defaults: Partial<Record<string, unknown>> = {
  HOST: '127.0.0.1',
  PORT: 3000,
  BASE_URL: undefined,
  TLS_CERT_FILE: undefined,
  TLS_KEY_FILE: undefined,
  HTTP_REDIRECT_PORT: undefined,
  METRICS_ADDRESS: undefined,
  DATA_DIR: './data',
  DATABASE_URL: undefined,
  MASTER_KEY: undefined,
  MASTER_KEY_NEXT: undefined,
  NODE_ENV: 'development',
  LOG_LEVEL: 'info',
  LOG_ADDRESSES: 'on',
  TRUST_PROXY: undefined,
  BODY_LIMIT_BYTES: 1_048_576,
  CORS_ORIGINS: [],
  ADMIN_USERNAME: 'admin',
  ADMIN_PASSWORD: undefined,
  TOKEN_ALGORITHM: undefined,
  TOKEN_RSA_BITS: 2048,
  TOKEN_SECRET: undefined,
  TOKEN_SECRET_PREVIOUS: undefined,
  TOKEN_PRIVATE_KEY: undefined,
  TOKEN_ISSUER: undefined,
  TOKEN_AUDIENCE: 'api',
  LOGIN_TOKEN_SECONDS: 3600,
  ACCESS_TOKEN_SECONDS: 900,
  REFRESH_TOKEN_SECONDS: 604_800,
  REFRESH_ROTATION: 'off',
  REFRESH_ABSOLUTE_SECONDS: 31_536_000,
  REFRESH_GRACE_SECONDS: 10,
  KEY_ROTATION_DAYS: 0,
  SESSION_COOKIE_NAME: 'JSESSIONID',
  SESSION_IDLE_SECONDS: 1800,
  SESSION_ABSOLUTE_SECONDS: 43_200,
  REAUTHENTICATE_SECONDS: 900,
  ROLES: [],
  LOGIN_FORM_MODE: 'session',
  LOGIN_JSON_MODE: 'token',
  LOGIN_ATTEMPTS: 5,
  LOGIN_WINDOW_SECONDS: 900,
  LOGIN_IP_ATTEMPTS: 20,
  LOGIN_ADDRESS_WINDOW_SECONDS: 3600,
  LOGIN_LOCK_AFTER: 10,
  LOGIN_LOCK_SECONDS: 1800,
  LOGIN_PROOF_OF_WORK_AFTER: 0,
  LOGIN_TRUSTED_NETWORKS: undefined,
  RATE_LIMIT_MAX: 0,
  RATE_LIMIT_WINDOW_SECONDS: 900,
  PASSWORD_HASH: 'argon2id',
  PASSWORD_MIN_LENGTH: 12,
  PASSWORD_ARGON2_MEMORY_KIB: 19_456,
  PASSWORD_ARGON2_PASSES: 2,
  PASSWORD_BCRYPT_COST: 12,
  PASSWORD_PBKDF2_ITERATIONS: 600_000,
  HASHING_MEMORY_MIB: undefined,
  PASSWORD_BREACH_URL: undefined,
  CLIENTS_FILE: undefined,
  FORWARD_AUTH_FILE: undefined,
  DATABASE_POOL_MAX: 10,
  DATABASE_TIMEOUT_MS: 2000,
  REQUIRE_SECOND_FACTOR: [],
  SESSIONS_PER_ACCOUNT: 100,
  USERS_POLICY: 'roles',
  POSTS_DELETE_POLICY: 'admin',
  PAGE_LIMIT_MAX: 0,
  REJECTIONS_KEPT: 10_000,
  BACKUP_DIR: undefined,
  BACKUP_EVERY_HOURS: 24,
  BACKUP_KEEP: 7,
  BACKUP_PASSPHRASE: undefined,
  CONSOLE: 'on',
  CONSOLE_ADDRESSES: [],
  AUDIT_CHECKPOINT_SECONDS: 10,
  AUDIT_RETENTION_DAYS: 365,
  AUDIT_SINKS: [],
  WEBHOOK_NETWORKS: [],
  WORKERS: 1,
  SMTP_URL: undefined,
  MAIL_FROM: undefined,
  MAIL_REPLY_TO: undefined,
  MAIL_HELO_NAME: undefined,
  MAIL_CA_FILE: undefined,
  MAIL_REQUESTS_PER_CLIENT: 20,
  MAIL_PER_MINUTE: 120,
  SIGN_UP: 'off',
  SIGN_UP_ROLES: ['USER'],
  SIGN_UP_DOMAINS: [],
  RESERVED_USERNAMES: [],
  EMAIL_SIGN_IN: 'off',
  SIGN_IN_CODE_SECONDS: 600,
  PASSWORD_RESET_SECONDS: 1800,
  EMAIL_VERIFICATION_SECONDS: 86_400,
  ACCOUNT_DELETION_DAYS: 7,
  EMAIL_CHANGE_SECONDS: 3600,
  INVITATION_SECONDS: 604_800,
  REDIRECT_ORIGINS: [],
  BRAND_NAME: 'Gatehouse',
  BRAND_COLOR: undefined,
  BRAND_LOGO_FILE: undefined,
  PAGES_LANGUAGE: 'en',
  BRAND_TEXTS_FILE: undefined,
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: undefined,
  OTEL_EXPORTER_OTLP_HEADERS: undefined,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: undefined,
  OTEL_SERVICE_NAME: undefined,
  OTEL_RESOURCE_ATTRIBUTES: '',
  OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  OTEL_TRACES_SAMPLER_ARG: undefined,
  TRACES_PER_SECOND: 100,
}
const secretNames = Object.entries(settings).flatMap(([name, row]) => (row.secret ? [name] : []))

suite('defaults', () => {
  for (const [name, { fallback }] of Object.entries(settings)) {
    if (!(name in defaults)) continue // docs/configuration.md has it, by its row
    test(`${name} is ${JSON.stringify(fallback) ?? 'unset'} by default`, () => {
      assert.deepEqual(fallback, defaults[name])
    })
  }

  test('secrets can be read from files, all of them and nothing else', () => {
    const names = [
      'DATABASE_URL',
      'MASTER_KEY',
      'ADMIN_PASSWORD',
      'TOKEN_SECRET',
      'TOKEN_SECRET_PREVIOUS',
    ]
    for (const name of [...names, 'TOKEN_PRIVATE_KEY', 'OIDC_CLIENT_SECRET'])
      assert.ok(secretNames.includes(name), name)
    for (const name of ['PORT', 'HOST', 'BASE_URL']) assert.ok(!secretNames.includes(name))
  })

  test('PostgreSQL asks for MASTER_KEY: every node needs the same', () => {
    const DATABASE_URL = 'postgres://gate:word@localhost/id'
    assert.throws(
      () => loadConfig({ DATABASE_URL }),
      /^ {2}MASTER_KEY must be set with PostgreSQL/m,
    )
    const config = loadConfig({ DATABASE_URL, MASTER_KEY: masterKey })
    assert.equal(config.database.postgres?.host, 'localhost')
    assert.doesNotMatch(JSON.stringify(config), /word@|"word"/)
    assert.deepEqual(config.warnings, [])
    const remote = {
      DATABASE_URL: 'postgres://gate@db.example.org/id?sslmode=disable',
      MASTER_KEY: masterKey,
    }
    assert.match(loadConfig(remote).warnings.join(), /^DATABASE_URL/)
  })

  const addresses: readonly [Record<string, string>, string][] = [
    [{}, 'http://127.0.0.1:3000'],
    [{ PORT: '80' }, 'http://127.0.0.1'],
    [{ HOST: '0.0.0.0' }, 'http://localhost:3000'],
    [{ HOST: '::', PORT: '8080' }, 'http://localhost:8080'],
    [{ HOST: '::1' }, 'http://[::1]:3000'],
    [{ HOST: 'gate.example.org' }, 'http://gate.example.org:3000'],
    [{ BASE_URL: 'https://id.example.org' }, 'https://id.example.org'],
    [{ BASE_URL: 'https://id.example.org/' }, 'https://id.example.org'],
    [{ BASE_URL: 'https://id.example.org:8443' }, 'https://id.example.org:8443'],
    [{ BASE_URL: 'HTTPS://Id.Example.org:443/' }, 'https://id.example.org'],
  ]
  for (const [env, baseUrl] of addresses) {
    test(`with ${JSON.stringify(env)} callers use ${baseUrl}, which is the issuer too`, () => {
      const config = loadConfig(env)
      assert.deepEqual([config.baseUrl, config.token.issuer], [baseUrl, baseUrl])
    })
  }

  test('every setting stands in the printed documentation with its default', () => {
    const page = describeSettings(tables)
    for (const [name, { shown }] of Object.entries(settings)) {
      const line = page.split('\n').find((row) => row.startsWith(`| \`${name}\` |`))
      assert.ok(line?.includes(shown), name)
    }
  })
})

suite('mistakes', () => {
  test('each of WORKERS needs two connections to PostgreSQL', () => {
    const env = { DATABASE_URL: 'postgres://u:p@localhost/x', MASTER_KEY: masterKey }
    const refusal = 'DATABASE_POOL_MAX must be at least 12: two connections for each of WORKERS'
    assert.deepEqual(mistakesOf({ ...env, WORKERS: '6' }), [refusal])
    assert.deepEqual(mistakesOf({ ...env, WORKERS: '6', DATABASE_POOL_MAX: '11' }), [refusal])
    assert.deepEqual(mistakesOf({ ...env, WORKERS: '6', DATABASE_POOL_MAX: '12' }), [])
    assert.deepEqual(mistakesOf({ ...env, WORKERS: '5' }), [])
    assert.deepEqual(mistakesOf({ WORKERS: '32' }), [], 'SQLite has no pool')
  })

  test('all mistakes are told at once, in one readable text', () => {
    const env = {
      PORT: '70000',
      BASE_URL: 'id.example.org',
      NODE_ENV: 'prod',
      TRUST_PROXY: 'everyone',
      CORS_ORIGINS: 'https://a.example/path',
      ADMIN_PASSWORD: 'short',
      SESSION_COOKIE_NAME: 'a b',
      LOGIN_FORM_MODE: 'cookie',
      PASSWORD_MIN_LENGTH: '8',
      USERS_POLICY: 'none',
    }
    const mistakes = mistakesOf(env)
    assert.equal(mistakes.length, Object.keys(env).length)
    for (const name of Object.keys(env)) {
      assert.equal(mistakes.filter((line) => line.startsWith(`${name} `)).length, 1, name)
    }
    const { message } = new ConfigError(mistakes)
    for (const line of mistakes) assert.ok(message.includes(`\n  ${line}`))
  })

  const refused: readonly [string, readonly string[]][] = [
    ['HOST', ['a b', 'http://x', '256.1.1.1', '1.2.3.4.5', '[::1]', 'a/b']],
    ['PORT', ['-1', '65536', '80a']],
    [
      'BASE_URL',
      [
        'x',
        'ftp://x',
        'https://x/y',
        'https://u:p@x',
        'https://x?y',
        'https://x#y',
        'https://x/?',
        'https://x\\y',
        ' https://x',
        'javascript:1',
      ],
    ],
    ['DATABASE_URL', ['postgres://x', 'mysql://x']],
    ['WORKERS', ['0', '-1', '33', '1000', '1.5', 'two', 'AUTO']],
    ['BODY_LIMIT_BYTES', ['0', '1023', '1e6']],
    [
      'TRUST_PROXY',
      ['*', 'true', '10.0.0.0/33', '10.0.0/8', '::1/129', 'none,10.0.0.1', '1.2.3.4/'],
    ],
    ['CORS_ORIGINS', ['a.example', 'https://a.example/', 'null', 'https://A.example']],
    ['ADMIN_USERNAME', ['a:b', ' ', 'a\0b', 'a\u200Bb', 'n'.repeat(65)]],
    [
      'ADMIN_PASSWORD',
      ['p'.repeat(11), '😀'.repeat(11), 'p'.repeat(129), 'e\u0301'.repeat(6), 'twelve letters\0'],
    ],
    ['TOKEN_ALGORITHM', ['none', 'hs256', 'HS512', 'RS512']],
    ['SESSION_COOKIE_NAME', ['a;b', 'a=b', 'ä', 'a,b']],
    ['SESSION_IDLE_SECONDS', ['0', '-1']],
    ['PASSWORD_MIN_LENGTH', ['11', '129']],
    ['PASSWORD_ARGON2_MEMORY_KIB', ['19455']],
    ['PASSWORD_ARGON2_PASSES', ['1']],
    ['USERS_POLICY', ['Open', 'anyone']],
    ['POSTS_DELETE_POLICY', ['Owner', 'author', 'none']],
    ['PAGE_LIMIT_MAX', ['-1', 'none']],
    ['REJECTIONS_KEPT', ['-1', 'all']],
  ]
  for (const [name, values] of refused) {
    for (const value of values) {
      test(`${name}=${JSON.stringify(value).slice(0, 40)} is a mistake under its name`, () => {
        for (const NODE_ENV of ['development', 'production']) {
          const mistakes = mistakesOf({ NODE_ENV, TRUST_PROXY: 'none', [name]: value })
          assert.ok(
            mistakes.some((line) => line.startsWith(`${name} `)),
            String(mistakes),
          )
        }
      })
    }
  }
})

suite('HOST', () => {
  for (const host of ['.', '..', '-', '0', '1.2.3', '0x7f.1', 'fe80::1%eth0', '::ffff:127.0.0.1']) {
    test(`${host} is taken or a mistake, never a failure without a name`, () => {
      for (const line of mistakesOf({ HOST: host })) assert.match(line, /^HOST /)
    })
  }
})

suite('production', () => {
  const safe = { NODE_ENV: 'production', BASE_URL: 'https://id.example.org', TRUST_PROXY: 'none' }
  test('starts with https and a word about proxies, or on loopback', () => {
    assert.equal(loadConfig(safe).environment, 'production')
    for (const BASE_URL of ['http://127.0.0.1:3000', 'http://localhost', 'http://[::1]:3000', '']) {
      assert.deepEqual(mistakesOf({ ...safe, BASE_URL }), [])
    }
  })

  const unsafe: readonly [string, string][] = [
    ['BASE_URL', 'http://id.example.org'],
    ['BASE_URL', 'http://127.0.0.1.example.org'],
    ['BASE_URL', 'http://localhost.example.org'],
    ['BASE_URL', 'http://10.0.0.1'],
    ['TRUST_PROXY', ''],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://a.example, *'],
    ['USERS_POLICY', 'open'],
  ]
  for (const [name, value] of unsafe) {
    test(`T93: refuses ${name}=${value || '(unset)'}, which development takes`, () => {
      const mistakes = mistakesOf({ ...safe, [name]: value })
      assert.equal(mistakes.length, 1)
      assert.match(mistakes[0] ?? '', new RegExp(`^${name} must .*in production`))
      assert.deepEqual(mistakesOf({ [name]: value }), [])
    })
  }

  test('tells all refusals and all mistakes at once', () => {
    const mistakes = mistakesOf({
      NODE_ENV: 'production',
      HOST: '10.0.0.1',
      CORS_ORIGINS: '*',
      USERS_POLICY: 'open',
      PORT: 'x',
    })
    for (const name of ['BASE_URL', 'TRUST_PROXY', 'CORS_ORIGINS', 'USERS_POLICY', 'PORT']) {
      assert.equal(mistakes.filter((line) => line.startsWith(`${name} `)).length, 1, name)
    }
  })

  for (const [host, expected] of [
    ['localhost', true],
    ['a.localhost', true],
    ['127.0.0.1', true],
    ['127.255.255.255', true],
    ['::1', true],
    ['[::1]', true],
    ['128.0.0.1', false],
    ['localhost.example.org', false],
    ['notlocalhost', false],
    ['::2', false],
    ['0.0.0.0', false],
  ] as const) {
    test(`${host} is ${expected ? '' : 'not '}a loopback address`, () =>
      assert.equal(isLoopback(host), expected))
  }
})

suite('a configuration', () => {
  const values = {
    ADMIN_PASSWORD: 'do not show me 1',
    TOKEN_SECRET: 'dO n0t sh0w mE, wha7ever happens 2',
    TOKEN_SECRET_PREVIOUS: 'dO n0t sh0w mE, wha7ever happens 3',
    MASTER_KEY: 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f91',
  }

  test('shows no secret, however it is printed', () => {
    const config = loadConfig(values)
    const printed = [
      inspect(config, { depth: null, showHidden: true }),
      JSON.stringify(config),
      String(Object.values(config)),
    ]
    for (const text of printed) {
      for (const value of Object.values(values)) assert.ok(!text.includes(value))
    }
    assert.equal(config.admin.password?.reveal(), values.ADMIN_PASSWORD)
  })

  test('does not show a secret that is refused either', () => {
    for (const name of secretNames) {
      const value = 'secret but bad'.slice(0, name === 'ADMIN_PASSWORD' ? 9 : undefined)
      const [mistake] = mistakesOf({ [name]: value })
      assert.ok(mistake?.startsWith(`${name} `), name)
      assert.ok(mistake && !mistake.includes(value))
    }
  })

  test('cannot be changed', () => {
    const config = loadConfig({ CORS_ORIGINS: 'https://a.example' })
    const frozen: (keyof Config)[] = ['http', 'token', 'session', 'login', 'users', 'warnings']
    for (const part of frozen) assert.ok(Object.isFrozen(config[part]), part)
    assert.ok(Object.isFrozen(config))
    assert.ok(Object.isFrozen(config.http.corsOrigins))
  })

  test('limits have no upper bound', () => {
    const numbers = Object.entries(settings).filter(([, { fallback }]) =>
      Number.isInteger(fallback),
    )
    const bounded = new Set([
      'PORT',
      'WORKERS',
      'TOKEN_RSA_BITS',
      'PASSWORD_MIN_LENGTH',
      'PASSWORD_ARGON2_MEMORY_KIB',
      'PASSWORD_ARGON2_PASSES',
      'PASSWORD_BCRYPT_COST',
      'PASSWORD_PBKDF2_ITERATIONS',
      'SIGN_IN_CODE_SECONDS',
      'PASSWORD_RESET_SECONDS',
      'EMAIL_VERIFICATION_SECONDS',
      'EMAIL_CHANGE_SECONDS',
      'INVITATION_SECONDS',
      'ACCOUNT_DELETION_DAYS',
    ])
    for (const [name] of numbers) {
      if (bounded.has(name)) continue
      assert.deepEqual(mistakesOf({ [name]: '9007199254740991' }), [], name)
    }
  })
})
