// A database makes a difference: proofs are used up under races, and a refusal must change nothing.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { otherCode } from '../confirmations.ts'
import { holdAtTransaction, holdableDatabase } from '../held-requests.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'
import {
  begunSignUp,
  invited,
  mailboxOf,
  person,
  profileFields,
  profileOf,
} from '../registration.ts'

const path = '/api/public/sign-up'
const accept = '/api/public/invitation'
const dead = 'Invalid or expired code'

suite('a sign-up, against a caller who does not read the mailbox', async () => {
  const app = await testApp({ SIGN_UP: 'open' })
  const mailbox = await mailboxOf(app)
  const begin = (body: unknown, from?: string) =>
    app.call('POST', path, { json: body, ...(from && { from }) })
  const finish = (json: object) => app.call('PUT', path, { json })
  const begun = (email: string) => begunSignUp(app, mailbox, email)
  let count = 0
  const fresh = () => `visitor${++count}@example.org`
  /** Makes an account of a new address, and answers its token. */
  async function used(username: string) {
    const { token } = await begun(fresh())
    assert.equal((await finish({ token, ...profileOf(username) })).status, 201)
    return token
  }
  async function refusedAs(json: object, about: string) {
    const before = await app.rows('mails') // a code counts its tries there
    assertRefusal(await finish(json), 400, dead, about)
    assert.deepEqual(await app.rows('mails'), before, about)
  }

  test('several addresses in one get no mail', async () => {
    const before = await app.rows()
    const victim = 'victim@example.org'
    for (const email of [
      [victim, 'evil@example.org'],
      { address: victim },
      `${victim},evil@example.org`,
      `${victim};evil@example.org`,
      `g: ${victim};`,
      `${victim}\r\nRCPT TO:<evil@example.org>`,
      `${victim}\nBcc: evil@example.org`,
      `"evil@example.org"@example.org`,
      `<${victim}>`,
      `evil@example.org ${victim}`,
      7,
      null,
      true,
    ]) {
      const { status, body } = await begin({ email })
      assert.deepEqual([status, body.error], [400, 'Validation failed'], JSON.stringify(email))
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('of a key that is there twice the last one counts, for lookup and mail alike', async () => {
    const body = '{"email":"one@example.org","email":"two@example.org"}'
    const headers = { 'content-type': 'application/json' }
    const answer = await app.call('POST', path, { headers, body })
    assert.equal(answer.status, 202)
    const { token } = await mailbox.confirmations.mailed(answer.body.id)
    const opened = await mailbox.confirmations.open(token, ['sign_up'])
    assert.equal(opened?.address.key, 'two@example.org')
  })

  test('CRLF and HTML in a name stay text, and in a username they are refused', async () => {
    const { token } = await begun(fresh())
    for (const username of ['a\r\nb', '<b>\u0000', 'x\u200by', 'a:b', ' ', '.']) {
      const { status } = await finish({ token, ...profileOf('anyone'), username })
      assert.equal(status, 400, JSON.stringify(username))
    }
    const name = '<script>alert(1)</script>\r\nBcc: evil@example.org'
    const made = await finish({ token, ...profileOf('crlf.name'), name })
    assert.equal(made.status, 201)
    const headers = app.basic(app.admin)
    const user = await app.call('GET', `/users/${made.body.user_id}`, { headers })
    assert.equal(user.body.name, name)
  })

  test('50 uses of one proof at once make one account', async () => {
    const { token } = await begun(fresh())
    const before = (await app.rows()).accounts?.length ?? 0
    const tries = Array.from({ length: 50 }, (_, index) =>
      finish({ token, ...profileOf(`racer${index}`) }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 201).length, 1)
    assert.ok(
      statuses.every((status) => [201, 400, 409, 429, 503].includes(status)),
      statuses.join(),
    )
    assert.equal((await app.rows()).accounts?.length, before + 1)
    assert.equal((await app.rows()).users?.length, (await app.rows()).accounts?.length)
  })

  test('two proofs of one address at once make one account', async () => {
    const email = fresh()
    const { token } = await begun(email)
    const { token: invitation } = await invited(app, mailbox, { email, roles: ['USER'] })
    const answers = await Promise.all([
      finish({ token, ...profileOf('by.sign.up') }),
      app.call('POST', accept, { json: { token: invitation, ...profileOf('by.invitation') } }),
    ])
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [201, 409])
    const owners = await app.deps.db
      .selectFrom('accounts')
      .select('username')
      .where('verified_email_key', '=', email)
      .execute()
    assert.equal(owners.length, 1)
  })

  test('an absent, blank, doubled, huge or foreign token is none', async () => {
    for (const token of ['', ' ', '.', 'x'.repeat(66), `${'x'.repeat(22)}.${'y'.repeat(43)}`]) {
      await refusedAs({ token, ...profileOf('blank') }, JSON.stringify(token))
    }
    const before = await app.rows()
    for (const token of [null, [], ['x'], {}, 7, 'x'.repeat(129)]) {
      const { status, body } = await finish({ token, ...profileOf('blank') })
      assert.deepEqual([status, body.error], [400, 'Validation failed'], JSON.stringify(token))
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('a link of one purpose counts for no other', async () => {
    const { token } = await begun(fresh())
    const { token: invitation } = await invited(app, mailbox, { email: fresh(), roles: ['USER'] })
    const { id } = await mailbox.confirmations.begin({ purpose: 'reset', asked: 'x' })
    const { token: reset, code } = await mailbox.confirmations.mailed(id)
    await refusedAs({ token: invitation, ...profileOf('other') }, 'an invitation')
    await refusedAs({ token: reset, ...profileOf('other') }, 'a reset')
    await refusedAs({ id, code, ...profileOf('other') }, 'the code of a reset')
    const before = await app.rows()
    for (const sent of [token, reset]) {
      const answer = await app.call('POST', accept, {
        json: { token: sent, ...profileOf('other') },
      })
      assertRefusal(answer, 400, dead)
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('the secret of one sign-up does not fit the id of another', async () => {
    const [one, two] = [await begun(fresh()), await begun(fresh())]
    const [, secret] = two.token.split('.')
    const [name] = one.token.split('.')
    await refusedAs({ token: `${name}.${secret}`, ...profileOf('mixed') }, 'token')
    await refusedAs({ id: one.id, code: two.code, ...profileOf('mixed') }, 'code')
  })

  test('a proof is dead after its use, and at its end', async () => {
    const token = await used('only.once')
    await refusedAs({ token, ...profileOf('only.twice') }, 'used')
    const late = await begun(fresh())
    app.clock.advance(86_400)
    await refusedAs({ token: late.token, ...profileOf('too.late') }, 'expired')
  })

  const closed: Record<string, [Record<string, string>, number, string, object?]> = {
    'sign-up is off': [{ SIGN_UP: 'off' }, 403, 'Sign-up is off'],
    'sign-up is by invitation': [{ SIGN_UP: 'invitation' }, 403, 'Sign-up is off'],
    'its domain may sign up no more': [
      { SIGN_UP: 'open', SIGN_UP_DOMAINS: 'other.example' },
      400,
      'Validation failed',
      { details: [{ path: ['email'], message: 'has a domain that may not sign up here' }] },
    ],
  }
  for (const [what, [env, status, error, more]] of Object.entries(closed)) {
    test(`a link that was mailed before makes no account once ${what}`, async () => {
      const { token } = await begun(fresh())
      const visitor = person(app)
      await visitor.open(`/signup?token=${token}`)
      const { directory, clock } = app
      const restarted = await testApp(env, { directory, clock })
      const before = await restarted.rows('refusals')
      const json = { token, ...profileOf('too.closed') }
      assertRefusal(await restarted.call('PUT', path, { json }), status, error, what, more)
      const { action, csrf_token } = visitor.form()
      const cookie = [...visitor.browser.cookies].map((pair) => pair.join('=')).join('; ')
      const page = await restarted.call('POST', action, {
        headers: { cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' },
        form: { csrf_token, ...profileFields('too.closed') },
      })
      assert.equal(page.status, status, page.text)
      assert.deepEqual(await restarted.rows('refusals'), before)
      await restarted.close()
    })
  }

  test('five wrong codes use the code up, and the link stays', async () => {
    const { id, code, token } = await begun(fresh())
    for (let tries = 1; tries <= 5; tries += 1) {
      const wrong = { id, code: otherCode(code, tries), ...profileOf('guesser') }
      await refusedAs(wrong, `${tries}`)
    }
    await refusedAs({ id, code, ...profileOf('guesser') }, 'the right one')
    assert.equal((await finish({ token, ...profileOf('guesser') })).status, 201)
  })

  test('nothing that a stranger set waits for the owner of the address', async () => {
    const email = fresh()
    // The stranger can ask, and knows neither link nor code: no username, password, role or session.
    const asked = await begin({
      email,
      username: 'stranger',
      password: profileOf('stranger').password,
      roles: ['ADMIN'],
    })
    assert.equal(asked.status, 202)
    assert.deepEqual(asked.cookies, {})
    const login = await app.call('POST', '/login', { json: profileOf('stranger') })
    assert.equal(login.status, 401)
    const owner = await begun(email)
    const { body } = await finish({ token: owner.token, roles: ['ADMIN'], ...profileOf('owner') })
    assert.deepEqual([body.username, body.roles], ['owner', ['USER']])
    await refusedAs({ id: asked.body.id, code: owner.code, ...profileOf('stranger') }, 'later')
  })

  test('one address, spelt in five ways, is one; what only looks like it is none of it', async () => {
    const mike = await app.account('mike')
    await verifyAddress(app, mike, 'mike@example.org')
    for (const email of [
      'MIKE@example.org',
      'mike@EXAMPLE.ORG',
      'mike@ｅｘａｍｐｌｅ.org',
      'Mike@Example.Org',
    ]) {
      app.clock.advance(61)
      assert.equal((await begin({ email })).status, 202)
      const [row] = (await mailRows(app)).filter(({ created_at: at }) => at === app.clock.now())
      assert.deepEqual([row?.message, row?.user_id], ['sign_up_exists', mike.userId], email)
    }
    for (const email of ['mıke@example.org', 'mi\u212Ae@example.org', 'mike@example.org.']) {
      assert.equal((await begin({ email })).status, 400, email)
    }
    app.clock.advance(61)
    assert.equal((await begin({ email: 'mike@exаmple.org' })).status, 202) // a Cyrillic letter
    const [row] = (await mailRows(app)).filter(({ created_at: at }) => at === app.clock.now())
    assert.equal(row?.message, 'sign_up', 'of another domain')
  })

  test('a page of another origin begins and finishes nothing', async () => {
    const { token } = await begun(fresh())
    const before = await app.rows()
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ]) {
      const sent = await app.call('POST', path, { headers, json: { email: fresh() } })
      assertRefusal(sent, 403, 'Access denied', JSON.stringify(headers))
      const json = { token, ...profileOf('forged') }
      assertRefusal(await app.call('PUT', path, { headers, json }), 403, 'Access denied')
      assertRefusal(await app.call('POST', accept, { headers, json }), 403, 'Access denied')
    }
    assert.deepEqual(await app.rows(), before)
  })
})

suite('sign-up tells no one which addresses have accounts', async () => {
  const app = await testApp({ SIGN_UP: 'open' })
  const mailbox = await mailboxOf(app)
  const begin = (email: string, from = '198.51.100.1') =>
    app.call('POST', path, { json: { email }, from })
  const make = async (username: string, more: object = {}) => {
    const someone = await app.account(username)
    await verifyAddress(app, someone, `${username}@example.org`)
    if (Object.keys(more).length > 0) {
      const headers = await app.bearer(app.admin)
      await app.call('PUT', `/api/admin/accounts/${username}`, { headers, json: more })
    }
  }

  test('answers, headers and rows are alike for every address', async () => {
    await make('known')
    await make('disabled', { active: false })
    await make('locked', { locked: true })
    const unverified = await app.account('unverified')
    await app.deps.db
      .updateTable('users')
      .set({ email: 'unverified@example.org' })
      .where('id', '=', unverified.userId)
      .execute()
    await invited(app, mailbox, { email: 'invited@example.org', roles: ['USER'] })
    await begin('limited@example.org') // it is limited for a minute now
    const seen = new Set<string>()
    for (const who of ['new', 'known', 'disabled', 'locked', 'unverified', 'invited', 'limited']) {
      const count = async (table: string) => (await app.rows())[table]?.length ?? 0
      const [mails, proofs] = [await count('mails'), await count('confirmations')]
      const { status, headers, body } = await begin(`${who}@example.org`)
      const added = [(await count('mails')) - mails, (await count('confirmations')) - proofs]
      const { 'x-request-id': _, date: __, ...others } = headers
      const form = { id: String(body.id).replace(/^[\w-]{22}$/, 'ID'), ends: body.expires_at }
      const rows = who === 'limited' ? [1, 1] : added // its proof is repeated
      seen.add(JSON.stringify([status, others, Object.keys(body), form, rows]))
    }
    assert.equal(seen.size, 1, [...seen].join('\n'))
  })

  test('asking again is answered as the first time, for a taken address as for a free one', async () => {
    app.clock.advance(3600)
    const ids = new Set<string>()
    for (const who of ['known', 'nobody']) {
      for (const wait of [0, 1, 3000]) {
        app.clock.advance(wait)
        const { body } = await begin(`${who}@example.org`)
        assert.deepEqual(Object.keys(body), ['id', 'expires_at'])
        assert.equal(Date.parse(body.expires_at) - app.clock.now(), 86_400_000, who)
        ids.add(body.id)
      }
    }
    assert.equal(ids.size, 6)
  })

  test('one address gets six mails an hour from any number of clients, one client 429', async () => {
    app.clock.advance(3600)
    const states = async () =>
      (await mailRows(app))
        .filter(({ created_at: at }) => at > app.clock.now() - 3_000_000)
        .map(({ state }) => state)
    for (let client = 1; client <= 10; client += 1) {
      assert.equal((await begin('bombed@example.org', `203.0.113.${client}`)).status, 202)
      app.clock.advance(61)
    }
    const sent = (await states()).filter((state) => state === 'waiting')
    assert.equal(sent.length, 6, 'five, and one more that has a link')
    const { maxPerClient } = app.deps.config.mail
    let refused = 0
    for (let number = 0; number < maxPerClient + 5; number += 1) {
      const { status, headers } = await begin(`one${number}@example.org`, '2001:db8::1')
      if (status !== 429) continue
      refused += 1
      assert.ok(Number(headers['retry-after']) > 0)
    }
    assert.equal(refused, 5)
    const other = await begin('more@example.org', '2001:db8::ffff:1')
    assert.equal(other.status, 429, 'another address of the same /64')
    assert.equal((await begin('known@example.org', '2001:db8::2')).status, 429, 'any address')
  })
})

suite('an invitation, against all but the person who is invited', async () => {
  const app = await testApp({ SIGN_UP: 'open' }, await holdableDatabase())
  const mailbox = await mailboxOf(app)
  const take = (json: object) => app.call('POST', accept, { json })
  async function refused(json: object, about: string) {
    const before = await app.rows()
    assertRefusal(await take(json), 400, dead, about)
    assert.deepEqual(await app.rows(), before, about)
  }

  test('roles and address come from the row, whatever the form says', async () => {
    const { token } = await invited(app, mailbox, { email: 'ann@example.org', roles: ['USER'] })
    const { status, body } = await take({
      token,
      ...profileOf('ann'),
      roles: ['ADMIN'],
      role: 'ADMIN',
      email: 'evil@example.org',
      locked: false,
      invited_by: 1,
      user_id: app.admin.userId,
    })
    assert.deepEqual([status, body.roles], [201, ['USER']])
    const row = await app.deps.db
      .selectFrom('accounts')
      .select('verified_email')
      .where('user_id', '=', body.user_id)
      .executeTakeFirstOrThrow()
    assert.equal(row.verified_email, 'ann@example.org')
    await refused({ token, ...profileOf('ann2') }, 'twice')
  })

  test('50 acceptances at once make one account', async () => {
    const { token } = await invited(app, mailbox, { email: 'bea@example.org', roles: ['ADMIN'] })
    const tries = Array.from({ length: 50 }, (_, index) =>
      take({ token, ...profileOf(`guest${index}`) }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 201).length, 1, statuses.join())
  })

  test('an inviter who is no administrator any more gives no roles', async () => {
    const headers = await app.bearer(app.admin)
    const path = '/api/admin/accounts/inviter'
    const change = (json: object) => app.call('PUT', path, { headers, json })
    const inviter = await app.account('inviter', ['ADMIN'])
    const by = await app.bearer(inviter)
    const wanted = { email: 'cleo@example.org', roles: ['ADMIN'] }
    const { id, token } = await invited(app, mailbox, wanted, by)
    for (const [json, back] of [
      [{ roles: ['USER', 'EDITOR'] }, { roles: ['ADMIN'] }],
      [{ active: false }, { active: true }],
      [{ locked: true }, { locked: false }],
    ] as const) {
      assert.equal((await change(json)).status, 200)
      await refused({ token, ...profileOf('cleo') }, JSON.stringify(json))
      assert.equal((await change(back)).status, 200)
    }
    assert.equal((await app.call('DELETE', path, { headers })).status, 200)
    await refused({ token, ...profileOf('cleo') }, 'the account is deleted')
    await app.call('DELETE', `/users/${inviter.userId}`, { headers })
    await refused({ token, ...profileOf('cleo') }, 'the user is deleted')
    // Another administrator stands for it by mailing it again.
    app.clock.advance(61)
    const resent = await app.call('POST', `/api/admin/invitations/${id}/resend`, { headers })
    assert.equal(resent.body.invited_by, app.admin.userId)
    assert.equal((await take({ token, ...profileOf('cleo') })).status, 201)
  })

  test('an inviter who ends between the reading and the acceptance gives no roles', async () => {
    const inviter = await app.account('leaving', ['ADMIN'])
    const wanted = { email: 'late@example.org', roles: ['ADMIN'] }
    const { token } = await invited(app, mailbox, wanted, await app.bearer(inviter))
    const body = JSON.stringify({ token, ...profileOf('late') })
    const request = holdAtTransaction(app, { method: 'POST', path: accept, headers: {}, body }, 1)
    await request.held
    const ended = await app.call('PUT', '/api/admin/accounts/leaving', {
      headers: await app.bearer(app.admin),
      json: { roles: ['USER'] },
    })
    assert.equal(ended.status, 200)
    const before = await app.rows()
    request.goOn()
    assertRefusal(await request.answer, 400, dead)
    assert.deepEqual(await app.rows(), before)
  })

  test('an acceptance and the end of its inviter come one after the other', async () => {
    const headers = await app.bearer(app.admin)
    for (let round = 0; round < 5; round += 1) {
      const inviter = await app.account(`boss${round}`, ['ADMIN'])
      const wanted = { email: `hired${round}@example.org`, roles: ['ADMIN'] }
      const { token } = await invited(app, mailbox, wanted, await app.bearer(inviter))
      const url = `/api/admin/accounts/boss${round}`
      const [taken, ended] = await Promise.all([
        take({ token, ...profileOf(`hired${round}`) }),
        app.call('PUT', url, { headers, json: { roles: [] } }),
      ])
      assert.equal(ended.status, 200)
      assert.ok(taken.status === 201 || taken.status === 400, `${taken.status}`)
    }
  })

  test('only an administrator sees, makes, mails or revokes one', async () => {
    const path = '/api/admin/invitations'
    const { id } = await invited(app, mailbox, { email: 'emma@example.org', roles: ['USER'] })
    const editor = await app.bearer(await app.account('editor', ['USER', 'EDITOR']))
    const before = await app.rows()
    const json = { email: 'fay@example.org', roles: ['ADMIN'] }
    for (const [headers, status, error] of [
      [editor, 403, 'Access denied'],
      [{}, 401, 'Authentication required'],
    ] as const) {
      assertRefusal(await app.call('GET', path, { headers }), status, error)
      assertRefusal(await app.call('POST', path, { headers, json }), status, error)
      assertRefusal(await app.call('DELETE', `${path}/${id}`, { headers }), status, error)
      assertRefusal(await app.call('POST', `${path}/${id}/resend`, { headers }), status, error)
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('a repeated request with one key invites once', async () => {
    const headers = { ...(await app.bearer(app.admin)), 'idempotency-key': 'invite-gus' }
    const json = { email: 'gus@example.org', roles: ['USER'] }
    const send = () => app.call('POST', '/api/admin/invitations', { headers, json })
    const first = await send()
    const mails = (await mailRows(app)).length
    assert.deepEqual((await send()).body, first.body)
    assert.equal((await mailRows(app)).length, mails)
  })
})
