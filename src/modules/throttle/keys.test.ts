import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Username } from '../../core/lib/username.ts'
import {
  createThrottleKeys,
  deviceKey,
  nameOfEmail,
  otherSpellings,
  readThrottleKey,
  secondFactorKey,
  takenUsernamesKeys,
} from './keys.ts'
import type { ThrottleKey } from './store.ts'

const keys = createThrottleKeys({ dataKey: Buffer.alloc(32, 1) })
const others = createThrottleKeys({ dataKey: Buffer.alloc(32, 2) })
const ann = 'ann' as Username
const at = '192.0.2.1'

suite('the keys of rate limits', () => {
  const unnamed = { usernameDigest: null, clientDigest: null, userId: null, address: at }
  const usernameDigest = keys.digestOf('ann')
  const { login, captcha } = keys.named(ann, at)
  const taken = takenUsernamesKeys('4f', at)
  const read = {
    login: [login, { ...unnamed, count: 'login', usernameDigest }],
    captcha: [captcha, { ...unnamed, count: 'captcha', usernameDigest }],
    email: [keys.byEmail(ann, at), { ...unnamed, count: 'login_by_email', usernameDigest }],
    address: [keys.address(at), { ...unnamed, count: 'address' }],
    client: [keys.client('ann', at), { ...unnamed, count: 'client', clientDigest: usernameDigest }],
    clients: [keys.clientAddress(at), { ...unnamed, count: 'client_address' }],
    passkeys: [keys.passkeyAddress(at), { ...unnamed, count: 'passkey_address' }],
    factor: [
      secondFactorKey(17),
      { ...unnamed, count: 'second_factor', userId: 17, address: null },
    ],
    device: [deviceKey(17, 'd1'), { ...unnamed, count: 'device', userId: 17, address: null }],
    confirmation: [taken.confirmation, { ...unnamed, count: 'taken_usernames', address: null }],
    takenAtAddress: [taken.client, { ...unnamed, count: 'taken_usernames' }],
  } as const

  for (const [name, [key, expected]] of Object.entries(read)) {
    test(`a key is read as what it was made for: ${name}`, () => {
      assert.deepEqual(readThrottleKey(key), expected)
    })
  }

  test('no two limits share a key', () => {
    const texts = Object.values(read).map(([key]) => JSON.stringify(key))
    const more = [keys.named(null, at).login, deviceKey(17, 'd2'), keys.address('192.0.2.2')]
    const all = [...texts, ...more.map((key) => JSON.stringify(key))]
    assert.equal(new Set(all).size, all.length)
  })

  test('a digest depends on the name and on the key of the service, and hides the name', () => {
    assert.equal(
      keys.digestOf('ann'),
      createThrottleKeys({ dataKey: Buffer.alloc(32, 1) }).digestOf('ann'),
    )
    assert.notEqual(keys.digestOf('ann'), keys.digestOf('ben'))
    assert.notEqual(keys.digestOf('ann'), others.digestOf('ann'))
    assert.match(keys.digestOf('ann'), /^[A-Za-z0-9_-]{43}$/)
    assert.equal(keys.named(null, at).login.username, keys.digestOf(''))
  })

  test('a username and the email address of its account are spellings of each other', () => {
    const byEmail = keys.byEmail(ann, at)
    assert.deepEqual(otherSpellings(login), [byEmail])
    assert.deepEqual(otherSpellings(byEmail), [login])
    const alone: ThrottleKey[] = [captcha, keys.address(at), keys.client('ann', at), taken.client]
    for (const key of [...alone, secondFactorKey(17), deviceKey(17, 'd1')]) {
      assert.deepEqual(otherSpellings(key), [])
    }
  })

  test('an email address is counted under a name that no account can have', () => {
    assert.equal(nameOfEmail('ann@a.example'), 'mailto:ann@a.example')
  })
})
