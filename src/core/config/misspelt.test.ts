import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadConfig, settings } from '../../../test/config.ts'
import { mistakesOf } from '../../../test/mistakes.ts'
import { misspeltSettings, namesOf } from './former-names.ts'
import type { ConfigError } from './load.ts'

const misspelt = (env: Record<string, string>) => misspeltSettings(env, [settings])

suite('a misspelt setting', () => {
  for (const [given, meant] of [
    ['SMTP_ULR', 'SMTP_URL'],
    ['SESION_IDLE_SECONDS', 'SESSION_IDLE_SECONDS'],
    ['BASE_URI', 'BASE_URL'],
    ['TRUSTED_PROXY', 'TRUST_PROXY'],
    ['DATADIR', 'DATA_DIR'],
    ['WORKER', 'WORKERS'],
    ['HSOT', 'HOST'],
    ['port', 'PORT'],
    ['MASTER_KEY_FILES', 'MASTER_KEY_FILE'],
    ['BACKUP_PASPHRASE_FILE', 'BACKUP_PASSPHRASE_FILE'],
    ['ODIC_ISSUER', 'OIDC_ISSUER'],
  ] as const) {
    test(`${given}: ${meant} is named, and the start goes on`, () => {
      const told = `${given}: did you mean ${meant}?`
      assert.deepEqual(misspelt({ [given]: 'x' }), [told])
      const config = loadConfig({ [given]: 'x' })
      assert.deepEqual([config.misspelt, config.warnings], [[told], [told]])
      assert.deepEqual(misspelt({ [given]: '' }), [], 'an empty one is not set')
    })
  }

  test('stands below the mistakes that may come of it', () => {
    const env = {
      NODE_ENV: 'production',
      TRUST_PROXY: 'none',
      SIGN_UP: 'open',
      SMTP_ULR: 'smtp://x',
    }
    assert.throws(
      () => loadConfig({ ...env, BASE_URL: 'https://a.example' }),
      ({ message, mistakes }: ConfigError) =>
        message.endsWith('without SMTP_URL\n  SMTP_ULR: did you mean SMTP_URL?') &&
        mistakes.length === 1,
    )
  })

  test('of a provider is a mistake, as any other name of a provider that is none', () => {
    const about = (name: string) =>
      `${name} is no setting, unless OIDC_PROVIDERS names its provider: did you mean `
    const acme = { OIDC_ACME_ISSUER: 'https://a.example', OIDC_ACME_AUDIENCE: 'api' }
    for (const [given, meant] of [
      ['OIDC_ISUER', 'OIDC_ISSUER'],
      ['OIDC_ACME_ISUER', 'OIDC_ACME_ISSUER'],
      ['OIDC_AMCE_CLIENT_SECRET_FILE', 'OIDC_ACME_CLIENT_SECRET_FILE'],
    ] as const) {
      const env = { OIDC_PROVIDERS: 'acme', ...acme, [given]: 'x' }
      assert.deepEqual(mistakesOf(env), [`${about(given)}${meant}?`])
    }
    const [first] = mistakesOf({ ...acme, OIDC_PROVIDRES: 'acme' }).filter((one) =>
      /PROVIDRES/.test(one),
    )
    assert.equal(first, `${about('OIDC_PROVIDRES')}OIDC_PROVIDERS?`)
  })
})

suite('what is no misspelt setting', () => {
  test('a setting, and the file of a secret', () => {
    assert.deepEqual(misspelt(Object.fromEntries(namesOf(settings).map((name) => [name, 'x']))), [])
  })

  test('what shells, containers, supervisors, npm and other programs set', () => {
    const names = `PATH HOME HOSTNAME HOSTTYPE HOST_IP LANG LANGUAGE LC_ALL LOGNAME MAIL MAILTO MAILCHECK MACHTYPE OSTYPE
      OLDPWD PWD SHELL SHLVL TERM TERM_PROGRAM COLORTERM COLUMNS LINES USER USERNAME UID EDITOR PAGER VISUAL TZ TMPDIR DISPLAY
      SSH_CLIENT SSH_CONNECTION SSH_TTY SUDO_USER SUDO_COMMAND XDG_CACHE_HOME XDG_CONFIG_DIRS XDG_DATA_DIRS XDG_RUNTIME_DIR
      XDG_SESSION_ID DBUS_SESSION_BUS_ADDRESS DEBIAN_FRONTEND container CONTAINER
      NODE NODE_VERSION NODE_PATH NODE_OPTIONS NODE_COMPILE_CACHE NODE_EXTRA_CA_CERTS NODE_UNIQUE_ID NODE_NAME NODE_IP
      YARN_VERSION UV_THREADPOOL_SIZE MALLOC_ARENA_MAX INIT_CWD COLOR CI
      npm_command npm_config_cache npm_config_global_prefix npm_config_user_agent npm_execpath npm_lifecycle_event
      npm_lifecycle_script npm_node_execpath npm_package_json npm_package_name npm_package_version
      INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID MAINPID NOTIFY_SOCKET WATCHDOG_USEC LISTEN_FDS LISTEN_PID MANAGERPID
      STATE_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY RUNTIME_DIRECTORY CONFIGURATION_DIRECTORY CREDENTIALS_DIRECTORY
      MEMORY_PRESSURE_WATCH MEMORY_PRESSURE_WRITE
      POD_IP POD_NAME POD_NAMESPACE KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT_HTTPS
      PGHOST PGPORT PGUSER PGPASSWORD PGPASSFILE PGSSLMODE PGDATABASE POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB PGDATA
      HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR PORTS HOSTS ROLE DOMAIN
      OTEL_SERVICE_NAME OTEL_SDK_DISABLED OTEL_LOG_LEVEL OTEL_PROPAGATORS OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TIMEOUT OTEL_METRICS_EXPORTER
      SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASS SMTP_PASSWORD SMTP_FROM DATABASE_HOST DATABASE_NAME DATABASE_USER
      DATABASE_PASSWORD DATABASE_PORT REDIS_URL APP_URL DEBUG ENVIRONMENT ENV SECRET TOKEN LOG_FILE LOG_FORMAT`
    const env = Object.fromEntries(names.split(/\s+/).map((name) => [name, 'x']))
    assert.deepEqual(misspelt(env), [])
  })

  test('what Kubernetes and Docker set for a service, also one whose name begins as a setting', () => {
    const first = Object.keys(settings).map((name) => name.split('_', 1)[0] ?? '')
    const services = [...first, 'GATEHOUSE', 'GATEHOUSE_1', 'SMTP_URL', 'DATABASE_URL']
    const env = services.flatMap((name) =>
      [
        'SERVICE_HOST',
        'SERVICE_PORT',
        'SERVICE_PORT_HTTP',
        'PORT',
        'PORT_80_TCP',
        'PORT_80_TCP_ADDR',
        'PORT_80_TCP_PROTO',
      ].map((end) => [`${name}_${end}`, 'x']),
    )
    assert.deepEqual(misspelt(Object.fromEntries(env)), [])
  })
})
