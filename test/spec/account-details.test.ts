// A database makes a difference: it counts what an account has, and a login writes in place of a read.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { enrol } from '../factor.ts'
import { verifyAddress } from '../mail.ts'
import { seedPosts } from '../posts.ts'
import { assertRefusal } from '../refusal.ts'

const accounts = '/api/admin/accounts'

suite('what belongs to an account', async () => {
  const app = await testApp({
    OIDC_PROVIDERS: 'acme',
    OIDC_ACME_ISSUER: 'https://login.example',
    OIDC_ACME_AUDIENCE: 'gatehouse',
  })
  const { db } = app.deps
  const admin = await app.session(app.admin)
  const details = (name: string) =>
    app.call('GET', `${accounts}/${name}/details`, { headers: admin })
  const listed = async (name: string) =>
    (await app.call('GET', `${accounts}?search=${name}`, { headers: admin })).body.data[0]
  const now = () => new Date(app.clock.now()).toISOString()
  const link = async (userId: number, issuer: string, subject: string) =>
    (
      await db
        .insertInto('identities')
        .values({ user_id: userId, issuer, subject, created_at: app.clock.now() })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id

  test('of a new one: nothing is live, and there was no login', async () => {
    const made = now()
    const { userId } = await app.account('new', ['USER', 'EDITOR'])
    const { status, body } = await details('new')
    assert.equal(status, 200)
    assert.deepEqual(body, {
      account: {
        ...{ username: 'new', user_id: userId, roles: ['USER', 'EDITOR'], locked: false },
        ...{ active: true, second_factor: false, deletion_at: null, created_at: made },
      },
      user: { id: userId, name: 'new', email: 'someone@example.org' },
      ...{ last_login_at: null, failed_logins: 0, locked_until: null, last_administrator: false },
      ...{ imported: false, language: null, second_factor: null, identities: [] },
      password: { is_set: true, changed_at: made, must_change: false },
      email: {
        ...{ email: null, verified_at: null, pending: null },
        ...{ undeliverable_at: null, undeliverable_reason: null },
      },
      ...{ sessions: 0, devices: 0, tokens_issued: 0, limits: [], invitations: [], mails: [] },
      posts: 0,
      service: false,
      profile: { profile: {}, fields: [] },
    })
  })

  test('of one in use: sessions, tokens, the factor, identities, mails and posts', async () => {
    const ann = await app.account('ann', ['USER', 'EDITOR'])
    const session = await app.session(ann)
    await app.session(ann)
    await app.bearer(ann)
    await app.pair(ann)
    const signedIn = now()
    await verifyAddress(app, ann, 'ann@example.org')
    app.clock.advance(5)
    await enrol(app, session)
    const confirmed = now()
    const identity = await link(ann.userId, 'https://login.example', 'sub of ann')
    const former = await link(ann.userId, 'https://former.example', 'sub of ann')
    const [post] = await seedPosts(app, 3)
    await db
      .updateTable('posts')
      .set({ author_id: ann.userId })
      .where('id', '=', post ?? 0)
      .execute()
    await app.app.jobs.find(({ name }) => name === 'audit records')?.run()

    const { body } = await details('ANN')
    assert.equal(body.last_login_at, signedIn)
    assert.deepEqual([body.sessions, body.tokens_issued, body.posts], [1, 2, 1])
    assert.deepEqual(body.second_factor, { confirmed_at: confirmed, recovery_codes_left: 10 })
    assert.equal(body.email.email, 'ann@example.org')
    assert.deepEqual(
      body.identities.map(({ id, provider }: { id: number; provider: string | null }) => [
        id,
        provider,
      ]),
      [
        [identity, 'acme'],
        [former, null],
      ],
    )
    const ofAnn = body.mails.map(({ username }: { username: string | null }) => username)
    assert.deepEqual([...new Set(ofAnn)], ['ann'])
    const row = await listed('ann')
    assert.deepEqual(
      [row.identities, row.second_factor, row.verified_email, row.last_login_at],
      [2, true, 'ann@example.org', signedIn],
    )
  })

  test('of one that is tried: the limits of its name, and the lockout while it lasts', async () => {
    const json = { username: 'new', password: 'a wrong pass phrase' }
    for (let tries = 0; tries < 3; tries += 1) await app.call('POST', '/login', { json })
    await app.call('POST', '/login', { json: { ...json, username: 'another' } })
    const { body } = await details('new')
    assert.equal(body.failed_logins, 3)
    const [limit, ...others] = body.limits
    assert.deepEqual([limit.count, limit.username, limit.used], ['login', 'new', 3])
    assert.deepEqual(others, [])
    const until = app.clock.now() + 60_000
    const lock = (locked_until: number) =>
      db.updateTable('accounts').set({ locked_until }).where('username', '=', 'new').execute()
    await lock(until)
    assert.equal((await details('new')).body.locked_until, new Date(until).toISOString())
    assert.equal((await listed('new')).locked_until, new Date(until).toISOString())
    await lock(app.clock.now())
    assert.equal((await details('new')).body.locked_until, null)
    assert.equal((await listed('new')).locked_until, null)
  })

  test('the last administrator is told, until there is another one', async () => {
    assert.equal((await details('admin')).body.last_administrator, true)
    await app.account('second', ['ADMIN'])
    assert.equal((await details('admin')).body.last_administrator, false)
    assert.equal((await details('new')).body.last_administrator, false)
  })

  test('an ETag of the account stays as it is after a login: the account was not changed', async () => {
    const who = await app.account('tagged')
    const tag = async () =>
      (await app.call('GET', `${accounts}/tagged`, { headers: admin })).headers.etag
    const before = await tag()
    app.clock.advance(1)
    await app.token(who)
    assert.equal(await tag(), before)
    assert.equal((await listed('tagged')).last_login_at, now())
  })

  test('a login that is refused, or a request by Basic, is no login', async () => {
    const who = await app.account('basic')
    assert.equal((await app.call('GET', '/api/account', { headers: app.basic(who) })).status, 200)
    const json = { username: 'basic', password: 'a wrong pass phrase' }
    assert.equal((await app.call('POST', '/login', { json })).status, 401)
    assert.equal((await details('basic')).body.last_login_at, null)
  })

  suite('an identity, unlinked by an administrator', async () => {
    const linked = await app.account('linked')
    const { userId } = linked
    const other = await app.account('unlinked')
    const path = `${accounts}/linked/identities`
    const id = await link(userId, 'https://login.example', 'sub of linked')
    const own = await link(app.admin.userId, 'https://login.example', 'sub of admin')
    const call = (method: string, rest: string) => app.call(method, rest, { headers: admin })

    test('of another account is 404, and so is one that is not there', async () => {
      const before = await app.rows('refusals')
      for (const wrong of [
        `${accounts}/${other.username}/identities/${id}`,
        `${path}/0`,
        `${path}/x`,
        `${path}/999999`,
      ]) {
        assertRefusal(await call('DELETE', wrong), 404, 'Identity not found', wrong)
      }
      assertRefusal(
        await call('DELETE', `${accounts}/none/identities/${id}`),
        404,
        'Account not found',
      )
      assert.deepEqual(await app.rows('refusals'), before)
    })

    test('of the own account is 403: its owner has routes that ask for more', async () => {
      const refused = await call('DELETE', `${accounts}/admin/identities/${own}`)
      assertRefusal(refused, 403, 'Access denied')
      assert.equal((await call('GET', `${accounts}/admin/identities`)).body.length, 1)
    })

    test('signs in no more, once; sessions go on', async () => {
      const session = await app.session(linked)
      const { status, body } = await call('DELETE', `${path}/${id}`)
      assert.deepEqual([status, body], [200, { message: 'Identity unlinked' }])
      assert.deepEqual((await call('GET', path)).body, [])
      assert.equal((await app.call('GET', '/api/account', { headers: session })).status, 200)
      assertRefusal(await call('DELETE', `${path}/${id}`), 404, 'Identity not found')
    })
  })
})
