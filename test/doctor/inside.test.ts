import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { lockFileName } from '../../src/core/workers/service-lock.ts'
import { serviceAccount } from '../api-keys.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { application, clientsFile } from '../clients.ts'
import { sqliteOnly } from '../database.ts'
import { mountSmallDisk } from '../faults/disks.ts'
import { identityProvider, settingsFor } from '../identity-provider.ts'
import { startRelay } from '../relay.ts'
import { certificate } from '../self-signed.ts'
import { type Deployment, deployment, examined, host, production } from './deployment.ts'

type Settings = Readonly<Record<string, string>>

interface Broken {
  readonly what: string
  /** The settings of the service and of the command. */
  readonly env?: Settings
  /** With PostgreSQL, the master key is a setting. */
  readonly hasKeyFile?: true
  /** Settings of the command alone, as those of the next start. */
  readonly later?: Settings
  /** What happens before; answers settings of the command alone. */
  readonly before?: (deployment: Deployment) => Promise<Settings | undefined> | Settings | undefined
  /** All that is found, without advice. */
  readonly found: readonly string[]
  readonly mend: RegExp
}

const passphrase = 'correct lamp seven harbour quiet orchard violin'
const publicly = { NODE_ENV: 'development', BASE_URL: `https://${host}` }
const environment = 'error environment'

