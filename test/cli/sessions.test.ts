// A database makes a difference: each command once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import { testApp } from '../app.ts'
import { heard } from '../database.ts'
import { servicesOf } from '../mail.ts'
import { gatehouse } from './gatehouse.ts'

suite('commands that people look for', async () => {
  const app = await testApp()
  const run = async (words: string) => {
    const ran = await gatehouse(app.directory, words, { clock: app.clock })
    await heard(app) // the command line is another node
    return ran
  }
  const status = async (headers: Record<string, string>) =>
    (await app.call('GET', '/api/protected', { headers })).status
  const newest = async (type: string) => {
    const { body } = await app.call('GET', `/api/admin/audit?type=${type}&limit=1`, {
      headers: app.basic(app.admin),
    })
    return body.data[0]
  }
  async function refused(words: string, code: number, text: RegExp) {
    const before = await app.rows()
    const ran = await run(words)
    assert.deepEqual([ran.code, ran.stdout], [code, ''], words)
    assert.match(ran.stderr, text)
    assert.deepEqual(await app.rows(), before, 'nothing changed')
  }

  test('session list shows the sessions of an account as the route does', async () => {
    const ann = await app.account('ann')
    await app.session(ann)
    await app.session(ann)
    const ran = await run('session list ann --json')
    const { body } = await app.call('GET', '/api/admin/accounts/ann/sessions', {
      headers: app.basic(app.admin),
    })
    const rows = body.map(({ current: _, ...row }: { current: boolean }) => row)
    assert.equal(rows.length, 2)
    assert.deepEqual([ran.code, JSON.parse(ran.stdout)], [0, rows])
    await app.account('bob')
    assert.deepEqual(JSON.parse((await run('session list bob --json')).stdout), [])
    assert.match((await run('session list ann')).stdout, /^id +created_at +last_seen_at/)
  })

  test('session end ends one session by its id', async () => {
    const cid = await app.account('cid')
    const [one, other] = [await app.session(cid), await app.session(cid)]
    const [{ id }] = JSON.parse((await run('session list cid --json')).stdout)
    const ran = await run(`session end cid ${id} --json`)
    assert.deepEqual([ran.code, JSON.parse(ran.stdout)], [0, { username: 'cid', session: id }])
    assert.deepEqual([await status(one), await status(other)].toSorted(), [200, 401])
    const { actor, details, target } = await newest('session_ended')
    assert.deepEqual([actor.kind, target.user_id, details.reason], ['cli', cid.userId, 'operator'])
    await refused(`session end cid ${id}`, 3, /^error: cid has no session /)
  })

  test('session end without an id ends all sessions and tokens', async () => {
    const dan = await app.account('dan')
    const [session, bearer] = [await app.session(dan), await app.bearer(dan)]
    const ran = await run('session end dan')
    assert.deepEqual(ran.stdout, 'all sessions and all tokens of dan have ended\n')
    const me = await app.call('GET', '/api/me', { headers: bearer })
    assert.deepEqual([await status(session), me.status], [401, 401])
    assert.equal((await newest('session_ended')).details.reason, 'administrator')
  })

  test('device list and device end show and forget remembered devices', async () => {
    const { rememberedDevices } = await servicesOf(app)
    const wendy = await app.account('wendy')
    const list = async () => JSON.parse((await run('device list wendy --json')).stdout)
    for (const browser of ['a', 'b', 'c']) {
      await transact(app.deps.db, [], (trx) =>
        rememberedDevices.remember(trx, wendy.userId, browser.repeat(43)),
      )
    }
    const { body } = await app.call('GET', '/api/admin/accounts/wendy/devices', {
      headers: app.basic(app.admin),
    })
    assert.equal(body.length, 3)
    assert.deepEqual(await list(), body)
    const { id } = body[1]
    const ended = await run(`device end wendy ${id} --json`)
    assert.deepEqual([ended.code, JSON.parse(ended.stdout)], [0, { username: 'wendy', device: id }])
    assert.deepEqual(await list(), [body[0], body[2]])
    const { actor, details } = await newest('mfa_device_forgotten')
    assert.deepEqual([actor.kind, details], ['cli', { count: 1, reason: 'administrator' }])
    await refused(`device end wendy ${id}`, 3, /^error: wendy has no device /)
    await refused('device end nobody', 3, /nobody/)
    const all = await run('device end wendy')
    assert.equal(all.stdout, 'all devices of wendy must prove the second factor again\n')
    assert.deepEqual(await list(), [])
    assert.equal((await run('device end wendy')).code, 0)
  })

  test('user delete deletes a user with the account, and asks before', async () => {
    const eve = await app.account('eve')
    const session = await app.session(eve)
    await refused(`user delete ${eve.userId}`, 2, /use --yes/)
    const ran = await run(`user delete ${eve.userId} --yes --json`)
    assert.deepEqual([ran.code, JSON.parse(ran.stdout).id], [0, eve.userId])
    assert.equal(await status(session), 401)
    assert.equal((await run('account show eve')).code, 3)
    const { actor } = await newest('user_deleted')
    assert.equal(actor.kind, 'cli')
  })

  test('account email shows the addresses of an account, and sets the one of its user', async () => {
    const fay = await app.account('fay')
    const shown = JSON.parse((await run('account email fay --json')).stdout)
    assert.deepEqual([shown.username, shown.verified_email], ['fay', null])
    const ran = await run('account email fay fay@example.com --json')
    assert.deepEqual([ran.code, JSON.parse(ran.stdout).email], [0, 'fay@example.com'])
    const { body } = await app.call('GET', `/users/${fay.userId}`, {
      headers: app.basic(app.admin),
    })
    assert.equal(body.email, 'fay@example.com')
    const { actor, target } = await newest('user_updated')
    assert.deepEqual([actor.kind, target.user_id], ['cli', fay.userId])
  })

  for (const [words, code, text] of [
    ['session list nobody', 3, /^error: there is no account nobody/],
    ['session end nobody', 3, /^error: there is no account nobody/],
    ['session end', 2, /^error: missing: <username>/],
    ['user delete 99999 --yes', 3, /^error: there is no user 99999/],
    ['user delete ann --yes', 2, /^error: a user has a number/],
    ['user delete 1 --yes', 4, /^error: Last administrator/],
    ['account email nobody', 3, /^error: there is no account nobody/],
    ['account email admin no-address', 2, /^error: no-address is no e-mail address/],
  ] as const) {
    test(`${words}: exits with ${code}`, () => refused(words, code, text))
  }

  for (const [former, present] of [
    ['invite', 'invitation create'],
    ['webhook change', 'webhook update'],
    ['webhook repeat', 'webhook redeliver'],
  ]) {
    test(`${former} is the former name of ${present}`, async () => {
      const help = (await run(`help ${present}`)).stdout
      assert.match(help, new RegExp(`-- ${present}`))
      for (const words of [`help ${former}`, `${former} --help`]) {
        assert.equal((await run(words)).stdout, help)
      }
    })
  }
})
