// A database makes a difference: the link, the job and an administrator race for one account.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createAccountDeletion } from '../../src/extras/personal-data/deletion.ts'
import { testApp } from '../app.ts'
import { deletions, week } from '../deletion.ts'
import { mailboxes } from '../emails.ts'
import { enrolled } from '../factor.ts'
import { tally } from '../logins.ts'
import { servicesOf, verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'

const next = 'amber violin thicket, 87 of them'
const invalid = 'Invalid or expired code'
const settings = { MAIL_REQUESTS_PER_CLIENT: '0', LOGIN_IP_ATTEMPTS: '0' }

suite('the link of a deletion', async () => {
  const app = await testApp(settings)
  const them = await deletions(app)
  const { back, erase, isUser, leave, leaver, logIn, pass, seen, someone } = them
  const admin = (method: string, path: string, json?: object) =>
    app.call(method, path, { headers: app.basic(app.admin), json })

  test('brings the account back once, with a new password and without the old logins', async () => {
    const who = await someone()
    const session = await app.session(who)
    const token = await leave(who)
    assert.equal((await back(token, next)).status, 200)
    const account = await seen(who)
    assert.deepEqual([account.deletion_at, account.active, account.locked], [null, true, false])
    assert.equal((await logIn(who, next)).status, 200)
    assertRefusal(await logIn(who, who.password), 401, 'Invalid credentials')
    const own = await app.call('GET', '/api/account', { headers: session })
    assertRefusal(own, 401, 'Authentication required')
    assertRefusal(await back(token, `${next}!`), 400, invalid)
    await pass(week + 1)
    await erase()
    assert.ok(await isUser(who))
  })

  test('of 20 presses at once one counts', async () => {
    const { who, token } = await leaver()
    const passwords = Array.from({ length: 20 }, (_, index) => `${next} number ${index}`)
    const answers = await Promise.all(passwords.map((password) => back(token, password)))
    assert.deepEqual(tally(answers), { 200: 1, 400: 19 })
    const right = answers.findIndex(({ status }) => status === 200)
    assert.equal((await logIn(who, passwords[right] ?? '')).status, 200)
  })

  test('a bad password uses nothing up, and brings nothing back', async () => {
    const { who, token } = await leaver()
    const before = await app.rows('refusals')
    const { status, body } = await back(token, 'short')
    assert.deepEqual([status, body.error], [400, 'Validation failed'])
    const bare = await back(token, undefined)
    assert.deepEqual(
      [bare.status, bare.body.details[0].path, bare.body.details[0].message],
      [400, ['new_password'], 'is required'],
    )
    assert.deepEqual(await app.rows('refusals'), before)
    assert.equal((await back(token, next)).status, 200)
    assert.equal((await logIn(who, next)).status, 200)
  })

  test('of a former deletion counts no more', async () => {
    const { who, token } = await leaver()
    await back(token, next)
    app.clock.advance(1)
    const again = await leave({ ...who, password: next })
    const before = await app.rows('refusals')
    assertRefusal(await back(token, `${next}!`), 400, invalid)
    assert.deepEqual(await app.rows('refusals'), before)
    assert.equal((await back(again, `${next}!`)).status, 200)
  })

  test('counts until the account is erased, and not afterwards', async () => {
    const [late, early] = [await leaver(), await leaver()]
    await pass(week - 1)
    assert.equal((await back(early.token, next)).status, 200)
    app.clock.advance(1)
    // The time is over, though the job has not come yet.
    const before = await app.rows('refusals')
    assertRefusal(await back(late.token, next), 400, invalid)
    assert.deepEqual(await app.rows('refusals'), before)
    await erase()
    assertRefusal(await back(late.token, next), 400, invalid)
    assert.deepEqual([await isUser(late.who), await isUser(early.who)], [false, true])
  })

  test('serves nothing else, and no link of another purpose serves it', async () => {
    const { who, token } = await leaver()
    const verification = await app.call('POST', '/api/public/verification', { json: { token } })
    assertRefusal(verification, 400, invalid)
    for (const forged of ['', '.', token.slice(0, -1), `${token}A`]) {
      assert.equal((await back(forged, next)).status, 400)
    }
    const other = await someone()
    const begun = await them.confirmations.begin({
      purpose: 'sign_in',
      userId: other.userId,
      version: 1,
    })
    const mailed = await them.confirmations.mailed(begun.id)
    assertRefusal(await back(mailed.token, next), 400, invalid)
    assert.ok((await seen(who)).deletion_at)
    assert.equal((await logIn(other, other.password)).status, 200)
  })

  test('a second factor is asked as at a reset', async () => {
    const { who, device } = await enrolled(app, 'with-factor')
    await verifyAddress(app, who, 'with-factor@example.org')
    const json = { username: who.username, password: who.password, mode: 'token' }
    const login = await app.call('POST', '/login', { json: { ...json, totp: device.code() } })
    app.clock.advance(30)
    const headers = { authorization: `Bearer ${login.body.token}` }
    const more = { current_password: who.password, totp: device.code() }
    const token = await leave(who, headers, more)
    app.clock.advance(30)
    const before = await app.rows('refusals', 'throttle_places', 'accounts')
    const asked = await back(token, next)
    const required = { error: 'Second factor required', second_factor: 'totp' }
    assert.deepEqual([asked.status, asked.body], [401, required])
    assertRefusal(await back(token, next, { totp: '000000' }), 401, 'Invalid credentials')
    assert.deepEqual(await app.rows('refusals', 'throttle_places', 'accounts'), before)
    assert.ok((await seen(who)).deletion_at)
    assert.equal((await back(token, next, { totp: device.code() })).status, 200)
    app.clock.advance(30)
    assert.deepEqual((await logIn(who, next)).body, required)
    assert.equal((await logIn(who, next, { totp: device.code() })).status, 200)
  })

  test("an administrator's lock and an administrator's flag stay", async () => {
    for (const change of [{ locked: true }, { active: false }]) {
      for (const isBefore of [true, false]) {
        const who = await someone()
        const session = await app.session(who)
        const path = `/api/admin/accounts/${who.username}`
        // A lock ends the session, so the one from before comes by the database.
        if (isBefore) {
          const flag = {
            locked: Number(change.locked ?? false),
            active: Number(change.active ?? true),
          }
          const token = await leave(who, session, { current_password: who.password })
          await app.deps.db
            .updateTable('accounts')
            .set({ locked: flag.locked, active_kept: flag.active })
            .where('user_id', '=', who.userId)
            .execute()
          assert.equal((await back(token, next)).status, 200)
        } else {
          const token = await leave(who)
          const changed = await admin('PUT', path, change)
          assert.equal(changed.status, 200)
          assert.deepEqual({ ...changed.body, ...change }, changed.body)
          assert.equal((await back(token, next)).status, 200)
        }
        const account = await seen(who)
        assert.deepEqual({ ...account, ...change, deletion_at: null }, account)
        assertRefusal(await logIn(who, next), 401, 'Invalid credentials')
        await admin('PUT', path, { locked: false, active: true })
        assert.equal((await logIn(who, next)).status, 200)
      }
    }
  })

  test('an administrator who enables a waiting account lets no one in', async () => {
    const { who, token } = await leaver()
    const path = `/api/admin/accounts/${who.username}`
    assert.equal((await admin('PUT', path, { active: true, locked: false })).status, 200)
    assert.equal((await admin('PUT', path, { password: `${next}, new` })).status, 200)
    assertRefusal(await logIn(who, `${next}, new`), 401, 'Invalid credentials')
    const { active } = await app.deps.db
      .selectFrom('accounts')
      .select('active')
      .where('user_id', '=', who.userId)
      .executeTakeFirstOrThrow()
    assert.equal(active, 0, 'a node of the version before refuses it')
    assert.equal((await back(token, next)).status, 200)
    assert.equal((await logIn(who, next)).status, 200)
  })
})

suite('the way back to a former address, while the account waits for its deletion', async () => {
  const app = await testApp(settings)
  const them = await deletions(app)
  const { back, leave, logIn, pass, seen, someone } = them
  const { confirm, verify } = await mailboxes(app)

  /** A thief with the session changes the address and requests the deletion. */
  async function stolen() {
    const who = await someone()
    const session = await app.session(who)
    await verify(session, `thief-of-${who.username}@example.net`)
    app.clock.advance(1)
    const thiefs = await leave(who)
    const owners = await them.link(who, 'deletion_requested_former')
    return { who, thiefs, owners }
  }

  test('the notice goes to both addresses, and the way back takes both changes back', async () => {
    const { who, thiefs, owners } = await stolen()
    const restored = await confirm({ token: owners })
    assert.equal(restored.status, 200)
    const account = await seen(who)
    assert.deepEqual([account.deletion_at, account.active], [null, true])
    assert.equal((await back(restored.body.reset_token, next)).status, 200)
    assert.equal((await logIn(who, next)).status, 200)
    const { verified_email } = await app.deps.db
      .selectFrom('accounts')
      .select('verified_email')
      .where('user_id', '=', who.userId)
      .executeTakeFirstOrThrow()
    assert.equal(verified_email, `${who.username}@example.org`)
    // Neither link counts any more, not even for a later deletion by the owner.
    app.clock.advance(1)
    const later = await leave({ ...who, password: next })
    for (const token of [thiefs, owners]) {
      assert.equal((await back(token, `${next}!`)).status, 400)
      assert.equal((await confirm({ token })).status, 400)
    }
    assert.ok((await seen(who)).deletion_at)
    assert.equal((await back(later, next)).status, 200)
  })

  test('it brings a locked account back, and the lock stays', async () => {
    const { who, owners } = await stolen()
    const path = `/api/admin/accounts/${who.username}`
    const headers = app.basic(app.admin)
    await app.call('PUT', path, { headers, json: { locked: true } })
    assert.equal((await confirm({ token: owners })).status, 200)
    const account = await seen(who)
    assert.deepEqual([account.deletion_at, account.locked], [null, true])
    assertRefusal(await logIn(who, who.password), 401, 'Invalid credentials')
  })

  test('of a locked account that does not wait it is refused as before', async () => {
    const { who, thiefs, owners } = await stolen()
    assert.equal((await back(thiefs, next)).status, 200)
    const path = `/api/admin/accounts/${who.username}`
    const headers = app.basic(app.admin)
    await app.call('PUT', path, { headers, json: { locked: true } })
    const before = await app.rows('refusals')
    assertRefusal(await confirm({ token: owners }), 400, invalid)
    assert.deepEqual(await app.rows('refusals'), before)
  })

  test('after the erasure it counts no more, and the link and the way back race for one return', async () => {
    const gone = await stolen()
    await pass(week)
    await them.erase()
    assertRefusal(await confirm({ token: gone.owners }), 400, invalid)
    for (let round = 0; round < 4; round += 1) {
      const { who, thiefs, owners } = await stolen()
      const [link, wayBack] = await Promise.all([back(thiefs, next), confirm({ token: owners })])
      // The way back counts after the link as well: it takes all back that the link's holder did.
      assert.equal(wayBack.status, 200)
      assert.ok([200, 400].includes(link.status))
      assert.equal((await seen(who)).deletion_at, null)
      assertRefusal(await logIn(who, next), 401, 'Invalid credentials')
    }
  })
})

suite('the erasure of accounts whose time is over', async () => {
  const one = await testApp(settings)
  const two = await testApp(settings, { directory: one.directory, clock: one.clock })
  const them = await deletions(one)
  const { back, erase, isUser, leaver, logIn, pass, seen, someone } = them
  const admin = one.basic(one.admin)

  test('two nodes erase each account once, and no other', async () => {
    const leavers = [await leaver(), await leaver(), await leaver()]
    const stays = await someone()
    await pass(86_400)
    const later = await leaver()
    await pass(6 * 86_400)
    await Promise.all([erase(one), erase(two), erase(one), erase(two)])
    for (const { who } of leavers) {
      assert.equal(await isUser(who), false)
      const gone = [...one.log, ...two.log].filter(
        ({ event, user_id }) => event === 'user_deleted' && user_id === who.userId,
      )
      assert.deepEqual(
        gone.map(({ by }) => by),
        ['job'],
      )
      const keys = await one.deps.db
        .selectFrom('audit_subjects')
        .select('subject')
        .where('subject', '=', String(who.userId))
        .execute()
      assert.deepEqual(keys, [])
    }
    assert.deepEqual([await isUser(stays), await isUser(later.who)], [true, true])
    assert.equal((await logIn(stays, stays.password)).status, 200)
  })

  test('the link and the job race: the account is back, or gone', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { who, token } = await leaver()
      // The link still counts by the clock, and the job finds the account due.
      await one.deps.db
        .updateTable('accounts')
        .set({ deletion_at: one.clock.now() })
        .where('user_id', '=', who.userId)
        .execute()
      const [answer] = await Promise.all([back(token, next), erase(one), erase(two)])
      const isBack = answer.status === 200
      if (!isBack) assertRefusal(answer, 400, invalid)
      assert.equal(await isUser(who), isBack)
      const login = await logIn(who, next)
      assert.equal(login.status, isBack ? 200 : 401)
      await Promise.all([erase(one), erase(two)])
      assert.equal(await isUser(who), isBack)
    }
  })

  test('an administrator removes a waiting account at once, beside the job', async () => {
    const { who, token } = await leaver()
    const removed = await one.call('DELETE', `/users/${who.userId}`, { headers: admin })
    assert.equal(removed.status, 200)
    assertRefusal(await back(token, next), 400, invalid)
    const { who: other } = await leaver()
    const path = `/api/admin/accounts/${other.username}`
    const alone = await one.call('DELETE', path, { headers: admin })
    assert.equal(alone.status, 200)
    assert.ok(alone.body.deletion_at)
    await pass(week)
    await erase()
    assert.equal(await isUser(other), true, 'the user of a removed account stays')
    assert.equal(await seen(other), undefined)
  })

  test('an account that cannot be erased keeps no other one waiting', async () => {
    const [first, second] = [await leaver(), await leaver()]
    await pass(week)
    const services = await servicesOf(one)
    const failing = createAccountDeletion({
      ...one.deps,
      ...services,
      notices: () => [],
      users: {
        remove: (id, checks) =>
          id === first.who.userId
            ? Promise.reject(new Error('broken'))
            : services.users.remove(id, checks),
      },
    })
    await assert.rejects(failing.eraseDue(50), AggregateError)
    assert.deepEqual([await isUser(first.who), await isUser(second.who)], [true, false])
    await erase()
    assert.equal(await isUser(first.who), false)
  })
})