const broken: readonly Broken[] = [
  {
    what: 'runs for development where others reach it',
    env: publicly,
    found: [environment],
    mend: /^NODE_ENV=production$/m,
  },
  {
    what: 'leaves users open to anyone',
    env: { ...publicly, USERS_POLICY: 'open' },
    found: [environment, 'error users_policy'],
    mend: /^USERS_POLICY=roles$/m,
  },
  {
    what: 'has a master key of the examples of others',
    env: {
      ...publicly,
      MASTER_KEY: '404E635266556A586E3272357538782F413F4428472B4B6250645367566B5970',
    },
    found: [environment, 'error weak_secret'],
    mend: /^MASTER_KEY_NEXT=.*openssl rand -hex 32.*npm run -s gatehouse -- keys rotate-master$/m,
  },
  {
    what: 'allows the pages of every origin',
    env: { ...publicly, CORS_ORIGINS: '*' },
    found: [environment, 'error cors_origins'],
    mend: /^CORS_ORIGINS=https:/m,
  },
  {
    what: 'allows pages without TLS, and of any machine',
    env: { ...production, CORS_ORIGINS: 'http://app.example.org,http://localhost:5173' },
    found: ['warning cors_origins', 'warning session_cookie'],
    mend: /^CORS_ORIGINS=https:/m,
  },
  {
    what: 'trusts half of the internet as a proxy',
    env: { ...production, TRUST_PROXY: '0.0.0.0/1,2000::/3' },
    found: ['error trust_proxy_wide', 'error trust_proxy_wide'],
    mend: /^TRUST_PROXY=127/m,
  },
  {
    what: 'is behind a proxy that it does not know',
    env: { ...production, TRUST_PROXY: 'none' },
    found: ['error trust_proxy'],
    mend: /^TRUST_PROXY=127/m,
  },
  {
    what: 'limits no logins and logs nothing',
    env: { ...production, LOGIN_ATTEMPTS: '0', LOG_LEVEL: 'error' },
    found: ['warning log_level', 'warning login_limits'],
    mend: /^LOGIN_ATTEMPTS=5$/m,
  },
  {
    what: 'names its issuer with a slash more',
    env: { ...production, TOKEN_ISSUER: `https://${host}/` },
    found: ['warning issuer'],
    mend: /^TOKEN_ISSUER=https:\/\/auth\.example\.org$/m,
  },
  {
    what: 'sends people to their own machines',
    env: { NODE_ENV: 'production', TRUST_PROXY: 'none', HOST: '0.0.0.0' },
    found: ['error base_url'],
    mend: /^BASE_URL=https/m,
  },
  {
    what: 'does not start again with its settings',
    env: production,
    later: { TRUST_PROXY: '', USERS_POLICY: 'open' },
    found: ['error settings', 'error settings'],
    mend: /npm run -s gatehouse -- config check/,
  },
  {
    what: 'is to trust every address as a proxy',
    env: production,
    later: { TRUST_PROXY: '0.0.0.0/0,::/0' },
    found: ['error settings'],
    mend: /npm run -s gatehouse -- config check/,
  },
  {
    what: 'keeps the password of the first start',
    env: production,
    before({ file }) {
      file('first-password', 'a generated one\n')
      return undefined
    },
    found: ['warning first_password'],
    mend: /^rm .*first-password$/m,
  },
  {
    what: 'has a secret in a file that others read',
    env: production,
    before({ file }) {
      const path = file('token', 'Vn3uTz5y8x/A?D(G+KbPeShVkYp3s6v9')
      chmodSync(path, 0o644)
      return { TOKEN_SECRET_FILE: path, TOKEN_ALGORITHM: 'HS256' }
    },
    found: ['warning setting_warning'],
    mend: /^chmod 600 .*token$/m,
  },
  {
    what: 'uses a mail server that is away',
    env: { ...production, SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'auth@example.org' },
    found: ['error mail_server'],
    mend: /^SMTP_URL=/m,
  },
  {
    what: 'has mail that waits for hours',
    env: { NODE_ENV: 'development' },
    async before({ app }) {
      const at = app.clock.now() - 7_200_000
      await app.deps.db
        .insertInto('mails')
        .values({
          id: 'waits',
          message: 'test',
          kind: 'request',
          state: 'waiting',
          address_index: 'x',
          priority: 0,
          due_at: at,
          expires_at: at + 86_400_000,
          created_at: at,
        })
        .execute()
      return undefined
    },
    found: ['warning mail_queue'],
    mend: /npm run -s gatehouse -- mail list --state waiting/,
  },
  {
    what: 'has a service account without a key, as after a restore',
    env: production,
    async before({ app }) {
      const { who } = await serviceAccount(app, 'robot', ['users:read'])
      await app.deps.db.deleteFrom('api_keys').where('user_id', '=', who.userId).execute()
      return undefined
    },
    found: ['warning service_keys'],
    mend: /npm run -s gatehouse -- api-key create/,
  },
  {
    what: 'has an endpoint of webhooks that takes nothing',
    env: production,
    async before({ app }) {
      const at = app.clock.now() - 7_200_000
      const row = { sealed: 'x', events: '["*"]', content: 'ids' as const }
      const times = { created_at: at, updated_at: at }
      await app.deps.db
        .insertInto('webhook_endpoints')
        .values([
          { id: 'failing', state: 'enabled', ...row, ...times },
          { id: 'dead', state: 'failed', ...row, ...times },
          { id: 'fine', state: 'enabled', ...row, ...times },
          { id: 'off', state: 'disabled', ...row, ...times },
        ])
        .execute()
      await app.deps.db
        .insertInto('webhook_health')
        .values([
          { endpoint: 'failing', failing_since: at, status: 500 },
          { endpoint: 'off', failing_since: at, status: 500 },
        ])
        .execute()
      return undefined
    },
    found: ['warning webhooks', 'warning webhooks'],
    mend: /^npm run -s gatehouse -- webhook enable failing && npm run -s gatehouse -- webhook redeliver failing$/m,
  },
  {
    what: 'signs people in at applications without TLS',
    env: { ...publicly, BASE_URL: `http://${host}`, PROVIDER: 'on' },
    found: [environment, 'error provider_plain'],
    mend: /^BASE_URL=https:/m,
  },
  {
    what: 'has applications where none can be',
    env: production,
    before: () => ({
      CLIENTS_FILE: clientsFile([
        application('itself', { redirect_uris: [`https://${host}/callback`] }),
        application('example', { redirect_uris: ['https://grafana.example.com/login'] }),
        application('local', { redirect_uris: ['http://localhost:8080/callback'] }),
        application('fine', { redirect_uris: ['https://grafana.gatehouse-tests.de/login'] }),
        application('off', { redirect_uris: ['https://grafana.example.com/'], disabled: true }),
        { id: 'phone', type: 'native', redirect_uris: ['http://127.0.0.1/callback'] },
      ]),
    }),
    found: Array(3).fill('warning application_redirects'),
    mend: /redirect_uris/,
  },
  {
    what: 'has an application that takes no logout',
    env: { ...production, PROVIDER: 'on' },
    async before({ app }) {
      const row = { session_id: 'gone', created_at: 1, due_at: 2 }
      await app.deps.db
        .insertInto('provider_logins')
        .values([
          { ...row, sid: 'a', client: 'notes', attempts: 4 },
          { ...row, sid: 'b', client: 'notes', attempts: 5 },
          { ...row, sid: 'c', client: 'other', attempts: 1 },
          { ...row, sid: 'd', client: 'third', attempts: 5, due_at: null },
        ])
        .execute()
      return undefined
    },
    found: ['warning application_logouts'],
    mend: /^LOGOUT_NETWORKS=/m,
  },
  {
    what: 'has made no backup for days, and failed at the last',
    env: production,
    async before({ app }) {
      const hourMs = 3_600_000
      const at = app.clock.now() - 72 * hourMs
      const row = { node: 'other', locked_until: 0 }
      await app.deps.db
        .insertInto('backup_runs')
        .values([
          { ...row, state: 'done', started_at: at, finished_at: at, file: 'a.backup' },
          { ...row, state: 'failed', started_at: at + hourMs, detail: 'ENOSPC: no space left' },
        ])
        .execute()
      return { BACKUP_DIR: tmpdir(), BACKUP_PASSPHRASE: passphrase }
    },
    found: ['error backup_failed', 'error backup_age'],
    mend: /^npm run -s gatehouse -- backup list$/m,
  },
  {
    what: 'has a folder of backups that is not mounted, and a backup that is gone',
    env: production,
    async before({ app }) {
      const at = app.clock.now()
      await app.deps.db
        .insertInto('backup_runs')
        .values({
          ...{ node: hostname(), locked_until: 0, state: 'done', started_at: at, finished_at: at },
          file: 'a.backup',
        })
        .execute()
      return { BACKUP_DIR: '/nowhere/backups', BACKUP_PASSPHRASE: passphrase }
    },
    found: ['error backup_folder', 'error backup_age'],
    mend: /^install -d -m 0700 -o USER \/nowhere\/backups$/m,
  },
  {
    what: 'has asked for more mail than it could send in time',
    env: { NODE_ENV: 'development' },
    async before({ app }) {
      const [at, index] = [app.clock.now(), 'none']
      await app.deps.db
        .insertInto('mails')
        .values({
          ...{ id: 'late', message: 'sign_up', kind: 'request', state: 'expired', priority: 60 },
          ...{ address_index: index, due_at: at, expires_at: at, created_at: at, finished_at: at },
        })
        .execute()
      return undefined
    },
    found: ['warning mail_expired'],
    mend: /^npm run -s gatehouse -- mail list --state expired$/m,
  },
  {
    what: 'has had a clock that was ahead',
    env: production,
    async before({ app }) {
      app.clock.advance(86_400)
      await app.account('later')
      return undefined
    },
    found: ['error clock_set_back'],
    mend: /^timedatectl set-ntp true$/m,
  },
  {
    what: 'has no master key any more',
    hasKeyFile: true,
    env: production,
    before({ app }) {
      rmSync(join(app.directory, 'master.key'))
      return undefined
    },
    found: ['error keys'],
    mend: /^MASTER_KEY_FILE=/m,
  },
  {
    what: 'has the master key of another service',
    hasKeyFile: true,
    env: production,
    before({ app }) {
      writeFileSync(join(app.directory, 'master.key'), `${'0123456789abcdef'.repeat(4)}\n`)
      return undefined
    },
    found: ['error keys'],
    mend: /^MASTER_KEY_FILE=/m,
  },
  {
    what: 'was killed between the turn of the master key and its last step',
    hasKeyFile: true,
    env: production,
    before: async ({ app }) => void (await turnedBut(app.directory, 'kept')),
    found: ['warning master_key_turn'],
    mend: /^npm run -s gatehouse -- keys rotate-master$/m,
  },
  {
    what: 'asked for a turn of the master key, and never finished it',
    env: production,
    async before({ app }) {
      const asked_at = app.clock.now() - 2 * 3_600_000
      const turn = { id: 'turn', key_before: 'one', key_next: 'other', asked_at, turned_at: null }
      await app.deps.db.insertInto('master_key_turns').values(turn).execute()
      return undefined
    },
    found: ['warning master_key_turn'],
    mend: /^npm run -s gatehouse -- keys rotate-master$/m,
  },
]

