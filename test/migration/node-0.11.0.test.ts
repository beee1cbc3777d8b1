// A database makes a difference: PostgreSQL notifies of what another node commits.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { packageVersion } from '../../src/core/config/version.ts'
import { migrateTo } from '../../src/core/database/migrate.ts'
import { transact } from '../../src/core/database/transactions.ts'
import { testApp } from '../app.ts'
import { auditRecords, recordTold } from '../audit-chains.ts'
import { fixedClock } from '../clock.ts'
import { connectTo, heard } from '../database.ts'
import { mailerOf, servicesOf } from '../mail.ts'
import { masterKey } from '../master-key.ts'
import { assertRefusal } from '../refusal.ts'
import { startRelay } from '../relay.ts'
import { deliveriesOf, runJob } from '../webhook-sending.ts'
import { type Row, writeOldRows } from './old-database.ts'

interface Old {
  readonly shown: {
    readonly session: { readonly cookie: string }
    readonly endedSession: { readonly cookie: string }
    readonly token: string
    readonly endedToken: string
    readonly refreshToken: string
    /** Of an account with a second factor. */
    readonly second: object
    /** The id of a refused login. */
    readonly refused: string
  }
  readonly rows: Readonly<Record<string, readonly Row[]>>
  /** What the node adds at the end of a token and of a session. */
  readonly later: Readonly<Record<string, readonly Row[]>>
}

/**
 * The rows that a node of version 0.11.0 wrote, without the rows of triggers, and the credentials of
 * them. Never edited: a node of this version reads the rows as they are.
 */
const lines = readFileSync(join(import.meta.dirname, 'node-0.11.0.jsonl'), 'utf8')
  .trim()
  .split('\n')
const { shown, rows, later }: Old = Object.assign({}, ...lines.map((line) => JSON.parse(line)))
const schema = 33
const clock = fixedClock('2026-01-15T12:01:00Z')

suite('a node of version 0.11.0 on the database of this one', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const { db: old } = await connectTo({ directory, isEmpty: true })
  const write = (more: Old['rows'], givingIds: string[] = []) =>
    transact(old, [], (trx) => writeOldRows(trx, Object.entries(more), new Set(givingIds)))
  await transact(old, [], (trx) => migrateTo(trx, clock, schema))
  await write(rows, [
    ...['users', 'throttle_places', 'revocations', 'audit_records'],
    ...['posts', 'notices', 'webhook_events'],
  ])
  const relay = await startRelay()
  const env = { ...relay.env, REFRESH_ROTATION: 'on', TOKEN_ALGORITHM: '', MASTER_KEY: masterKey }
  const app = await testApp(
    { ...env, TOKEN_ISSUER: 'http://127.0.0.1:3000' },
    { directory, clock, seed: 12 },
  )
  const me = (token: string) =>
    app.call('GET', '/api/me', { headers: { authorization: `Bearer ${token}` } })
  const session = ({ cookie }: { cookie: string }) =>
    app.call('GET', '/api/session', { headers: { cookie } })

  test('its logins count here', async () => {
    assert.equal((await session(shown.session)).body.username, 'ann')
    assert.deepEqual((await me(shown.token)).body.roles, ['USER', 'EDITOR'])
    const json = { refresh_token: shown.refreshToken }
    assert.equal((await app.call('POST', '/refresh', { json })).status, 200)
    assert.equal((await app.call('POST', '/login', { json: shown.second })).status, 200)
    const again = await app.call('POST', '/login', { json: shown.second })
    assertRefusal(again, 401, 'Invalid credentials')
  })

  test('what ends there ends here', async () => {
    assert.equal((await session(shown.endedSession)).status, 200)
    assert.equal((await me(shown.endedToken)).status, 200)
    await old.deleteFrom('sessions').where('user_id', '=', 3).execute()
    await write(later)
    await heard(app)
    assertRefusal(await session(shown.endedSession), 401, 'Authentication required')
    assertRefusal(await me(shown.endedToken), 401, 'Invalid token')
  })

  test('a mail that it sends is left to it, and one that waits is sent once', async () => {
    const [, leased] = rows.mails ?? []
    await old
      .updateTable('mails')
      .set({ state: 'sending', locked_by: 'a node', locked_until: clock.now() + 60_000 })
      .where('id', '=', String(leased?.id))
      .execute()
    const services = await servicesOf(app)
    const mailers = [mailerOf(app, services), mailerOf(app, services)]
    await Promise.all(mailers.map((mailer) => mailer.run()))
    assert.deepEqual(
      relay.mails.map(({ to }) => to),
      [['waiting@example.org']],
    )
    const left = await old
      .selectFrom('mails')
      .select('id')
      .where('locked_by', '=', 'a node')
      .execute()
    assert.deepEqual(left, [{ id: leased?.id }])
  })

  test('each of its events goes to a webhook once', async () => {
    const events = [...(rows.webhook_events ?? []), ...(later.webhook_events ?? [])]
    await runJob(app, 'webhooks')
    await runJob(app, 'webhooks')
    const sent = (await deliveriesOf(app)).map(({ message }) => message)
    for (const { message } of events) {
      assert.equal(sent.filter((one) => one === message).length, 1)
    }
  })

  test('the records of both nodes verify, and what it refused is explained', async () => {
    await recordTold(app)
    const records = await auditRecords(app)
    const versions = new Set(records.map(({ plain }) => plain.version))
    assert.deepEqual(versions, new Set(['0.11.0', packageVersion()]))
    const headers = await app.bearer(app.admin)
    const explained = await app.call('GET', `/api/admin/explain/${shown.refused}`, { headers })
    assert.equal(explained.body.code, 'wrong_password')
  })
})
