import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { place, print, prints } from '../../../test/keys.ts'
import { seededRandom } from '../../../test/random.ts'
import { until } from '../../../test/until.ts'
import { connect } from '../../core/database/connect.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const secret = 'only the tests of the key set know this'
const previous = 'what the tests of the key set knew before'

suite('the key set', () => {
  test('the first start makes 256-bit keys for both tokens and for data, and seals them', async () => {
    const { load, rows, kinds, file } = await place()
    const keys = await load()
    assert.deepEqual(await kinds(), ['data A256GCM', 'refresh HS256', 'signing HS256'])
    assert.equal(keys.current.algorithm, 'HS256')
    const material = keys.current.signWith.export()
    assert.equal(material.length, 32)
    assert.equal(keys.dataKey.length, 32)
    const refresh = await keys.signer('refresh')
    const refreshMaterial = refresh.signWith.export()
    assert.equal(refreshMaterial.length, 32)
    const all = [keys.dataKey, keys.current.signWith, refresh.signWith].map(print)
    assert.equal(new Set(all).size, 3)
    assert.equal(keys.current.signWith, keys.current.verifyWith)
    assert.deepEqual(keys.publicKeys(), { keys: [] })
    const stored = JSON.stringify(await rows())
    const master = readFileSync(file, 'utf8').trim()
    const data = Buffer.from(keys.dataKey)
    for (const bytes of [material, refreshMaterial, data, Buffer.from(master, 'base64url')]) {
      for (const form of ['hex', 'base64', 'base64url'] as const) {
        assert.ok(!stored.includes(bytes.toString(form)), form)
      }
    }
  })

  test('a kid never begins like an option: it is an operand of the command line', async () => {
    const { load } = await place()
    const { bytes } = seededRandom(1)
    const random = { bytes: (length: number) => Buffer.from(bytes(length)).fill(0xfb, 0, 1) }
    assert.match(Buffer.from(random.bytes(12)).toString('base64url'), /^-/)
    const { current } = await load({}, undefined, random)
    assert.match(current.kid, /^_/)
  })

  test('the next start finds the same keys and adds none', async () => {
    const { load, rows } = await place()
    const first = await load()
    const stored = await rows()
    assert.deepEqual(prints(await load()), prints(first))
    assert.deepEqual(await rows(), stored)
  })

  test('a key is found by its kid; no kid means the present one, an unknown kid none', async () => {
    const { current, find } = await (await place()).load()
    assert.equal(await find(current.kid), current)
    assert.equal(await find(undefined), current)
    for (const kid of ['', 'another', '__proto__', 'constructor', `${current.kid} `]) {
      assert.equal(await find(kid), undefined, kid)
    }
  })

  test('RS256 generates 2048 bits; the HS256 key before it still verifies', async () => {
    const { load, kinds } = await place()
    const before = await load()
    const keys = await load({ TOKEN_ALGORITHM: 'RS256' })
    const all = ['data A256GCM', 'refresh HS256', 'signing HS256', 'signing RS256']
    assert.deepEqual(await kinds(), all)
    assert.equal(keys.current.algorithm, 'RS256')
    assert.equal(keys.current.signWith.type, 'private')
    assert.equal(keys.current.verifyWith.type, 'public')
    assert.equal(keys.current.verifyWith.asymmetricKeyDetails?.modulusLength, 2048)
    const old = await keys.find(before.current.kid)
    assert.deepEqual([old?.algorithm, await keys.find(undefined)], ['HS256', keys.current])
    assert.equal(print(keys.dataKey), print(before.dataKey))

    const [shown, ...others] = keys.publicKeys().keys
    assert.deepEqual(others, [])
    assert.deepEqual(Object.keys(shown ?? {}).toSorted(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
    assert.equal(shown?.kid, keys.current.kid)

    const back = await load()
    assert.deepEqual(prints(back), prints(before))
    assert.equal((await back.find(keys.current.kid))?.algorithm, 'RS256')
  })

  test('TOKEN_SECRET signs in place of a generated key, TOKEN_SECRET_PREVIOUS only verifies', async () => {
    const { load, kinds } = await place()
    const both = await load({ TOKEN_SECRET: secret, TOKEN_SECRET_PREVIOUS: previous })
    assert.deepEqual(await kinds(), ['data A256GCM', 'refresh HS256'])
    assert.equal(both.current.signWith.export().toString(), secret)
    const only = await load({ TOKEN_SECRET: previous })
    const old = await both.find(only.current.kid)
    assert.equal(old?.verifyWith.export().toString(), previous)
    assert.notEqual(both.current.kid, only.current.kid)
    assert.ok(!secret.includes(both.current.kid))
    const plain = createHash('sha256').update(secret)
    assert.notEqual(plain.digest('base64url').slice(0, 22), both.current.kid)

    const orphan = await load({ TOKEN_SECRET_PREVIOUS: previous })
    assert.deepEqual(await kinds(), ['data A256GCM', 'refresh HS256', 'signing HS256'])
    assert.notEqual(orphan.current.kid, only.current.kid)
    assert.ok(await orphan.find(only.current.kid))
    const twice = await load({ TOKEN_SECRET: secret, TOKEN_SECRET_PREVIOUS: secret })
    assert.equal(twice.current.kid, both.current.kid)
  })

  test('TOKEN_PRIVATE_KEY signs where the algorithm is RS256, and verifies anyway', async () => {
    const { load, kinds } = await place()
    const keys = await load({ TOKEN_ALGORITHM: 'RS256', TOKEN_PRIVATE_KEY: pem })
    assert.deepEqual(await kinds(), ['data A256GCM', 'refresh HS256'])
    assert.equal(print(keys.current.signWith), print(privateKey))
    assert.equal(print(keys.current.verifyWith), print(publicKey))
    const beside = await load({ TOKEN_PRIVATE_KEY: pem })
    assert.deepEqual(await kinds(), ['data A256GCM', 'refresh HS256', 'signing HS256'])
    assert.equal(beside.current.algorithm, 'HS256')
    assert.equal((await beside.find(keys.current.kid))?.algorithm, 'RS256')
    assert.equal(beside.publicKeys().keys[0]?.kid, keys.current.kid)
  })

  test('two loads at once make one key of each purpose', async () => {
    const { directory, load, kinds } = await place()
    const { db } = connect({ dataDirectory: directory, timeoutMs: 1000, synchronous: 'off' })
    for (const algorithm of ['HS256', 'RS256']) {
      const env = { TOKEN_ALGORITHM: algorithm }
      const [one, two, three] = await Promise.all([load(env), load(env, db), load(env, db)])
      assert.deepEqual(prints(one), prints(two))
      assert.deepEqual(prints(one), prints(three))
    }
    const all = ['data A256GCM', 'refresh HS256', 'signing HS256', 'signing RS256']
    assert.deepEqual(await kinds(), all)
    await db.destroy()
  })

  test('a sealed key that was moved or changed opens nothing', async () => {
    const { db, load, rows } = await place()
    await load()
    const stored = await rows()
    const first = stored.find(({ purpose }) => purpose === 'signing')
    const second = stored.find(({ purpose }) => purpose === 'data')
    assert.ok(first && second)
    const flip = first.sealed.startsWith('A') ? 'B' : 'A'
    const edits = [
      { sealed: second.sealed },
      { sealed: `${flip}${first.sealed.slice(1)}` },
      { sealed: '' },
      { id: 'another' },
      { purpose: second.purpose },
    ]
    for (const edit of edits) {
      await db.updateTable('keys').set(edit).where('id', '=', first.id).execute()
      await assert.rejects(load(), /^KeySetNotOpened: the master key does not open the key set/)
      assert.equal((await rows()).length, 3)
      await db.deleteFrom('keys').execute()
      await db.insertInto('keys').values(stored).execute()
    }
    await load()
  })

  test('the newest key signs, whatever the clocks of the nodes that made them say', async () => {
    const { load, clock } = await place()
    const late = { now: () => clock.now() - 5000, wait: clock.wait }
    const [one, two] = [await load(), await load({}, undefined, undefined, { clock: late })]
    const first = await one.rotate({ atOnce: true })
    const second = await two.rotate({ atOnce: true })
    assert.equal(first.before, second.before)
    clock.advance(61)
    for (const node of [two, await load()]) {
      assert.deepEqual(
        [node.current.kid, (await node.signer('signing')).kid],
        [second.kid, second.kid],
      )
    }
  })

  test('a start on keys waits until a key that it made is known to all; a first start does not', async () => {
    const { load, clock } = await place()
    const never = { now: clock.now, wait: () => assert.fail('a first start waits for nothing') }
    const first = await load({}, undefined, undefined, { clock: never })
    await Promise.all([first.signer('signing'), first.signer('refresh')])
    const moved = await load({ TOKEN_ALGORITHM: 'RS256' })
    await moved.signer('refresh')
    const signer = moved.signer('signing')
    await until(() => clock.waits().length > 0)
    assert.deepEqual(clock.waits(), [2])
    clock.advance(2)
    assert.equal((await signer).algorithm, 'RS256')
    await moved.signer('signing')
    assert.deepEqual(clock.waits(), [])
  })

  test('a process knows a new key, and the end of one, at the next request after the change', async () => {
    const { load, clock, directory } = await place()
    const { db, feed } = connect({ dataDirectory: directory, timeoutMs: 1000, synchronous: 'off' })
    const one = await load()
    const two = await load({}, db, undefined, { feed })
    const nextRequest = async () => {
      await new Promise((resolve) => setImmediate(resolve)) // the version is asked once in a turn
      await two.refresh()
    }
    const old = one.current.kid
    const { kid } = await one.rotate({ atOnce: true })
    await nextRequest()
    assert.equal((await two.signer('signing')).kid, old) // published first, and not used yet
    assert.equal((await two.find(kid))?.kid, kid)
    clock.advance(3)
    assert.equal((await two.signer('signing')).kid, kid)
    const { generation } = two
    assert.equal(await one.retire(old), true)
    await nextRequest()
    assert.notEqual(two.generation, generation, 'tokens that were verified are verified again')
    assert.equal(await two.find(old), undefined)
    await db.destroy()
  })

  test('a look at the database that failed is taken again: a retired key ends all the same', async () => {
    const { db, load, directory } = await place()
    const keys = await load()
    const old = keys.current.kid
    await keys.rotate()
    const elsewhere = connect({ dataDirectory: directory, timeoutMs: 1000, synchronous: 'off' })
    await elsewhere.db.updateTable('keys').set({ retired_at: 1 }).where('id', '=', old).execute()
    await elsewhere.db.schema.alterTable('keys').renameTo('hidden').execute()
    await new Promise((resolve) => setImmediate(resolve)) // the version is asked once in a turn
    await assert.rejects(keys.refresh())
    assert.ok(await keys.find(old))
    await db.schema.alterTable('hidden').renameTo('keys').execute()
    await keys.refresh()
    assert.equal(await keys.find(old), undefined)
    await elsewhere.db.destroy()
  })
})