/** Turns the master key; then its files are as after a kill, or as after a copy. */
async function turnedBut(directory: string, state: 'kept' | 'copied'): Promise<void> {
  const file = join(directory, 'master.key')
  const before = readFileSync(file, 'utf8')
  const { code, stderr } = await gatehouse(directory, 'keys rotate-master')
  assert.equal(code, 0, stderr)
  writeFileSync(`${file}.next`, readFileSync(file, 'utf8'), { mode: 0o600 })
  if (state === 'kept') writeFileSync(file, before)
}

suite('doctor, of a service that', () => {
  for (const { what, env = {}, later = {}, before, found, hasKeyFile, mend } of broken) {
    const run = hasKeyFile ? sqliteOnly : test
    run(what, async () => {
      const own = await deployment(env)
      const more = (await before?.(own)) ?? {}
      const seen = await examined(own, '--inside', { ...later, ...more })
      assert.deepEqual(seen.found, found, JSON.stringify(seen.report.findings, null, 1))
      const lines = seen.report.findings.map((one) => Object.values(one.mend).join('\n'))
      assert.match(lines.join('\n'), mend)
      assert.equal(seen.code, found.some((one) => one.startsWith('error')) ? 1 : 0)
    })
  }

  sqliteOnly('lets other users of the machine read its files', async () => {
    const own = await deployment(production)
    const { directory } = own.app
    chmodSync(join(directory, 'gatehouse.db'), 0o644)
    // A closed folder keeps others out: the service refuses the mode, and that is all.
    assert.deepEqual((await examined(own, '--inside')).found, ['error database'])
    chmodSync(directory, 0o755)
    const { report } = await examined(own, '--inside')
    const [finding, refused] = report.findings
    assert.deepEqual([finding?.check, refused?.check], ['file_modes', 'database'])
    assert.match(refused?.what ?? '', /can be read by other users/)
    assert.match(finding?.mend.setting ?? '', /^chmod 600 .*gatehouse\.db && chmod 700 /)
    chmodSync(directory, 0o700)
  })

  sqliteOnly('lets other users hold the lock of its data directory', async () => {
    const own = await deployment(production)
    chmodSync(own.file(lockFileName, ''), 0o666)
    chmodSync(own.app.directory, 0o755)
    const { found, report } = await examined(own, '--inside')
    assert.deepEqual(found, ['error file_modes'])
    assert.match(report.findings[0]?.mend.setting ?? '', /^chmod 600 .*gatehouse\.lock && /)
  })

  test('has a disk that is almost full', async (t) => {
    const disk = mountSmallDisk(40)
    if (!disk) return t.skip('no disk may be mounted here')
    try {
      const directory = join(disk.directory, 'data')
      mkdirSync(directory, { mode: 0o700 })
      const own = await deployment(production, { directory })
      assert.deepEqual((await examined(own, '--inside')).found, ['error disk'])
      await own.app.close()
    } finally {
      disk.remove()
    }
  })

  test('signs people in at a provider that names another issuer, and at one that is away', async () => {
    const provider = await identityProvider()
    const settings = settingsFor(provider)
    const own = await deployment({ ...settings, NODE_ENV: 'development' })
    assert.deepEqual((await examined(own, '--inside')).found, [])
    provider.instead.set('/.well-known/openid-configuration', (_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"issuer":"https://other.example.org"}')
    })
    const other = await examined(own, '--inside')
    assert.deepEqual(other.found, ['error identity_providers'])
    assert.match(other.report.findings[0]?.what ?? '', /names another issuer/)
    await provider.stop()
    assert.deepEqual((await examined(own, '--inside')).found, ['warning identity_providers'])
  })

  test('has a mail server that takes mail, and one with another password', async () => {
    const relay = await startRelay({ user: { name: 'auth', password: 'right' } })
    const own = await deployment({ ...production, ...relay.env })
    assert.deepEqual((await examined(own, '--inside')).found, [])
    const wrong = { SMTP_URL: (relay.env.SMTP_URL ?? '').replace('right', 'wrong') }
    assert.deepEqual((await examined(own, '--inside', wrong)).found, ['error mail_server'])
    assert.equal(relay.mails.length, 0)
  })

  test('has an application that nobody uses', async () => {
    const own = await deployment({ ...production, PROVIDER: 'on' })
    const { clock, deps } = own.app
    const { userId } = await own.app.account('ann')
    const at = clock.now()
    const entryOf = (type: string) => JSON.stringify({ type, name: 'Notes' })
    const row = { secret_hashes: '', created_at: at - 40 * 86_400_000, updated_at: at }
    await deps.db
      .insertInto('clients')
      .values([
        { ...row, id: 'consented', entry: entryOf('web') },
        { ...row, id: 'granted', entry: entryOf('web') },
        { ...row, id: 'idle', entry: entryOf('spa') },
        { ...row, id: 'machine', entry: entryOf('machine') },
        { ...row, id: 'new', entry: entryOf('web'), created_at: at },
      ])
      .execute()
    await deps.db
      .insertInto('provider_consents')
      .values({ user_id: userId, client: 'consented', scopes: 'openid', given_at: at })
      .execute()
    await deps.db
      .insertInto('provider_artifacts')
      .values({
        ...{ id: 'd', kind: 'Grant', client: 'granted', user_id: userId, session_id: null },
        ...{ grant_id: 'd', uid: null, address: '', sealed: 's', consumed_at: null },
        expires_at: at,
      })
      .execute()
    const { findings } = (await examined(own, '--inside')).report
    const unused = findings.filter(({ check }) => check === 'applications_unused')
    assert.deepEqual(
      unused.map(({ level, mend, what }) => [level, mend.setting, what]),
      [
        [
          'info',
          'npm run -s gatehouse -- client remove idle',
          'Nobody has given the application idle access, and it holds no token.',
        ],
      ],
    )
  })

  test('has a certificate of its own that ends', async () => {
    const own = await deployment({ ...production, TRUST_PROXY: 'none' })
    const found = async (notAfter: string) => {
      const { cert, key } = certificate({ commonName: host, hosts: [host], notAfter })
      const files = {
        TLS_CERT_FILE: own.file('cert.pem', cert),
        TLS_KEY_FILE: own.file('key.pem', key),
      }
      return (await examined(own, '--inside', files)).found
    }
    const inDays = (days: number) =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(2, 10).replaceAll('-', '')
    assert.deepEqual(await found(inDays(90)), [])
    assert.deepEqual(await found(inDays(5)), ['warning tls_files'])
    assert.deepEqual(await found(inDays(-5)), ['error tls_files'])
  })

  sqliteOnly('has no database where the command looks', async () => {
    const own = await deployment(production)
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const seen = await examined(own, '--inside', { DATA_DIR: directory })
    assert.deepEqual([seen.code, seen.found], [1, ['error database']])
    assert.deepEqual(readdirSync(directory), [], 'a look makes no database')
    rmSync(directory, { recursive: true })
  })

  sqliteOnly('has the database of an older version', async () => {
    const own = await deployment(production)
    await own.app.deps.db.deleteFrom('schema_version').where('version', '>', 20).execute()
    const seen = await examined(own, '--inside')
    assert.deepEqual([seen.code, seen.found], [1, ['error schema']])
    assert.match(seen.stdout, /npm run -s gatehouse -- migrate/)
  })
})

suite('doctor, of a next master key', () => {
  sqliteOnly('advises where one lies about, and finds nothing once it is gone', async () => {
    const own = await deployment(production)
    const next = join(own.app.directory, 'master.key.next')
    const advice = async () => {
      const { found, report } = await examined(own, '--inside')
      assert.deepEqual(found, [])
      return report.findings
        .filter(({ check }) => check === 'master_key_turn')
        .map(({ level, what, mend }) => [level, what, mend.setting])
    }
    assert.deepEqual(await advice(), [])
    writeFileSync(next, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
    const [[level, what] = [], ...more] = await advice()
    assert.deepEqual([level, more], ['info', []])
    assert.match(what ?? '', /master\.key\.next holds a next master key \(.+\), and it was not/)
    rmSync(next)
    await turnedBut(own.app.directory, 'copied')
    assert.deepEqual(await advice(), [
      [
        'info',
        `${next} holds the present master key: no next turn begins beside it.`,
        `rm ${next}`,
      ],
    ])
    rmSync(next)
    assert.deepEqual(await advice(), [])
  })
})
