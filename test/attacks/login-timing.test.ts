import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { hash as argon2Hash } from '@node-rs/argon2'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { type Answer, type Someone, testApp } from '../app.ts'
import { atEachHash, countHashes, pbkdf2Hash, storedHash, storeHash } from '../hashes.ts'
import { doors, everyDoor, guess, newHost, placesOf, throttleAlone } from '../logins.ts'
import { until } from '../until.ts'

const wrong = 'not the password'
/** What a verification takes by the clock of the tests, in seconds. */
const seconds: Readonly<Record<string, number>> = { bcrypt: 2, argon2: 0.5, pbkdf2: 0.001 }
/** The dearest kind and a quarter more. */
const toldAfter = 2.5

suite('the time of a refusal, with imported hashes', async () => {
  const app = await testApp(throttleAlone)
  const { clock } = app
  const ann = await app.account('ann')
  const bcrypt = await app.account('bcrypt')
  const argon2 = await app.account('argon2')
  const pbkdf2 = await app.account('pbkdf2')
  const locked = await app.account('locked')
  const disabled = await app.account('disabled')
  const admin = await app.bearer(app.admin)
  const change = (username: string, json: object) =>
    app.call('PUT', `/api/admin/accounts/${username}`, { headers: admin, json })
  await change('locked', { locked: true })
  await change('disabled', { active: false })

  /** How long an attempt takes by the clock, in seconds, and how much of it the answer waits. */
  async function timed(attempt: () => Promise<Answer>, { eachHash = 0, status = 401 } = {}) {
    const begin = clock.now()
    let answered = false
    const answer = atEachHash(attempt, () => clock.advance(eachHash)).finally(() => {
      answered = true
    })
    await until(() => answered || clock.waits().length > 0)
    const [waited = 0] = clock.waits()
    if (waited > 0) {
      await setImmediate()
      assert.equal(answered, false)
      clock.advance(waited)
    }
    assert.equal((await answer).status, status)
    assert.deepEqual(clock.waits(), [])
    return { total: (clock.now() - begin) / 1000, waited }
  }

  test('where all hashes are of our kind nothing waits', async () => {
    clock.advance(1)
    for (const who of [
      { ...ann, password: wrong },
      { username: 'none', password: wrong },
      locked,
    ]) {
      const login = () => doors.JSON(app, who, { from: newHost() })
      assert.deepEqual(await timed(login, { eachHash: 2 }), { total: 2, waited: 0 })
    }
  })

  test('the first login after an import measures the dearest kinds, and no right one waits', async () => {
    await storeHash(app, bcrypt.userId, await bcryptHash(bcrypt.password, 4))
    const better = { memoryCost: 8192, timeCost: 2 }
    await storeHash(app, argon2.userId, await argon2Hash(argon2.password, better))
    await storeHash(app, pbkdf2.userId, pbkdf2Hash(pbkdf2.password))
    clock.advance(1)
    const login = () =>
      timed(() => doors.JSON(app, ann, { from: newHost() }), { eachHash: 2, status: 200 })
    const first = await countHashes(login)
    assert.equal(first.hashes, 3 + 1, 'bcrypt, Argon2id and PBKDF2, then the password')
    assert.deepEqual(first.result, { total: 8, waited: 0 })
    clock.advance(1)
    const second = await countHashes(login)
    assert.equal(second.hashes, 1)
    assert.deepEqual(second.result, { total: 2, waited: 0 })
  })

  const refused: Record<string, Pick<Someone, 'username' | 'password'>> = {
    'an unknown username': { username: 'none', password: wrong },
    'a hash of ours': { ...ann, password: wrong },
    bcrypt: { ...bcrypt, password: wrong },
    'Argon2id of more memory': { ...argon2, password: wrong },
    PBKDF2: { ...pbkdf2, password: wrong },
    'a locked account, right password': locked,
    'a disabled account, right password': disabled,
    '73 bytes': { ...ann, password: 'x'.repeat(73) },
    '73 bytes, bcrypt': { ...bcrypt, password: 'x'.repeat(73) },
    '10 kB, PBKDF2': { ...pbkdf2, password: 'x'.repeat(10_240) },
  }
  for (const [name, door] of everyDoor) {
    test(`each refusal comes as late as of the dearest kind, for one hash of work: ${name}`, async () => {
      for (const [about, who] of Object.entries(refused)) {
        const eachHash = seconds[who.username] ?? 0
        const attempt = () => door(app, who, { from: newHost() })
        const { hashes, result } = await countHashes(() => timed(attempt, { eachHash }))
        assert.deepEqual(result, { total: toldAfter, waited: toldAfter - eachHash }, about)
        assert.equal(hashes, 1, about)
      }
    })
  }

  test('an attempt is counted before it waits, and no other name waits for it', async () => {
    const from = newHost()
    const login = guess(app, ann, from)
    await until(() => clock.waits().length === 1)
    const places = await placesOf(app, from)
    assert.deepEqual(
      places.map(({ pending }) => pending),
      [0],
    )
    assert.equal((await doors.JSON(app, app.admin, { from })).status, 200)
    clock.advance(toldAfter)
    assert.equal((await login).status, 401)
  })

  test('parallel refusals stand in line as for the dearest hash, 5 seconds at the most', async () => {
    const inLine = [0, 1, 2, 3].map((place) => {
      const turn = Math.floor(place / app.deps.config.password.hashesAtOnce)
      return Math.min(toldAfter * (turn + 1), 5)
    })
    for (const name of ['none', 'ann', 'argon2', 'pbkdf2']) {
      const names = name === 'none' ? ['none1', 'none2', 'none3', 'ann'] : Array(4).fill(name)
      const tries = names.map((username: string) => guess(app, { username }, newHost()))
      await until(() => clock.waits().length === 4)
      assert.deepEqual(clock.waits().toSorted(), inLine, name)
      assert.equal((await doors.JSON(app, app.admin, { from: newHost() })).status, 200)
      clock.advance(5)
      for (const answer of await Promise.all(tries)) assert.equal(answer.status, 401)
    }
  })

  test('a clock that is set back makes no line', async () => {
    clock.advance(-3600)
    const refusal = await timed(() => guess(app, ann, newHost()))
    assert.deepEqual(refusal, { total: toldAfter, waited: toldAfter })
    clock.advance(3600)
  })

  test('a verification that takes longer than it is expected to is told at once', async () => {
    const slow = () => timed(() => guess(app, bcrypt, newHost()), { eachHash: 3 })
    const usual = () => timed(() => guess(app, ann, newHost()))
    assert.deepEqual(await slow(), { total: 3, waited: 0 })
    assert.deepEqual(await usual(), { total: toldAfter, waited: toldAfter })
    await slow()
    await slow()
    assert.deepEqual(await usual(), { total: 3.75, waited: 3.75 }, 'thrice is no accident')
  })

  test('an attempt without a password waits for nothing: none was verified', async () => {
    for (const username of ['ann', 'bcrypt', 'none', '']) {
      const login = () => doors.JSON(app, { username, password: '' }, { from: newHost() })
      assert.deepEqual(await timed(login), { total: 0, waited: 0 })
    }
  })

  test('once their owners have logged in nothing waits any more; a stronger hash is kept', async () => {
    for (const who of [bcrypt, pbkdf2]) {
      const login = () => doors.JSON(app, who, { from: newHost() })
      assert.deepEqual(await timed(login, { status: 200 }), { total: 0, waited: 0 })
      assert.match(await storedHash(app, who.userId), /^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
    }
    clock.advance(1)
    assert.ok((await timed(() => guess(app, ann, newHost()))).waited > 0)
    await app.call('DELETE', '/api/admin/accounts/argon2', { headers: admin })
    clock.advance(1)
    for (const who of [ann, bcrypt, { username: 'none' }]) {
      const attempt = () => guess(app, who, newHost())
      assert.deepEqual(await timed(attempt), { total: 0, waited: 0 })
    }
  })
})
