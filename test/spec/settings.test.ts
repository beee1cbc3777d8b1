import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { settingsInForce } from '../../src/core/config/in-force.ts'
import { optional, text } from '../../src/core/config/kinds.ts'
import { testApp } from '../app.ts'
import { settings } from '../config.ts'
import { masterKey } from '../master-key.ts'

interface Shown {
  readonly name: string
  readonly value: string | null
  readonly [field: string]: unknown
}

suite('GET /api/admin/settings', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const keyFile = join(folder, 'master.key')
  writeFileSync(keyFile, `${masterKey}\n`, { mode: 0o600 })
  const secrets = {
    SMTP_URL: 'smtp+insecure://post:the-mail-secret@127.0.0.1:2525',
    OIDC_ACME_CLIENT_SECRET: 'the-client-secret-of-acme',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=the-collector-secret',
    BACKUP_PASSPHRASE: 'the backup phrase that is long enough 42',
  }
  const app = await testApp({
    ...secrets,
    MAIL_FROM: 'Gate <gate@example.org>',
    MASTER_KEY: '',
    MASTER_KEY_FILE: keyFile,
    OIDC_PROVIDERS: 'acme',
    OIDC_ACME_ISSUER: 'https://acme.example.org',
    OIDC_ACME_CLIENT_ID: 'gatehouse',
    LOGIN_ATTEMPTS: '7',
    ROLES: 'AUDITOR,  CLERK',
    LOG_LEVEL: '',
  })
  const headers = await app.session(app.admin)
  const { body, status, text: sent } = await app.call('GET', '/api/admin/settings', { headers })
  const of = (name: string) => body.data.find((setting: Shown) => setting.name === name)

  test('each setting of the table is told once, and those of a named provider', () => {
    assert.equal(status, 200)
    const names = body.data.map(({ name }: Shown) => name)
    assert.equal(new Set(names).size, names.length)
    for (const name of Object.keys(settings)) assert.ok(names.includes(name), name)
    assert.ok(names.includes('OIDC_ACME_ISSUER'))
  })

  test('a value with its source: the environment, a default, and one that follows from others', () => {
    const { description: _, ...attempts } = of('LOGIN_ATTEMPTS')
    assert.deepEqual(attempts, {
      name: 'LOGIN_ATTEMPTS',
      value: '7',
      default: '5',
      source: 'environment',
      file: null,
      is_secret: false,
      is_set: true,
    })
    assert.equal(of('LOGIN_ATTEMPTS').description, settings.LOGIN_ATTEMPTS.doc)
    assert.equal(of('ROLES').value, 'AUDITOR,  CLERK', 'as it was written')
    const told = ({ is_set, source, value }: Shown) => [value, source, is_set]
    assert.deepEqual(told(of('LOG_LEVEL')), ['info', 'default', false], 'empty counts as not set')
    assert.deepEqual(told(of('BASE_URL')), ['http://127.0.0.1:3000', 'default', false])
    assert.deepEqual(told(of('TOKEN_ISSUER')), ['http://127.0.0.1:3000', 'default', false])
    assert.deepEqual(told(of('BACKUP_DIR')), [null, 'default', false])
    assert.deepEqual(told(of('OIDC_ACME_ISSUER')), [
      'https://acme.example.org',
      'environment',
      true,
    ])
  })

  test('of a secret it is told whether it is set and where, and never what it is', () => {
    for (const [name, value] of Object.entries(secrets)) {
      const { is_secret, is_set, source, value: shown } = of(name)
      assert.deepEqual([shown, is_secret, is_set, source], [null, true, true, 'environment'], name)
      assert.ok(!sent.includes(value), name)
    }
    for (const part of ['the-mail-secret', 'the-client-secret', 'the-collector', masterKey]) {
      assert.ok(!sent.includes(part), part)
    }
    assert.ok(!sent.includes(app.admin.password))
    const { file, source, value } = of('MASTER_KEY')
    assert.deepEqual([file, source, value], [keyFile, 'file', null])
    const { is_set, source: none } = of('TOKEN_SECRET')
    assert.deepEqual([is_set, none], [false, 'default'])
  })

  test('every secret of the table is hidden, whatever the setting', () => {
    const env = Object.fromEntries(Object.keys(settings).map((name) => [name, `value-of-${name}`]))
    for (const { isSecret, name, value } of settingsInForce([settings], env, {})) {
      assert.equal(value, isSecret ? null : `value-of-${name}`)
      // Those that hold a credential by their nature.
      if (
        /SECRET|PASSWORD$|MASTER_KEY|PASSPHRASE|PRIVATE_KEY|_HEADERS$|DATABASE_URL|SMTP_URL/.test(
          name,
        )
      ) {
        assert.equal(isSecret, true, name)
      }
    }
  })

  test('credentials in an address of a module from outside are hidden as well', () => {
    const table = {
      X_ADDRESS: optional({ doc: 'An address.', parse: (value) => value }),
      X_MANY: text({ default: 'none', doc: 'Several.' }),
      X_LIST: text({ default: 'none', doc: 'More.' }),
    }
    const env = {
      X_ADDRESS: 'redis://user:pass@wo,rd@10.0.0.1:6379/0',
      X_MANY: 'https://a:b@one.example.org/x?y=@z,ldap://c:d@two.example.org',
      X_LIST: 'https://one.example.org,mailto:me@example.org',
    }
    assert.deepEqual(
      settingsInForce([table], env, {}).map(({ value }) => value),
      [
        'redis://[hidden]@10.0.0.1:6379/0',
        'https://[hidden]@one.example.org/x?y=@z,ldap://[hidden]@two.example.org',
        'https://[hidden]@example.org', // what is before the last @ might be a password
      ],
    )
  })
})
