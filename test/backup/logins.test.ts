import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import { checks } from '../../src/extras/backup/checks.ts'
import { checks as keyChecks } from '../../src/modules/api-keys/checks.ts'
import { serviceAccount } from '../api-keys.ts'
import { type Headers, type TestApp, testApp } from '../app.ts'
import { restore } from '../backups.ts'
import { backupOf, place, restoredApp, restoring } from '../copies.ts'
import { enrolled } from '../factor.ts'
import { servicesOf } from '../mail.ts'
import { runJob } from '../statistics.ts'

const use = async (app: TestApp, headers: Headers) =>
  (await app.call('GET', '/users?limit=1', { headers })).status
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const refresh = async (app: TestApp, refresh_token: string) =>
  (await app.call('POST', '/refresh', { form: { refresh_token } })).status

suite('logins after a restore', async () => {
  const app = await testApp()
  const { who, device } = await enrolled(app, 'ann')
  const bob = await app.account('bob')
  const pair = await app.pair(bob)
  const session = await app.session(bob)
  const revoked = await app.bearer(bob)
  await app.call('POST', '/logout', { headers: revoked })
  const ended = await app.session(bob)
  await app.call('POST', '/logout', { headers: ended })
  const { rememberedDevices } = await servicesOf(app)
  const browser = 'A'.repeat(43)
  await transact(app.deps.db, [], (trx) => rememberedDevices.remember(trx, who.userId, browser))
  const program = await serviceAccount(app, 'robot', ['users:read'])
  const appPassword = (userId: number, id: string) => ({
    ...{ id, user_id: userId, digest: id, kind: 'app_password' as const, name: 'mail' },
    ...{ scopes: '', roles: 'USER', created_by: null, created_at: 1, expires_at: 9e15 },
    ...{ told_at: null, last_used_at: null },
  })
  await app.deps.db
    .insertInto('api_keys')
    .values([
      appPassword(who.userId, 'a'),
      appPassword(who.userId, 'b'),
      appPassword(bob.userId, 'c'),
    ])
    .execute()
  const last = await app.account('last')
  await app.call('DELETE', `/users/${last.userId}`, { headers: app.basic(app.admin) })
  const path = await backupOf(app)
  const bare = await backupOf(app, { passphrase: undefined })
  // What happened between the backup and the loss.
  const later = await app.session(bob)
  const lost = await app.pair(await app.account('mallory', ['ADMIN']))
  const afterBackup = [later, bearer(lost.access_token)]

  const login = async (on: TestApp, more: object) =>
    (
      await on.call('POST', '/login', {
        json: { username: who.username, password: who.password, mode: 'token', ...more },
      })
    ).status
  const devicesOf = async (on: TestApp) =>
    (await on.deps.db.selectFrom('remembered_devices').select('user_id').execute()).length
  /** What the doctor says of the restore, some days later. */
  const told = async ({ deps }: TestApp, days: number) => {
    const clock = { now: () => deps.clock.now() + days * 86_400_000 }
    const check = checks.inside?.find(({ id }) => id === 'backup_restored') ?? assert.fail()
    const found = await check.find({ clock, db: deps.db } as never)
    return found.map(({ what }) => what.en)
  }
  const lacking = async ({ deps }: TestApp) => {
    const check = keyChecks.inside?.find(({ id }) => id === 'app_passwords_ended') ?? assert.fail()
    return (await check.find({ db: deps.db } as never)).map(({ what }) => what.en)
  }
  const add = async (on: TestApp) =>
    (
      await on.call('POST', '/users', {
        headers: on.basic(on.admin),
        json: { name: 'New', email: 'new@example.org' },
      })
    ).body.id

  test('by default every login has ended, those of after the backup too', async () => {
    for (const headers of [session, bearer(pair.access_token), ...afterBackup]) {
      assert.equal(await use(app, headers), 200, 'before')
    }
    const restored = await restoredApp(path, app)
    const all = [session, bearer(pair.access_token), revoked, ended, ...afterBackup]
    for (const headers of [...all, program.headers]) {
      assert.equal(await use(restored, headers), 401)
    }
    assert.equal(await refresh(restored, pair.refresh_token), 401)
    assert.equal(await refresh(restored, lost.refresh_token), 401)
    assert.equal(await use(restored, await restored.bearer(bob)), 200)
    assert.ok((await add(restored)) > 1_000_000, 'no id of after the backup is given out again')
    assert.deepEqual([await devicesOf(app), await devicesOf(restored)], [1, 0])
    assert.match(
      (await told(restored, 6)).join(),
      /all sessions, tokens, keys of programs, app passwords, remembered devices and consents to applications have ended/,
    )
    assert.deepEqual(await told(restored, 7), [])
  })

  test('by default authenticator apps go on, under a new master key; each code counts once', async () => {
    const restored = await restoredApp(path, app)
    assert.equal(await login(restored, {}), 401)
    const totp = device.code()
    assert.equal(await login(restored, { totp }), 200)
    assert.equal(await login(restored, { totp }), 401)
    assert.equal(await login(restored, { recovery_code: device.recoveryCodes[0] }), 200)
  })

  test('the doctor names whose app passwords have ended, until they have new ones', async () => {
    assert.deepEqual(await lacking(app), [])
    const restored = await restoredApp(path, app)
    assert.deepEqual(await lacking(restored), [
      'A restore has ended the app passwords of ann, bob.',
    ])
    await restored.deps.db.insertInto('api_keys').values(appPassword(bob.userId, 'new')).execute()
    assert.deepEqual(await lacking(restored), ['A restore has ended the app passwords of ann.'])
    await runJob(restored, 'ended app passwords')
    assert.equal((await lacking(restored)).length, 1)
    const at = restored.clock.now() - 30 * 86_400_000
    await restored.deps.db.updateTable('app_passwords_ended').set({ at }).execute()
    await runJob(restored, 'ended app passwords')
    assert.deepEqual(await lacking(restored), [])
    assert.deepEqual(await lacking(await restoredApp(path, app, { keepLogins: true })), [])
  })

  test('--keep-logins: what was alive at the backup is alive, what had ended has ended', async () => {
    const restored = await restoredApp(path, app, { keepLogins: true })
    assert.equal(await use(restored, session), 200)
    assert.equal(await use(restored, program.headers), 200)
    assert.equal(await use(restored, bearer(pair.access_token)), 200)
    assert.equal(await refresh(restored, pair.refresh_token), 200)
    assert.equal(await use(restored, revoked), 401)
    assert.equal(await use(restored, ended), 401)
    assert.equal(await use(restored, later), 401)
    assert.equal(await devicesOf(restored), 1)
    assert.equal(
      await add(restored),
      last.userId + 1,
      'the id of a deleted user is not given again',
    )
  })

  test('--without-keys: tokens and authenticator apps are void; no account loses its second factor', async () => {
    const sources = [
      [bare, true, 'left out'],
      [path, false, 'left behind'],
    ] as const
    for (const [source, unverified, how] of sources) {
      const options = { withoutKeys: true, unverified, keepLogins: true }
      const restored = await restoredApp(source, app, options)
      assert.equal(await use(restored, bearer(pair.access_token)), 401, how)
      assert.equal(await login(restored, {}), 401, how)
      assert.equal(await login(restored, { totp: device.code(1) }), 401, how)
      assert.equal(await login(restored, { recovery_code: device.recoveryCodes[1] }), 200, how)
      const rows = await restored.rows()
      const [factor] = rows.second_factors as { sealed: unknown; pending: unknown }[]
      assert.deepEqual([factor?.sealed, factor?.pending], [null, null], how)
    }
  })

  test('a backup without keys says so, unless that is what was asked for', async () => {
    const { deps, tables } = await place()
    await assert.rejects(restore(deps, bare, restoring), /has no keys: restore it --without-keys/)
    assert.deepEqual(await tables(), [])
  })
})

suite("a key of the operator's", async () => {
  const env = { TOKEN_SECRET: 'only the tests of restoring know this one' }
  const app = await testApp(env)
  const token = await app.bearer(app.admin)
  const path = await backupOf(app)

  test('that has signed tokens is refused at a restore, and nothing is written', async () => {
    for (const name of ['TOKEN_SECRET', 'TOKEN_SECRET_PREVIOUS']) {
      const { deps, tables } = await place({ [name]: env.TOKEN_SECRET })
      await assert.rejects(restore(deps, path, restoring), /TOKEN_SECRET .* set another one/)
      assert.deepEqual(await tables(), [])
    }
  })

  test('is taken where logins are kept; another one ends them', async () => {
    const kept = await restoredApp(path, app, { keepLogins: true }, env)
    assert.equal(await use(kept, token), 200)
    const other = { TOKEN_SECRET: 'the next one, which nothing was signed with' }
    assert.equal(await use(await restoredApp(path, app, {}, other), token), 401)
  })
})
