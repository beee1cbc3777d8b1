// A database makes a difference: PostgreSQL alone is reached over TLS.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite } from 'node:test'
import { isLoopback } from '../../src/core/addresses/loopback.ts'
import { connect } from '../../src/core/database/connect.ts'
import { execute } from '../../src/core/database/database.ts'
import { parsePostgresAddress } from '../../src/core/database/postgres/address.ts'
import { reasonOf } from '../../src/core/reason.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { postgresOnly as test } from '../database.ts'
import { failedStart } from '../faults/starts.ts'
import { masterKey } from '../master-key.ts'
import { password, startTlsPostgres, type TlsPostgres } from '../tls-postgres.ts'
import { until } from '../until.ts'

interface SessionRow {
  readonly ssl: boolean
  readonly version: string | null
  readonly client_dn: string | null
  readonly isEar: boolean
}

suite('TLS to PostgreSQL', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  let starting: Promise<TlsPostgres> | undefined
  const database = () => {
    starting ??= startTlsPostgres()
    return starting
  }
  after(async () => {
    await (await starting)?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const urlOf = (port: number, parameters: Record<string, string>, host = '127.0.0.1') =>
    `postgres://worded:${encodeURIComponent(password)}@${host}:${port}/worded?${new URLSearchParams(parameters)}`
  const verified = async ({ files, port }: TlsPostgres, host?: string) =>
    urlOf(port, { sslmode: 'verify-full', sslrootcert: files.authority ?? '' }, host)

  /** Why a connection fails; empty where it does not. */
  const failure = async (url: string) => {
    const { db } = connect({
      dataDirectory: directory,
      timeoutMs: 5000,
      postgres: parsePostgresAddress(url, isLoopback),
    })
    const reason = await execute(db, 'select').then(() => '', reasonOf)
    await db.destroy()
    assert.ok(!reason.includes(password))
    return reason
  }

  test('verify-full guards every connection of a service: pool and ear', async () => {
    const server = await database()
    const app = await testApp({
      DATABASE_URL: await verified(server),
      MASTER_KEY: masterKey,
      LOG_LEVEL: 'trace',
    })
    const headers = await app.bearer(app.admin)
    await until(() => app.deps.feed.isCurrent())
    assert.equal((await app.call('GET', '/api/me', { headers })).status, 200)
    const sessions = await server.query<SessionRow>(
      `select ssl, version, client_dn, query like '%pg_current_snapshot%' or query like 'listen gatehouse%' as "isEar"
        from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'worded'`,
    )
    assert.ok(sessions.some(({ isEar }) => isEar) && sessions.some(({ isEar }) => !isEar))
    assert.deepEqual(new Set(sessions.map(({ ssl }) => ssl)), new Set([true]))
    assert.match(sessions[0]?.version ?? '', /^TLSv1\.[23]$/)

    // Shown to connections to come: a certificate that runs out while the service runs.
    await server.show('expired')
    await server.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'worded'",
    )
    const users = () => app.call('GET', '/users?limit=1', { headers: app.basic(app.admin) })
    const isTold = () => JSON.stringify(app.log).includes('certificate has expired')
    await until(async () => (await users()).status === 503 && isTold())
    await server.show('server')
    await until(async () => (await users()).status === 200)
    assert.ok(!JSON.stringify(app.log).includes(password))
    await app.close()
  })

  test('verify-full guards the command line', async () => {
    const server = await database()
    const env = { DATABASE_URL: await verified(server), MASTER_KEY: masterKey }
    assert.equal((await gatehouse(directory, 'migrate', { env })).code, 0)
    const foreign = urlOf(server.port, {
      sslmode: 'require',
      sslrootcert: server.files.foreign ?? '',
    })
    const refused = await gatehouse(directory, 'account list', {
      env: { ...env, DATABASE_URL: foreign },
    })
    assert.match(refused.stderr, /certificate/)
    assert.notEqual(refused.code, 0)
    assert.ok(!refused.stderr.includes(password))
  })

  test('a server with a wrong certificate or without TLS is refused', async () => {
    const server = await database()
    const { files, port } = server
    for (const host of ['127.0.0.1', 'localhost']) {
      assert.equal(await failure(await verified(server, host)), '', host)
    }
    const foreign = urlOf(port, { sslmode: 'verify-full', sslrootcert: files.foreign ?? '' })
    assert.match(await failure(foreign), /certificate/)
    const unknown = urlOf(port, { sslmode: 'verify-full' })
    assert.match(await failure(unknown), /certificate/, 'of the authorities that Node knows')
    assert.match(await failure(urlOf(port, { sslmode: 'disable' })), /no pg_hba\.conf entry/)

    await server.show('other')
    for (const host of ['127.0.0.1', 'localhost']) {
      assert.match(await failure(await verified(server, host)), /altnames/, host)
    }
    await server.show('expired')
    assert.match(await failure(await verified(server)), /certificate has expired/)
    assert.equal(await failure(urlOf(port, { sslmode: 'no-verify' })), '')
    await server.show('server')
  })

  test('a start on a server of another authority ends with exit code 1 and says why', async () => {
    const { port, files } = await database()
    const { code, output } = await failedStart({
      DATABASE_URL: urlOf(port, { sslmode: 'verify-full', sslrootcert: files.foreign ?? '' }),
      MASTER_KEY: masterKey,
      DATA_DIR: directory,
    })
    assert.equal(code, 1)
    assert.match(output, /Gatehouse cannot start: .*certificate/)
    assert.ok(!output.includes(password) && !output.includes(encodeURIComponent(password)))
  })

  test('a client certificate authenticates the service; one of another authority does not', async () => {
    const server = await database()
    const { files, port } = server
    const url = (name: string) =>
      `postgres://certified@127.0.0.1:${port}/certified?${new URLSearchParams({
        sslmode: 'verify-full',
        sslrootcert: files.authority ?? '',
        ...(name !== '' && { sslcert: files[name] ?? '', sslkey: files[`${name}.key`] ?? '' }),
      })}`
    assert.equal(await failure(url('client')), '')
    assert.match(await failure(url('')), /certificate/)
    assert.notEqual(await failure(url('stranger')), '')
    const asAnother = url('client').replace('//certified@', `//worded@`)
    assert.notEqual(await failure(asAnother), '', 'a certificate is no password')
  })

  test('a wrong password is refused, and not told', async () => {
    const server = await database()
    const wrong = (await verified(server)).replace(/:[^:@]*@/, ':another%20word@')
    const reason = await failure(wrong)
    assert.match(reason, /password authentication failed/)
    assert.ok(!reason.includes('another word'))
  })
})
