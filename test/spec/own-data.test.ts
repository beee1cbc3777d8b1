// A database makes a difference: what is left of a person in its tables.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ExportSection } from '../../src/core/module/export-section.ts'
import { createServiceMaker } from '../../src/core/module/make.ts'
import { modules } from '../../src/modules.ts'
import { passwordOf, type Someone, testApp } from '../app.ts'
import { verified } from '../audit-log.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { verifyAddress } from '../mail.ts'
import { seedPosts } from '../posts.ts'
import { assertRefusal } from '../refusal.ts'

suite('GET /api/account/export', async () => {
  const app = await testApp({ REAUTHENTICATE_SECONDS: '300' })
  const ann = await app.account('ann', ['USER', 'EDITOR'])
  await verifyAddress(app, ann, 'ann.mailbox@example.org')
  const headers = await app.session(ann)
  await seedPosts(app, 450, { authorId: ann.userId })

  test('tells everything that names the account, and nothing that opens it', async () => {
    await app.app.jobs.find(({ name }) => name === 'audit records')?.run()
    const { status, body, text } = await app.call('GET', '/api/account/export', { headers })
    assert.equal(status, 200)
    const { data } = body
    assert.equal(body.user_id, ann.userId)
    assert.equal(data.user.name, 'ann')
    assert.equal(data.account.username, 'ann')
    assert.equal(data.account.verified_email, 'ann.mailbox@example.org')
    assert.deepEqual(data.account.roles, ['EDITOR', 'USER'])
    assert.equal(data.sessions.length, 1)
    assert.equal(data.sessions[0].user_agent, 'lightMyRequest')
    assert.equal(data.posts.length, 450)
    assert.equal(new Set(data.posts.map(({ id }: { id: number }) => id)).size, 450)
    assert.ok(data.audit.some(({ type }: { type: string }) => type === 'authn_login_success'))
    assert.equal(data.second_factor, null)
    assert.doesNotMatch(text, /\$argon2id|csrf/)
  })

  test('the acts are those of the user, not of an account whose name is that number', async () => {
    const impostor = await app.account('impostor')
    const numbered = await app.account(String(impostor.userId))
    await app.session(numbered)
    const own = await app.session(impostor)
    await app.app.jobs.find(({ name }) => name === 'audit records')?.run()
    const { body } = await app.call('GET', '/api/account/export', { headers: own })
    const names = new Set(body.data.audit.map(({ username }: { username: string }) => username))
    assert.deepEqual([...names], ['impostor'])
  })

  test('of an administrator it names no other person', async () => {
    const admin = await app.bearer(app.admin)
    const other = await app.account('a-secret-name')
    await app.call('PUT', `/api/admin/accounts/${other.username}`, {
      headers: admin,
      json: { roles: ['EDITOR'] },
    })
    const { body, text } = await app.call('GET', '/api/account/export', { headers: admin })
    const acts = body.data.audit as { target: { user_id: number } | null }[]
    assert.ok(acts.some(({ target }) => target?.user_id === other.userId))
    assert.ok(!text.includes('a-secret-name'))
  })

  test('an old login is refused', async () => {
    app.clock.advance(301)
    const refused = await app.call('GET', '/api/account/export', { headers })
    assertRefusal(refused, 401, 'Recent login required')
  })

  test('every table that names a person is told, or its manifest says why not', async () => {
    const told = new Set<string>()
    const all = await (await createServiceMaker(app.deps, { modules })).all()
    for (const { services } of modules) {
      for (const { to, create } of (await services?.())?.hooks ?? []) {
        if (to !== 'personSections') continue
        const sections = create(all as never) as readonly ExportSection[]
        for (const { tables } of sections) for (const table of tables) told.add(table)
      }
    }
    const tables = modules.flatMap((module) => module.tables ?? [])
    const silent = tables.filter(
      ({ name, person }) => person && person.excluded === undefined && !told.has(name),
    )
    assert.deepEqual(
      silent.map(({ name }) => name),
      [],
    )
    const both = tables.filter(({ name, person }) => person?.excluded && told.has(name))
    assert.deepEqual(both, [])
  })

  test('gatehouse account data writes the same, also for a user without account', async () => {
    const run = await gatehouse(app.directory, 'account data ann')
    assert.equal(run.stderr, '')
    assert.equal(run.code, 0)
    assert.equal(JSON.parse(run.stdout).data.posts.length, 450)
    const byId = await gatehouse(app.directory, `account data --user ${ann.userId}`)
    assert.deepEqual([byId.code, byId.stderr], [0, ''])
    assert.deepEqual(JSON.parse(byId.stdout).data.user, JSON.parse(run.stdout).data.user)
    assert.equal((await gatehouse(app.directory, 'account data nobody')).code, 3)
    assert.equal((await gatehouse(app.directory, 'account data')).code, 2)
  })
})

