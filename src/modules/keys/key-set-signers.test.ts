import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { place } from '../../../test/keys.ts'
import { KeyNotReplaced, KeySigns } from './retirement.ts'

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ format: 'pem', type: 'pkcs8' })
  .toString()
const secret = 'only the tests of the key set know this'
const previous = 'what the tests of the key set knew before'
const daySeconds = 86_400

suite('a key of the operator', () => {
  test('is replaced in the settings alone; the key of refresh tokens is not its matter', async () => {
    for (const [env, message] of [
      [
        { TOKEN_SECRET: secret },
        'TOKEN_SECRET signs: set a new one, and the old one as TOKEN_SECRET_PREVIOUS',
      ],
      [
        { TOKEN_ALGORITHM: 'RS256', TOKEN_PRIVATE_KEY: pem },
        'TOKEN_PRIVATE_KEY signs: it can only be replaced there',
      ],
    ] as const) {
      const { load, rows } = await place()
      const keys = await load(env)
      const stored = await rows()
      const refused: unknown = await keys.rotate().catch((error) => error)
      assert.ok(refused instanceof KeyNotReplaced)
      assert.deepEqual([refused.message, await rows()], [message, stored])
      const refresh = (await keys.list()).find(({ purpose }) => purpose === 'refresh')
      const rotated = await keys.rotate({ purpose: 'refresh' })
      assert.equal(rotated.before, refresh?.id)
      assert.equal((await rows()).length, stored.length + 1)
    }
  })

  test('of another algorithm signs nothing, and leaves the stored key to be replaced', async () => {
    const { load } = await place()
    const keys = await load({ TOKEN_PRIVATE_KEY: pem })
    const { kid } = keys.current
    assert.equal((await keys.rotate()).before, kid)
    const [own] = await keys.list()
    assert.deepEqual([own?.algorithm, own?.signs, own?.createdAt], ['RS256', false, null])
  })

  test('is listed first, and cannot be retired', async () => {
    const { load, rows } = await place()
    const keys = await load({ TOKEN_SECRET: secret, TOKEN_SECRET_PREVIOUS: previous })
    const [own, before, ...others] = await keys.list()
    const shown = {
      ...{ purpose: 'signing', algorithm: 'HS256', createdAt: null, signsFrom: null },
      ...{ retiredAt: null, canRetire: false },
    }
    assert.deepEqual(own, { ...shown, id: keys.current.kid, signs: true })
    assert.deepEqual(before, { ...shown, id: before?.id, signs: false })
    assert.deepEqual(
      others.map(({ purpose, signs, canRetire }) => [purpose, signs, canRetire]).toSorted(),
      [
        ['data', false, false],
        ['refresh', true, false],
      ],
    )
    for (const listed of others) {
      assert.equal('sealed' in listed || 'isOlder' in listed, false)
    }
    const stored = await rows()
    assert.equal(await keys.retire(keys.current.kid), false)
    assert.deepEqual(await rows(), stored)
  })

  test('is never replaced by its age; the key of refresh tokens is', async () => {
    const { load, kinds, clock } = await place()
    const keys = await load({ TOKEN_SECRET: secret, KEY_ROTATION_DAYS: '1' })
    clock.advance(daySeconds)
    assert.equal(await keys.rotateIfDue(), true)
    assert.deepEqual(await kinds(), ['data A256GCM', 'refresh HS256', 'refresh HS256'])
  })
})

suite('a command with other settings than the service', () => {
  const asCommand = { mayAddSigner: false }
  const message =
    'no RS256 key signs: is TOKEN_ALGORITHM right? The service makes such a key at its start'

  test('adds no signing key to a key set, and replaces and retires none', async () => {
    const { load, rows, clock } = await place()
    const { kid } = (await load()).current
    const stored = await rows()
    const settings = { TOKEN_ALGORITHM: 'RS256', KEY_ROTATION_DAYS: '1' }
    const keys = await load(settings, undefined, undefined, {}, asCommand)
    assert.deepEqual(await rows(), stored)
    assert.equal(keys.find(undefined), undefined)
    assert.equal((await keys.find(kid))?.kid, kid)
    await assert.rejects(keys.rotate(), new KeyNotReplaced(message))
    await assert.rejects(keys.retire(kid), new KeySigns(message))
    assert.deepEqual(
      (await keys.list())
        .map(({ purpose, signs, canRetire }) => [purpose, signs, canRetire])
        .toSorted(),
      [
        ['data', false, false],
        ['refresh', true, false],
        ['signing', false, false],
      ],
    )
    assert.deepEqual(await rows(), stored)
    const { before } = await keys.rotate({ purpose: 'refresh', atOnce: true })
    clock.advance(3)
    assert.equal(await keys.retire(before), true, 'keys of refresh tokens have their signer')
  })

  test('makes a whole key set in an empty database', async () => {
    const { load, kinds } = await place()
    await load({}, undefined, undefined, {}, asCommand)
    assert.deepEqual(await kinds(), ['data A256GCM', 'refresh HS256', 'signing HS256'])
  })
})

suite('the key set in memory', () => {
  test('has the successors of due keys at once, and leaves younger keys', async () => {
    const { load, kinds, clock } = await place()
    const keys = await load({ TOKEN_ALGORITHM: 'RS256', KEY_ROTATION_DAYS: '1' })
    clock.advance(daySeconds / 2)
    await keys.rotate({ purpose: 'refresh' })
    clock.advance(daySeconds / 2)
    assert.equal(await keys.rotateIfDue(), true)
    assert.equal(keys.publicKeys().keys.length, 2)
    const all = ['data A256GCM', 'refresh HS256', 'refresh HS256', 'signing RS256', 'signing RS256']
    assert.deepEqual(await kinds(), all)
    clock.advance(daySeconds / 2)
    assert.equal(await keys.rotateIfDue(), true)
    assert.deepEqual(await kinds(), ['data A256GCM', 'refresh HS256', ...all.slice(1)])
  })

  test('has another generation once a key has ended', async () => {
    const { load, clock } = await place()
    const keys = await load()
    const old = keys.current.kid
    await keys.rotate()
    const { retiredAt } = (await keys.list()).find(({ id }) => id === old) ?? assert.fail()
    const { generation } = keys
    clock.advance(((retiredAt ?? 0) - 1 - clock.now()) / 1000)
    assert.deepEqual([keys.generation, (await keys.find(old))?.kid], [generation, old])
    clock.advance(0.001)
    const later = keys.generation
    assert.notEqual(later, generation)
    assert.equal(keys.generation, later)
    assert.equal(await keys.find(old), undefined)
  })

  test('was confirmed when its database was last seen without a change', async () => {
    const { load, db, clock } = await place()
    let isCurrent = true
    const feed = { isCurrent: () => isCurrent, version: () => 1 }
    const keys = await load({ TOKEN_ALGORITHM: 'RS256' }, db, undefined, { feed })
    clock.advance(601)
    const whole = await keys.published()
    isCurrent = false
    await db.schema.alterTable('keys').renameTo('hidden').execute()
    clock.advance(599.999)
    assert.deepEqual(await keys.published(), { ...whole, maxAgeSeconds: 0 })
    clock.advance(0.001)
    await assert.rejects(keys.published())
  })
})
