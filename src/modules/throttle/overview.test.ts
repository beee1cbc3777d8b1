// A database makes a difference: the overview reads and deletes rows.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { transact } from '../../core/database/transactions.ts'
import type { Username } from '../../core/lib/username.ts'
import {
  createThrottleKeys,
  deviceKey,
  nameOfEmail,
  secondFactorKey,
  takenUsernamesKeys,
} from './keys.ts'
import { createThrottleOverview, type LimitState } from './overview.ts'
import { type ThrottleKey, throttleStore } from './store.ts'

const ann = 'ann' as Username
const mail = 'ann@a.example'
const at = '192.0.2.1'

suite('the overview of the rate limits', async () => {
  const { db } = await ownDatabase()
  const clock = fixedClock()
  const dataKey = Buffer.alloc(32, 1)
  const keys = createThrottleKeys({ dataKey })
  const store = throttleStore(db)
  const env = {
    ...{ NODE_ENV: 'test', BASE_URL: 'https://auth.example', LOGIN_ATTEMPTS: '2' },
    ...{ LOGIN_WINDOW_SECONDS: '60', LOGIN_IP_ATTEMPTS: '1', LOGIN_ADDRESS_WINDOW_SECONDS: '30' },
  }
  const overviewWith = (more: object = {}) =>
    createThrottleOverview({
      ...{ db, clock, keys: { dataKey } },
      config: loadConfig({ ...env, LOGIN_PROOF_OF_WORK_AFTER: '0', ...more }),
    })
  const overview = overviewWith()

  beforeEach(async () => {
    await db.deleteFrom('throttle_places').execute()
  })

  async function take(key: ThrottleKey): Promise<number> {
    const [id = 0] = await store.insertPending(clock.now(), [
      { key, expiresAt: clock.now() + 60_000 },
    ])
    return id
  }
  const fail = async (key: ThrottleKey) => store.markFailed([await take(key)])
  const loginOf = (name: string) => keys.named(name as Username, at).login

  const shown = ({ count, address, used, pending, blockedUntil }: LimitState) => {
    const free = blockedUntil === null ? 'free' : (blockedUntil - clock.now()) / 1000
    return `${count} ${address} ${used}+${pending} ${free}`
  }

  test('shows what counts, how much, and until when it blocks', async () => {
    assert.equal(overview.digestOf('ann'), keys.digestOf('ann'))
    await fail(loginOf('ann'))
    await fail(keys.byEmail(ann, at))
    await fail(keys.named(ann, at).captcha)
    await fail(loginOf('ben'))
    await take(keys.address(at))
    await fail(secondFactorKey(7))
    const { total, data } = await overview.page({ page: 1, limit: 9 })
    assert.equal(total, 6)
    assert.deepEqual(data.map(shown), [
      'second_factor null 1+0 free',
      `address ${at} 0+1 10`,
      `login ${at} 1+0 free`,
      `captcha ${at} 1+0 free`,
      `login_by_email ${at} 2+0 60`,
      `login ${at} 2+0 60`,
    ])
    assert.deepEqual(
      data.map(({ attempts }) => attempts),
      [5, 1, 2, 0, 2, 2],
    )
    assert.deepEqual(
      data.map(({ windowSeconds }) => windowSeconds),
      [900, 30, 60, 60, 60, 60],
    )
    clock.advance(10)
    const [, address] = (await overview.page({ page: 1, limit: 2 })).data
    assert.equal(address && shown(address), `address ${at} 0+0 free`, 'its process is gone')
  })

  test('has pages and batches', async () => {
    const names = Array.from({ length: 45 }, (_, index) => `user${index}`)
    for (const name of names) await fail(loginOf(name))
    const digests = names.map((name) => keys.digestOf(name)).toReversed()
    const third = await overview.page({ page: 3, limit: 20 })
    assert.equal(third.total, 45)
    assert.deepEqual(
      third.data.map(({ usernameDigest }) => usernameDigest),
      digests.slice(40),
    )
    assert.ok(third.data.every(({ used }) => used === 1))
    assert.deepEqual((await overview.page({ page: 4, limit: 20 })).data, [])
    for (const size of [20, 45, 15, 100]) {
      const batches = await Array.fromAsync(overview.all(size))
      assert.equal(batches.length, Math.ceil(45 / size))
      assert.deepEqual(
        batches.flat().map(({ usernameDigest }) => usernameDigest),
        digests,
      )
      assert.ok(batches.flat().every(({ used }) => used === 1))
    }
  })

  const ofAnn = [
    loginOf('ann'),
    keys.named(ann, at).captcha,
    keys.byEmail(ann, at),
    keys.named(nameOfEmail(mail), '192.0.2.2').login,
    secondFactorKey(7),
    deviceKey(7, 'd'),
  ]

  test('shows the limits of an account, and forgets their failures and the failures of a client', async () => {
    for (const key of ofAnn) await fail(key)
    const others = [loginOf('ben'), secondFactorKey(8), deviceKey(8, 'd'), keys.address(at)]
    for (const key of [...others, keys.client('app', at)]) await fail(key)
    const account = { userId: 7, username: ann, email: mail }
    const states = await overview.ofAccount(account)
    const counts = ['device', 'second_factor', 'login', 'login_by_email', 'captcha', 'login']
    assert.deepEqual(
      states.map(({ count }) => count),
      counts,
    )
    assert.equal((await overview.ofAccount({ ...account, email: null })).length, 5)
    const pending = await take(loginOf('ann'))
    const forget = (userId: number | null, clientId: string) =>
      transact(db, [], (trx) =>
        overview.forget(trx, userId === null ? { username: ann, userId } : account, clientId),
      )
    assert.equal(await forget(null, 'none'), 3)
    assert.equal(await forget(7, 'app'), 4)
    const rows = await db.selectFrom('throttle_places').selectAll().execute()
    assert.equal(rows.length, others.length + 1)
    clock.advance(10)
    assert.equal(await forget(7, 'app'), 1, `${pending} is of a process that is gone`)
  })

  test('counts a username that looks like an email address as both', async () => {
    const username = mail as Username
    await fail(keys.named(username, at).login)
    await fail(keys.named(nameOfEmail(mail), at).login)
    assert.equal((await overview.ofAccount({ userId: 7, username, email: null })).length, 2)
    assert.equal((await overview.ofAccount({ userId: 7, username: ann, email: null })).length, 0)
  })

  test('shows the limits of an address alone, and forgets their failures', async () => {
    const ofAddress = [
      keys.address(at),
      keys.clientAddress(at),
      keys.passkeyAddress(at),
      takenUsernamesKeys('', at).client,
    ]
    for (const key of [...ofAddress, ...ofAddress.slice(1), ...ofAddress.slice(2)]) await fail(key)
    await fail(ofAddress[3] ?? assert.fail())
    for (const key of [loginOf('ann'), keys.address('192.0.2.2')]) await fail(key)
    const used = ['address 1', 'client_address 2', 'passkey_address 3', 'taken_usernames 4']
    const states = await overview.ofAddress(at)
    assert.deepEqual(
      states.map((one) => `${one.count} ${one.used}`),
      used,
    )
    assert.deepEqual(await overview.ofAddress('192.0.2.3'), [])
    const pending = await take(keys.address(at))
    const forget = () => transact(db, [], (trx) => overview.forgetAddress(trx, at))
    const counts = { logins: 1, clients: 2, passkeys: 3, usernames: 4 }
    assert.deepEqual(await forget(), { address: at, ...counts })
    const none = { logins: 0, clients: 0, passkeys: 0, usernames: 0 }
    assert.deepEqual(await forget(), { address: at, ...none })
    assert.deepEqual(
      (await overview.ofAddress(at)).map(({ used, pending }) => [used, pending]),
      [[0, 1]],
    )
    assert.equal((await db.selectFrom('throttle_places').selectAll().execute()).length, 3)
    await store.remove([pending])
  })

  test('counts the blocked keys; a limit that is off blocks none', async () => {
    for (const name of ['ann', 'ann', 'ben', 'cid', 'cid']) await fail(loginOf(name))
    await fail(keys.address(at))
    await take(keys.address('192.0.2.2'))
    assert.equal(await overview.blocked('login'), 2)
    assert.equal(await overview.blocked('address'), 2)
    assert.equal(await overviewWith({ LOGIN_ATTEMPTS: '0' }).blocked('login'), 0)
    assert.equal(await overviewWith({ LOGIN_ATTEMPTS: '1' }).blocked('login'), 3)
    clock.advance(10)
    assert.equal(await overview.blocked('address'), 1)
    clock.advance(20)
    assert.equal(await overview.blocked('address'), 0)
  })
})