suite('DELETE /api/account', async () => {
  const app = await testApp({ REAUTHENTICATE_SECONDS: '300' })
  const path = '/api/account'
  const remove = (headers: Record<string, string>, username: string, from?: string) => {
    const json = { username, current_password: passwordOf(username.toLowerCase()) }
    return app.call('DELETE', path, { headers, json, ...(from && { from }) })
  }
  const isThere = async ({ userId }: Someone) => {
    const headers = app.basic(app.admin)
    return (await app.call('GET', `/users/${userId}`, { headers })).status === 200
  }

  test('removes account and user, ends the session, and keeps posts without author', async () => {
    const ann = await app.account('ann')
    const [post] = await seedPosts(app, 1, { authorId: ann.userId })
    const headers = await app.session(ann)
    const done = await remove(headers, 'ANN')
    assert.deepEqual([done.status, done.body], [200, { message: 'Account deleted' }])
    assert.ok(Object.values(done.cookies).includes(''), 'the cookie is cleared')
    assert.equal(await isThere(ann), false)
    assertRefusal(await remove(headers, 'ann'), 401, 'Authentication required')
    const { body } = await app.call('GET', `/api/posts/${post}`, { headers: app.basic(app.admin) })
    assert.deepEqual([body.author_id, body.author], [null, null])
    const records = await app.call('GET', '/api/admin/audit?type=user_deleted', {
      headers: app.basic(app.admin),
    })
    assert.deepEqual(
      [records.body.data[0].erased, records.body.data[0].actor.subject],
      [true, null],
    )
    assert.deepEqual((await verified(app.deps)).problems, [])
  })

  test('without the right username, or of another one, nothing goes', async () => {
    const ben = await app.account('ben')
    const carl = await app.account('carl')
    const headers = await app.session(ben)
    const before = await app.rows()
    for (const username of ['', 'carl', 'benn', String(ben.userId)]) {
      const { status, body } = await remove(headers, username)
      assert.deepEqual([status, body.error], [400, 'Validation failed'])
    }
    const bare = await app.call('DELETE', path, { headers })
    assert.equal(bare.status, 400)
    const forged = { ...headers, 'x-csrf-token': 'none' }
    assertRefusal(await remove(forged, 'ben'), 403, 'CSRF token invalid')
    assert.deepEqual(await app.rows(), before)
    assert.ok((await isThere(ben)) && (await isThere(carl)))
  })

  test('the last administrator stays', async () => {
    const headers = await app.bearer(app.admin)
    const before = await app.rows()
    const json = { username: app.admin.username, current_password: app.admin.password }
    for (const one of ['/api/account', '/api/user/account']) {
      const { status, body } = await app.call('DELETE', one, { headers, json })
      assert.deepEqual([status, body], [409, { error: 'Last administrator' }], one)
      assert.deepEqual(await app.rows(), before)
    }
    await app.account('second', ['ADMIN'])
  })

  test('an old login is refused, and a recent one is not', async () => {
    const dora = await app.account('dora')
    const headers = await app.session(dora)
    app.clock.advance(301)
    const late = await remove(headers, 'dora')
    assertRefusal(late, 401, 'Recent login required')
    assert.ok(await isThere(dora))
    assert.equal((await remove(await app.bearer(dora), 'dora')).status, 200)
  })

  test('twice at once, and beside a login: it is removed once, and no one is signed in', async () => {
    for (let round = 0; round < 5; round += 1) {
      const someone = await app.account(`race-${round}`)
      const headers = await app.session(someone)
      const bearer = await app.bearer(someone)
      const { username, password } = someone
      const login = app.call('POST', '/login', {
        json: { username, password },
        from: `198.51.100.${round}`,
      })
      const answers = await Promise.all([
        remove(headers, username),
        remove(bearer, username),
        login,
        app.call('DELETE', `/users/${someone.userId}`, { headers: app.basic(app.admin) }),
      ])
      const done = answers.filter((_, index) => index !== 2).filter(({ status }) => status === 200)
      assert.equal(done.length, 1)
      assert.ok([200, 401].includes(answers[2].status), String(answers[2].status))
      assert.equal(await isThere(someone), false)
      const left = await app.deps.db
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', someone.userId)
        .execute()
      assert.deepEqual(left, [])
      const keys = await app.deps.db
        .selectFrom('audit_subjects')
        .select('subject')
        .where('subject', '=', String(someone.userId))
        .execute()
      assert.deepEqual(keys, [])
    }
  })
})
