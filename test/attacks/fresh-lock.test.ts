// A database makes a difference: an account changes between its read and the end of a login.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { canonicalUsername } from '../../src/core/lib/username.ts'
import { createServiceMaker } from '../../src/core/module/make.ts'
import { modules } from '../../src/modules.ts'
import { type Answer, passwordOf, type Someone, type TestApp, testApp } from '../app.ts'
import { enrolled } from '../factor.ts'
import { atEachHash, countHashes, importedHashes, storedHash, storeHash } from '../hashes.ts'
import { doors, newHost, placesOf } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'
import { interruptedReads } from '../watched-database.ts'

type Attempt = (app: TestApp, who: Someone, from: string) => Promise<Answer>

const wrong = 'not the password'
const bcrypt = importedHashes.bcrypt ?? assert.fail()
const byJson: Attempt = (app, who, from) => doors.JSON(app, who, { from })
const byBasic: Attempt = (app, who, from) => doors.Basic(app, who, { from })

/** A service whose accounts can be locked between the reading of one and the verdict. */
async function lockable() {
  const { options, atNextRead } = await interruptedReads('accounts')
  const app = await testApp({}, options)
  const lockUntil = (userId: number, locked_until: number | null) =>
    app.deps.db
      .updateTable('accounts')
      .set({ locked_until, failed_logins: 0 })
      .where('user_id', '=', userId)
      .execute()
  const lockAfter = (reads: number, userId: number): void =>
    atNextRead(async () =>
      reads > 1 ? lockAfter(reads - 1, userId) : lockUntil(userId, app.clock.now() + 60_000),
    )

  /** What is seen of an attempt with the right password, and of one with a wrong one. */
  async function both<T>(
    who: Someone,
    look: (who: Someone, from: string) => Promise<T>,
    { reads = 1 } = {},
  ): Promise<[T, T]> {
    const seen = async (password: string) => {
      lockAfter(reads, who.userId)
      const result = await look({ ...who, password }, newHost())
      await lockUntil(who.userId, null)
      return result
    }
    return [await seen(who.password), await seen(wrong)]
  }

  return { app, both }
}

/**
 * Many guesses at once are verified at once. Those behind the one that locked the account must not
 * learn which of them was right: not by the answer, not by its time, not by what is counted.
 */
suite('an account that is locked while a password is verified', async () => {
  const { app, both } = await lockable()

  async function assertAlike(who: Someone, attempt: Attempt, more?: { reads: number }) {
    const look = async (one: Someone, from: string) => {
      const told = app.log.length
      const { hashes, result } = await countHashes(() => attempt(app, one, from))
      const { status, text, cookies } = result
      const events = app.log.slice(told).map(({ event, user_id }) => [event, user_id])
      const places = (await placesOf(app, from)).map(({ pending }) => pending)
      return { status, text, cookies, hashes, events, places }
    }
    const [right, guessed] = await both(who, look, more)
    assert.deepEqual(right, guessed)
    assert.deepEqual([right.status, right.places, right.hashes], [401, [0], 1])
  }

  test('a new password that is not due is not told of', async () => {
    const ann = await app.account('ann')
    await assertAlike(ann, (_, { username, password }, from) => {
      const json = { username, password, new_password: 'one that is not due' }
      return app.call('POST', '/login', { json, from })
    })
  })

  for (const [what, wanted] of [
    ['too short', 'short'],
    ['the same', passwordOf('eva the same')],
  ] as const) {
    test(`a new password that is ${what} is not told of`, async () => {
      const eva = await app.account(`eva ${what}`)
      const headers = await app.session(eva)
      const change: Attempt = (_, { password }, from) => {
        const json = { current_password: password, new_password: wanted }
        return app.call('PUT', '/api/account/password', { headers, json, from })
      }
      await assertAlike(eva, change, { reads: 2 })
    })
  }

  test('Basic counts the password of an account that it does not let in', async () => {
    const { who } = await enrolled(app, 'two')
    const due = await app.account('due', ['USER'], { must_change: true })
    for (const one of [who, due]) await assertAlike(one, byBasic)
  })

  test('an outdated hash is not replaced: that costs another hash', async () => {
    const old = await app.account('old')
    const imported = await bcrypt(old.password)
    await storeHash(app, old.userId, imported)
    await assertAlike(old, byJson)
    assert.equal(await storedHash(app, old.userId), imported)
    assert.equal((await doors.JSON(app, old)).status, 200)
    assert.notEqual(await storedHash(app, old.userId), imported)
  })
})

suite('the time of such a refusal, with imported hashes', async () => {
  const { app, both } = await lockable()
  const { clock } = app

  /** How long the answer waits by the clock, in seconds. */
  async function waitsOf(attempt: () => Promise<Answer>): Promise<number[]> {
    let answered = false
    const answer = attempt().finally(() => {
      answered = true
    })
    await until(() => answered || clock.waits().length > 0)
    const waits = [...clock.waits()]
    clock.advance(Math.max(0, ...waits))
    assert.equal((await answer).status, 401)
    return waits
  }

  test('is that of a wrong password', async () => {
    const ann = await app.account('ann')
    const { who: two } = await enrolled(app, 'two')
    const headers = await app.session(ann)
    const imported = await app.account('imported')
    await storeHash(app, imported.userId, await bcrypt(imported.password))
    clock.advance(1)
    // From now on a verification is expected to take two seconds; here it takes none.
    const first = () => doors.JSON(app, { ...ann, password: wrong })
    await waitsOf(() => atEachHash(first, () => clock.advance(2)))

    const bySession: Attempt = (_, who, from) => doors['form, session'](app, who, { from })
    const change: Attempt = (_, { password }, from) => {
      const json = { current_password: password, new_password: 'a pass phrase of seven' }
      return app.call('PUT', '/api/account/password', { headers, json, from })
    }
    for (const [name, who, attempt, reads] of [
      ['JSON', ann, byJson, 1],
      ['form, session', ann, bySession, 1],
      ['Basic', ann, byBasic, 1],
      ['Basic, with a second factor', two, byBasic, 1],
      ['JSON, with a second factor', two, byJson, 1],
      ['PUT /password', ann, change, 2],
    ] as const) {
      const look = (one: Someone, from: string) => waitsOf(() => attempt(app, one, from))
      assert.deepEqual(await both(who, look, { reads }), [[2.5], [2.5]], name)
    }
  })
})

suite('a role that asks for a second factor, given while a password is verified', async () => {
  const { options, atNextRead } = await interruptedReads('accounts')
  const app = await testApp({ REQUIRE_SECOND_FACTOR: 'EDITOR' }, options)
  const { accounts } = await (await createServiceMaker(app.deps, { modules })).all()

  for (const name of ['JSON', 'JSON, pair', 'form, session', 'Basic, v2'] as const) {
    test(`gives nothing without the factor: ${name}`, async () => {
      const username = canonicalUsername(`new ${name}`) ?? assert.fail()
      const password = passwordOf(username)
      const user = { name: username, email: 'someone@example.org' }
      const wanted = { username, password, roles: ['USER'], mustChange: false, user } as const
      const { userId } = await accounts.create(wanted)
      const { sessions } = await app.rows()
      atNextRead(() => accounts.change(userId, { roles: ['USER', 'EDITOR'] }))
      const answer = await doors[name](app, { username, password }, { from: newHost() })
      const error = name === 'Basic, v2' ? 'Authentication required' : 'Invalid credentials'
      assertRefusal(answer, 401, error)
      assert.deepEqual(answer.cookies, {})
      assert.deepEqual((await app.rows()).sessions, sessions)
    })
  }
})
