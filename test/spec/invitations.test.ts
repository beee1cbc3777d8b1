// A database makes a difference: an invitation is accepted in the transaction of its account.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { heard } from '../database.ts'
import { mailerOf, servicesOf, verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'
import { invited, mailboxOf, profileOf } from '../registration.ts'
import { startRelay } from '../relay.ts'

const path = '/api/admin/invitations'
const accept = '/api/public/invitation'

suite('invitations by an administrator', async () => {
  const app = await testApp() // SIGN_UP is off: an administrator decides all the same
  const mailbox = await mailboxOf(app)
  const admin = await app.bearer(app.admin)
  const call = (method: string, below = '', json?: unknown) =>
    app.call(method, `${path}${below}`, { headers: admin, ...(json !== undefined && { json }) })
  const take = (json: object) => app.call('POST', accept, { json })

  test('an invitation is mailed, listed, and shows no secret', async () => {
    const wanted = { email: 'Ann@Example.org', roles: ['ROLE_EDITOR', 'USER'], name: 'Ann' }
    const { status, body } = await call('POST', '', wanted)
    assert.equal(status, 201)
    const now = app.clock.now()
    const shown = {
      id: body.id,
      email: 'Ann@example.org',
      name: 'Ann',
      roles: ['USER', 'EDITOR'],
      state: 'pending',
      invited_by: app.admin.userId,
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + 604_800_000).toISOString(),
      accepted_at: null,
      revoked_at: null,
      user_id: null,
    }
    assert.deepEqual(body, shown)
    assert.deepEqual((await call('GET')).body, { page: 1, limit: 10, total: 1, data: [shown] })
    const { message, user_id, expires_at } = await mailbox.newest()
    assert.deepEqual([message, user_id, expires_at], ['invitation', null, now + 604_800_000])
    const row = JSON.stringify((await app.rows()).invitations)
    assert.doesNotMatch(row, /ann@example/i, 'the address is sealed')
  })

  test('an invitation with several mistakes is refused with all of them, and mails nothing', async () => {
    const before = await app.rows()
    const answer = await call('POST', '', { email: 'ann', roles: ['NONE', 'USER'] })
    assert.equal(answer.status, 400)
    const { error, details } = answer.body
    assert.deepEqual(
      [error, details.map(({ path: at }: { path: string[] }) => at[0])],
      ['Validation failed', ['email', 'roles']],
    )
    assert.deepEqual(await app.rows(), before)
  })

  test('the person chooses username and password, and has the roles of the row', async () => {
    const { id, token } = await invited(app, mailbox, {
      email: 'bea@example.org',
      roles: ['EDITOR'],
    })
    const { status, body } = await take({ token, ...profileOf('bea') })
    assert.deepEqual([status, body.username, body.roles], [201, 'bea', ['EDITOR']])
    const { data } = (await call('GET')).body
    const found = data.find((it: { id: number }) => it.id === id)
    assert.equal(found.state, 'accepted')
    assert.deepEqual([found.user_id, found.accepted_at !== null], [body.user_id, true])
    const [row] = await app.deps.db
      .selectFrom('accounts')
      .select(['verified_email', 'email_verified_at'])
      .where('user_id', '=', body.user_id)
      .execute()
    assert.deepEqual(row, {
      verified_email: 'bea@example.org',
      email_verified_at: app.clock.now(),
    })
    const before = await app.rows()
    assertRefusal(await call('DELETE', `/${id}`), 409, 'Invitation already closed')
    assertRefusal(await call('POST', `/${id}/resend`), 409, 'Invitation already closed')
    assert.deepEqual(await app.rows(), before)
  })

  test('a resend mails the same link with the same end', async () => {
    const first = await invited(app, mailbox, { email: 'cleo@example.org', roles: [] })
    app.clock.advance(61)
    const { status, body } = await call('POST', `/${first.id}/resend`)
    assert.deepEqual([status, body.expires_at], [200, new Date(first.expiresAt).toISOString()])
    const { confirmation, token } = await mailbox.newest()
    assert.ok(confirmation)
    assert.equal(token, first.token)
    assert.equal((await take({ token, ...profileOf('cleo') })).status, 201)
  })

  test('an expired one begins anew with a resend', async () => {
    const first = await invited(app, mailbox, { email: 'dora@example.org', roles: ['USER'] })
    app.clock.advance(604_800)
    const { headers } = { headers: await app.bearer(app.admin) }
    const listed = (await app.call('GET', path, { headers })).body.data
    assert.equal(listed[0].state, 'expired')
    const dead = await take({ token: first.token, ...profileOf('dora') })
    assertRefusal(dead, 400, 'Invalid or expired code')
    const { status, body } = await app.call('POST', `${path}/${first.id}/resend`, { headers })
    assert.deepEqual([status, body.state], [200, 'pending'])
    const { token } = await mailbox.newest()
    assert.notEqual(token, first.token)
    assert.equal((await take({ token, ...profileOf('dora') })).status, 201)
  })

  test('a revoked one counts no more', async () => {
    const headers = await app.bearer(app.admin)
    const { id, token } = await invited(app, mailbox, {
      email: 'emma@example.org',
      roles: ['USER'],
    })
    const revoked = await app.call('DELETE', `${path}/${id}`, { headers })
    assert.deepEqual([revoked.status, revoked.body.state], [200, 'revoked'])
    const before = await app.rows()
    const refused = await take({ token, ...profileOf('emma') })
    assertRefusal(refused, 400, 'Invalid or expired code')
    const again = await app.call('DELETE', `${path}/${id}`, { headers })
    assertRefusal(again, 409, 'Invitation already closed')
    assert.deepEqual(await app.rows(), before)
  })

  test('a waiting mail of an invitation that was replaced is not sent', async () => {
    const relay = await startRelay()
    const own = await testApp(relay.env)
    const headers = await own.bearer(own.admin)
    const invite = (name: string) => {
      const json = { email: 'fay@example.org', roles: ['USER'], name }
      return own.call('POST', path, { headers, json })
    }
    assert.deepEqual([(await invite('First')).status, (await invite('Second')).status], [201, 201])
    await mailerOf(own, await servicesOf(own)).run()
    const texts = relay.mails.map(({ message }) => message.text)
    assert.equal(texts.length, 1)
    const [, token = ''] = /token=([\w.-]+)/.exec(texts[0] ?? '') ?? []
    const taken = await own.call('POST', accept, { json: { token, ...profileOf('fay') } })
    assert.equal(taken.status, 201)
    await own.close()
    await relay.stop()
  })

  test('many invitations to one address at once leave one that is pending', async () => {
    const other = await testApp({}, { directory: app.directory, clock: app.clock })
    const headers = await app.bearer(app.admin)
    const json = { email: 'gus@example.org', roles: ['USER'] }
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? app : other).call('POST', path, { headers, json }),
      ),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(12).fill(201),
    )
    const { data } = (await app.call('GET', `${path}?limit=100`, { headers })).body
    const states = data
      .filter(({ email }: { email: string }) => email === json.email)
      .map(({ state }: { state: string }) => state)
    assert.deepEqual(states.toSorted(), ['pending', ...Array(11).fill('revoked')])
    await other.close()
  })

  test('another invitation to the address takes the place of the pending one', async () => {
    const first = await invited(app, mailbox, { email: 'fay@example.org', roles: ['ADMIN'] })
    const second = await invited(app, mailbox, { email: 'FAY@example.org', roles: ['USER'] })
    const refused = await take({ token: first.token, ...profileOf('fay') })
    assertRefusal(refused, 400, 'Invalid or expired code')
    const { body } = await take({ token: second.token, ...profileOf('fay') })
    assert.deepEqual(body.roles, ['USER'])
  })

  test('an address with an account is not invited, and none comes of an older invitation', async () => {
    const headers = await app.bearer(app.admin)
    const { id, token } = await invited(app, mailbox, { email: 'gus@example.org', roles: ['USER'] })
    await verifyAddress(app, await app.account('gus'), 'Gus@example.org')
    const before = await app.rows()
    const json = { email: 'gus@example.org', roles: ['USER'] }
    const exists = await app.call('POST', path, { headers, json })
    assertRefusal(exists, 409, 'Email already in use')
    const resent = await app.call('POST', `${path}/${id}/resend`, { headers })
    assertRefusal(resent, 409, 'Email already in use')
    const taken = await take({ token, ...profileOf('gus2') })
    assertRefusal(taken, 409, 'Email already in use')
    assert.deepEqual(await app.rows(), before)
  })

  test('an id that is none is not found', async () => {
    const headers = await app.bearer(app.admin)
    for (const id of ['0', '999999', 'x', '1e3']) {
      const gone = await app.call('DELETE', `${path}/${id}`, { headers })
      assertRefusal(gone, 404, 'Invitation not found', id)
      const resent = await app.call('POST', `${path}/${id}/resend`, { headers })
      assertRefusal(resent, 404, 'Invitation not found', id)
    }
  })

  test('the role ADMIN asks for a recent login', async () => {
    const headers = await app.bearer(app.admin)
    const { id } = await invited(
      app,
      mailbox,
      { email: 'hal@example.org', roles: ['ADMIN'] },
      headers,
    )
    app.clock.advance(901)
    const before = await app.rows()
    const json = { email: 'ida@example.org', roles: ['ADMIN'] }
    assertRefusal(await app.call('POST', path, { headers, json }), 401, 'Recent login required')
    const resent = await app.call('POST', `${path}/${id}/resend`, { headers })
    assertRefusal(resent, 401, 'Recent login required')
    assert.deepEqual(await app.rows(), before)
    const user = { ...json, roles: ['USER'] }
    assert.equal((await app.call('POST', path, { headers, json: user })).status, 201)
  })

  test('the command line invites, lists, mails again and revokes', async () => {
    const run = async (words: string) => {
      const ran = await gatehouse(app.directory, words, { clock: app.clock })
      await heard(app)
      return ran
    }
    const made = await run(
      "invitation create Jo@example.org --roles USER,EDITOR --name 'Jo' --json",
    )
    assert.deepEqual([made.code, made.stderr], [0, ''])
    const { id, roles, invited_by } = JSON.parse(made.stdout)
    assert.deepEqual([roles, invited_by], [['USER', 'EDITOR'], null])
    const listed = JSON.parse((await run('invitation list --json')).stdout)
    assert.deepEqual([listed[0].id, listed[0].email], [id, 'Jo@example.org'])
    app.clock.advance(61)
    assert.match((await run(`invitation resend ${id}`)).stdout, /to Jo@example.org is mailed again/)
    assert.match((await run(`invitation revoke ${id}`)).stdout, /is revoked/)
    const waiting = await mailbox.newest()
    assert.equal(waiting.token, '', 'the mail that waits is not sent')
    app.clock.advance(1) // within the minute in which a stranger gets one mail
    assert.equal((await run('invite jo@example.org')).code, 0)
    const { token } = await mailbox.newest()
    const { body } = await take({ token, ...profileOf('jo') })
    assert.deepEqual(body.roles, ['USER'])
    for (const [words, code] of [
      ['invitation create nobody', 2],
      ['invite jo@example.org', 4],
      ['invitation revoke x', 2],
      ['invitation revoke 999999', 3],
      [`invitation revoke ${id}`, 4],
    ] as const) {
      assert.equal((await run(words)).code, code, words)
    }
  })
})
