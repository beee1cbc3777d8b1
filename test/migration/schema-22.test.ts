// A database makes a difference: the rows of version 0.6.0 are migrated, and its sessions end others.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { latestSchema, migrateTo, schemaVersion } from '../../src/core/database/migrate.ts'
import { transact } from '../../src/core/database/transactions.ts'
import { type Headers, type TestApp, testApp } from '../app.ts'
import { backup, restore } from '../backups.ts'
import { fixedClock } from '../clock.ts'
import { folder, passphrase, place, restoring } from '../copies.ts'
import { connectTo, type TestConnected } from '../database.ts'
import { askForward } from '../forward.ts'
import { enter, hostBrowser, hostCookie, hostsApp, signInPath, whoIs, wiki } from '../hosts.ts'
import { masterKey } from '../master-key.ts'
import { assertRefusal } from '../refusal.ts'
import { type Row, writeOldRows } from './old-database.ts'

const writtenAt = '2026-01-15T12:00:30Z'

interface Old {
  readonly shown: {
    readonly session: { readonly cookie: string; readonly 'x-csrf-token': string }
    /** Of a login with two factors. */
    readonly strong: { readonly cookie: string }
    readonly ended: { readonly cookie: string }
    readonly token: string
    readonly revokedToken: string
    readonly refreshToken: string
  }
  readonly rows: Readonly<Record<string, readonly Row[]>>
}

/**
 * Rows of a database that version 0.6.0 filled, without those of triggers and of the audit log, and the
 * credentials of them. Never edited: what migrates it must take it as it is.
 */
const { shown, rows }: Old = JSON.parse(
  readFileSync(join(import.meta.dirname, 'schema-22.json'), 'utf8'),
)
const givingIds = new Set(['users', 'revocations', 'posts', 'notices'])

async function oldDatabase(): Promise<TestConnected> {
  const connected = await connectTo({
    directory: mkdtempSync(join(tmpdir(), 'gatehouse-')),
    isEmpty: true,
  })
  await transact(connected.db, [], async (trx) => {
    await migrateTo(trx, fixedClock(writtenAt), 22)
    await writeOldRows(trx, Object.entries(rows), givingIds)
  })
  return connected
}

/** The installation, but for the key of the place where it is. */
const env = {
  REFRESH_ROTATION: 'on',
  TOKEN_ALGORITHM: '',
  TOKEN_ISSUER: 'http://127.0.0.1:3000',
}

suite('a start on a database of version 0.6.0', async () => {
  const { db, directory } = await oldDatabase()
  assert.equal(await schemaVersion(db), 22)
  await db.destroy()
  const app = await hostsApp(
    { ...env, MASTER_KEY: masterKey },
    { directory, clock: fixedClock(writtenAt), seed: 2 },
  )
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const me = (token: string) => app.call('GET', '/api/me', { headers: bearer(token) })
  const session = ({ cookie }: { cookie: string }) =>
    app.call('GET', '/api/session', { headers: { cookie } })

  test('its sessions and tokens go on, and what has ended stays so', async () => {
    assert.equal(await schemaVersion(app.deps.db), latestSchema)
    assert.equal((await session(shown.session)).body.csrf_token, shown.session['x-csrf-token'])
    assert.equal((await session(shown.strong)).body.username, 'tom')
    assertRefusal(await session(shown.ended), 401, 'Authentication required')
    assert.deepEqual((await me(shown.token)).body.roles, ['USER', 'EDITOR'])
    assertRefusal(await me(shown.revokedToken), 401, 'Invalid token')
    const json = { refresh_token: shown.refreshToken }
    const refreshed = await app.call('POST', '/refresh', { json })
    assert.equal(refreshed.status, 200)
    assert.equal((await me(refreshed.body.access_token)).status, 200)
  })

  test('they count for applications', async () => {
    const told = async (host: string, headers: Headers) => {
      const answer = await askForward(app, { host, headers })
      return [answer.status, answer.headers['remote-user'], answer.headers['remote-email']]
    }
    const ann = [200, 'ann', 'ann@example.org']
    assert.deepEqual(await told('wiki.example.org', bearer(shown.token)), ann)
    assert.deepEqual(await told('id.example.org', { cookie: shown.session.cookie }), ann)
    assert.deepEqual(await told('id.example.org', shown.strong), [200, 'tom', undefined])
    assert.deepEqual(await told('id.example.org', shown.ended), [401, undefined, undefined])
  })

  test('they lead to sessions at other hosts, which end as that version ends theirs', async () => {
    const browser = hostBrowser()
    const handed = await app.call('GET', signInPath(`${wiki}/`, browser), {
      headers: { cookie: shown.session.cookie },
    })
    const step = await app.call('GET', String(handed.headers.location), {
      headers: { cookie: shown.session.cookie },
    })
    const secret = hostCookie(await enter(app, String(step.headers.location), browser))
    assert.equal(await whoIs(app, secret, wiki), 'ann')
    const [ann] = rows.sessions ?? []
    await app.deps.db.deleteFrom('sessions').where('id', '=', String(ann?.id)).execute()
    assert.equal(await whoIs(app, secret, wiki), null)
    const { forward_sessions } = await app.rows()
    assert.deepEqual(forward_sessions, [])
  })
})

for (const schema of [22, latestSchema]) {
  test(`a backup of schema ${schema} is restored, with its logins where they are kept`, async () => {
    const { db: old, directory } = await oldDatabase()
    await transact(old, [], (trx) => migrateTo(trx, fixedClock(writtenAt), schema))
    await old.destroy()
    const source = await place({ MASTER_KEY: masterKey }, directory)
    const path = `${folder()}/backup`
    await backup(source.deps, path, { passphrase })
    for (const keepLogins of [false, true]) {
      const { deps, directory: to } = await place()
      await restore(deps, path, { ...restoring, keepLogins })
      assert.equal(await schemaVersion(deps.db), latestSchema)
      const restored: TestApp = await testApp(env, {
        directory: to,
        clock: fixedClock(writtenAt),
        seed: 3,
      })
      const statuses = await Promise.all([
        restored.call('GET', '/api/session', { headers: { cookie: shown.session.cookie } }),
        restored.call('GET', '/api/me', { headers: { authorization: `Bearer ${shown.token}` } }),
        restored.call('GET', '/users', { headers: restored.basic(restored.admin) }),
      ])
      const login = keepLogins ? 200 : 401
      assert.deepEqual(
        statuses.map(({ status }) => status),
        [login, login, 200],
      )
    }
  })
}
