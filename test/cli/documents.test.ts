import assert from 'node:assert/strict'
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { readDoc } from '../../tools/docs.ts'
import { settings } from '../config.ts'
import { localCertificate, tlsFolder } from '../tls-files.ts'
import { gatehouse } from './gatehouse.ts'

suite('gatehouse config, routes and openapi', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const dataDirectory = join(directory, 'data')
  after(() => rmSync(directory, { recursive: true, force: true }))
  const run = (words: string, env: Record<string, string> = {}) =>
    gatehouse(dataDirectory, words, { env })

  test('config check: settings that are right', async () => {
    const { code, stdout, stderr } = await run('config check')
    assert.deepEqual([code, stdout, stderr], [0, 'The settings are valid.\n', ''])
    assert.deepEqual(JSON.parse((await run('config check --json')).stdout), {
      valid: true,
      mistakes: [],
      warnings: [],
    })
  })

  test('config check lists every mistake, those between settings too, and exits 1', async () => {
    const env = { NODE_ENV: 'production', BASE_URL: 'http://a.example.org', PORT: '99999' }
    const { code, stdout, stderr } = await run('config check', env)
    assert.deepEqual([code, stdout], [1, ''])
    for (const name of ['PORT', 'BASE_URL', 'TRUST_PROXY']) {
      assert.match(stderr, new RegExp(`^ {2}${name} must`, 'm'))
    }
    const forMachines = await run('config check --json', env)
    const { valid, mistakes } = JSON.parse(forMachines.stdout)
    assert.deepEqual([forMachines.code, valid, mistakes.length], [1, false, 3])
  })

  test('config check names misspelt settings, and exits 1, though the service would start', async () => {
    const env = {
      SMTP_ULR: 'smtps://mail.example.org',
      SESION_IDLE_SECONDS: '60',
      GATEHOUSE_PORT: '1',
    }
    const { code, stdout, stderr } = await run('config check', env)
    const [first, second] = [
      'SMTP_ULR: did you mean SMTP_URL?',
      'SESION_IDLE_SECONDS: did you mean SESSION_IDLE_SECONDS?',
    ]
    const told = `these variables are no settings, and the service ignores them:\n  ${first}\n  ${second}`
    assert.deepEqual([code, stdout, stderr], [1, '', `error: ${told}\n`])
    const forMachines = await run('config check --json', env)
    assert.equal(forMachines.code, 1)
    const answer = { valid: false, mistakes: [first, second], warnings: [] }
    assert.deepEqual(JSON.parse(forMachines.stdout), answer)

    const both = await run('config check --json', { ...env, PORT: 'none' })
    const { mistakes } = JSON.parse(both.stdout)
    assert.deepEqual(mistakes.slice(1), [first, second])
    assert.match(mistakes[0], /^PORT must/)
    assert.equal((await run('config show', env)).code, 0)
  })

  test('config check warns of a secret that others can read', async () => {
    const path = join(directory, 'open')
    writeFileSync(path, 'seven lamps in a quiet harbour')
    chmodSync(path, 0o644)
    const { code, stderr } = await run('config check', { ADMIN_PASSWORD_FILE: path })
    assert.equal(code, 0)
    assert.match(stderr, /^warning: ADMIN_PASSWORD_FILE/)
  })

  test('config check reads the certificate, and warns of its end', async () => {
    const { env } = tlsFolder(localCertificate('250201'))
    const { code, stderr } = await run('config check', env)
    assert.deepEqual(
      [code, stderr],
      [
        0,
        'warning: TLS_CERT_FILE: the certificate has expired at 2025-02-01T00:00:00.000Z: clients refuse it\n',
      ],
    )
    const wrong = await run('config check', { ...env, TLS_KEY_FILE: env.TLS_CERT_FILE })
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /^ {2}TLS_KEY_FILE must hold a private key in PEM$/m)
  })

  test('config show: every setting, its value and where it comes from, but no secret', async () => {
    const path = join(directory, 'secret')
    writeFileSync(path, 'seven lamps in a quiet harbour', { mode: 0o600 })
    const secret = 'K7-qVx2mUe9_Zt4rLb8cNw3yPd6sHf1j'
    const { code, stdout, stderr } = await run('config show --json', {
      PORT: '8080',
      CORS_ORIGINS: 'https://a.example, https://b.example',
      TOKEN_SECRET: secret,
      ADMIN_PASSWORD_FILE: path,
      MAIL_FROM: 'Gatehouse <gatehouse@example.org>',
    })
    assert.deepEqual([code, stderr], [0, ''])
    assert.ok(!stdout.includes(secret) && !stdout.includes('lamps'))
    const rows: { setting: string }[] = JSON.parse(stdout)
    const rowOf = (name: string) => rows.find(({ setting }) => setting === name)
    assert.deepEqual(
      rows.map(({ setting }) => setting),
      Object.keys(settings),
    )
    for (const [setting, value, source] of [
      ['PORT', 8080, 'environment'],
      ['HOST', '127.0.0.1', 'default'],
      ['CORS_ORIGINS', ['https://a.example', 'https://b.example'], 'environment'],
      ['MAIL_FROM', 'Gatehouse <gatehouse@example.org>', 'environment'],
      ['TOKEN_SECRET', '[redacted]', 'environment'],
      ['ADMIN_PASSWORD', '[redacted]', 'file'],
      ['TOKEN_PRIVATE_KEY', null, 'default'],
    ]) {
      assert.deepEqual(rowOf(String(setting)), { setting, value, source })
    }
  })

  test('config show: what is not accepted is not repeated, and the mistakes follow', async () => {
    const env = { MASTER_KEY: 'my little secret', DATABASE_URL: 'postgres://me:pw@db/x' }
    const { code, stdout, stderr } = await run('config show', env)
    assert.equal(code, 1)
    assert.match(stdout, /^MASTER_KEY +\[not accepted\] +environment$/m)
    assert.match(stderr, /MASTER_KEY must be 32 bytes/)
    assert.doesNotMatch(stdout + stderr, /little|pw@/)
  })

  test('routes and openapi are the checked-in documents', async () => {
    // Those of the settings by default: development has routes of its own.
    const env = { NODE_ENV: 'development' }
    const routes = await run('routes', env)
    assert.deepEqual([routes.code, routes.stdout], [0, readDoc('routes.txt')])
    const openapi = await run('openapi', env)
    assert.deepEqual([openapi.code, openapi.stdout], [0, readDoc('openapi.json')])
  })

  test('routes and openapi follow the settings, for machines too', async () => {
    const env = { USERS_POLICY: 'open', BASE_URL: 'https://auth.example.org' }
    const routes = JSON.parse((await run('routes --json', env)).stdout)
    const list = routes.find(
      ({ method, url }: { method: string; url: string }) => method === 'GET' && url === '/users',
    )
    const users = { USER: '200', EDITOR: '200', ADMIN: '200', owner: '200' }
    const all = { anonymous: '200', ...users, client: '200' }
    const expected = {
      method: 'GET',
      url: '/users',
      schemes: '-',
      body: 'none',
      rule: 'anyone',
      statuses: all,
    }
    assert.deepEqual(list, expected)
    const openapi = await run('openapi --json', env)
    assert.equal(openapi.stdout.indexOf('\n'), openapi.stdout.length - 1)
    const [server] = JSON.parse(openapi.stdout).servers
    assert.equal(server.url, 'https://auth.example.org')
  })

  test('none of them makes a data directory', () => {
    assert.deepEqual(globSync('data*', { cwd: directory }), [])
  })
})
