// A database makes a difference: a unique index, and rows that a transaction changes together.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, testApp } from '../app.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { mailboxes } from '../emails.ts'
import { assertRefusal } from '../refusal.ts'

const prefixes = ['/api/account', '/api/user/account'] as const
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

suite('the verified address of an account', async () => {
  const app = await testApp({ CLIENTS_FILE: clientsFile([entry('shop')]) })
  const { ask, confirm, emailOf, mails, token, verify, waysBack } = await mailboxes(app)
  let made = 0
  const someone = async () => {
    const who = await app.account(`mailer${++made}`)
    return { who, session: await app.session(who), address: `${who.username}@example.org` }
  }
  const own = async (headers: Headers) =>
    (await app.call('GET', '/api/account/email', { headers })).body
  const at = (milliseconds: number) => new Date(milliseconds).toISOString()

  for (const prefix of prefixes) {
    test(`PUT ${prefix}/email: 202, the address waits for its proof and counts after it`, async () => {
      const { who, session, address } = await someone()
      await mails()
      const path = `${prefix}/email`
      const none = { email: null, verified_at: null, pending: null, undeliverable: false }
      assert.deepEqual((await app.call('GET', path, { headers: session })).body, none)
      const email = address.replace('example', 'EXAMPLE')
      const json = { email, current_password: who.password }
      const begun = await app.call('PUT', path, { headers: session, json })
      const expires_at = at(app.clock.now() + 86_400_000)
      assert.deepEqual([begun.status, begun.body.expires_at], [202, expires_at])
      assert.deepEqual(await mails(), [
        { message: 'verification', state: 'waiting', user_id: who.userId },
      ])
      const pending = { email: address, expires_at }
      assert.deepEqual((await app.call('GET', path, { headers: session })).body, {
        ...none,
        pending,
      })
      const answer = await confirm({ token: await token(begun.body.id) })
      assert.deepEqual([answer.status, answer.body], [200, { message: 'Email verified' }])
      const verified = { ...none, email: address, verified_at: at(app.clock.now()) }
      assert.deepEqual((await app.call('GET', path, { headers: session })).body, verified)
      assert.deepEqual(await mails(), [])
    })

    test(`DELETE ${prefix}/email gives up the one that waits, and keeps the verified one`, async () => {
      const { session, address } = await someone()
      await verify(session, address)
      const link = await token(await ask(session, `other-${address}`))
      const answer = await app.call('DELETE', `${prefix}/email`, { headers: session })
      assert.deepEqual(
        [answer.status, answer.body],
        [200, { message: 'No address waits for its proof' }],
      )
      assertRefusal(await confirm({ token: link }), 400, 'Invalid or expired code')
      const { email, pending } = await own(session)
      assert.deepEqual([email, pending], [address, null])
    })

    test(`PUT ${prefix}/language: one of the languages, or null`, async () => {
      const { who, session } = await someone()
      const stored = async () =>
        (
          await app.deps.db
            .selectFrom('accounts')
            .select('language')
            .where('user_id', '=', who.userId)
            .executeTakeFirst()
        )?.language
      for (const language of ['de', null]) {
        const answer = await app.call('PUT', `${prefix}/language`, {
          headers: session,
          json: { language },
        })
        assert.deepEqual([answer.status, answer.body], [200, { message: 'Language changed' }])
        assert.equal(await stored(), language)
      }
      const other = await app.call('PUT', `${prefix}/language`, {
        headers: session,
        json: { language: 'xx' },
      })
      assert.equal(other.status, 400)
      assert.equal(await stored(), null)
    })
  }

  test('the code of the mail counts in place of the link, with the id of the answer', async () => {
    const { session, address } = await someone()
    const id = await ask(session, address)
    const { confirmations } = await mailboxes(app)
    const { code } = await confirmations.mailed(id)
    const typed = `${code.slice(0, 4)} ${code.slice(4)}`
    assert.equal((await confirm({ id, code: typed })).status, 200)
    assert.equal((await own(session)).email, address)
  })

  test('a change: confirmed at the new address, told to the old one with a way back', async () => {
    const { who, session, address } = await someone()
    await verify(session, address)
    await mails()
    const id = await ask(session, `new-${address}`)
    assert.equal((await own(session)).email, address) // nothing changes before the proof
    assert.deepEqual(await mails(), [
      { message: 'email_change', state: 'waiting', user_id: who.userId },
    ])
    const answer = await confirm({ token: await token(id) })
    assert.deepEqual([answer.status, answer.body], [200, { message: 'Email changed' }])
    assert.deepEqual(await mails(), [
      { message: 'email_changed', state: 'waiting', user_id: who.userId },
    ])
    assert.equal((await own(session)).email, `new-${address}`) // the session goes on
    app.clock.advance(7 * 86_400 - 1)
    const [link] = await waysBack(who)
    const back = await confirm({ token: link })
    const { reset_token, ...said } = back.body
    assert.deepEqual(
      [back.status, said],
      [
        200,
        {
          message: 'Email restored, and all logins ended',
          expires_at: at(app.clock.now() + 1_800_000),
        },
      ],
    )
    assert.match(reset_token, /^[\w-]{22}\.[\w-]{43}$/)
    assert.equal((await emailOf(who)).email, address)
  })

  test('the present address again: a new proof clears what the mail server said of it', async () => {
    const { who, session, address } = await someone()
    await verify(session, address)
    const refused = { undeliverable_at: app.clock.now(), undeliverable_reason: '550 no such user' }
    await app.deps.db
      .updateTable('accounts')
      .set(refused)
      .where('user_id', '=', who.userId)
      .execute()
    assert.equal((await own(session)).undeliverable, true)
    const seen = await emailOf(who)
    assert.deepEqual(
      [seen.undeliverable_at, seen.undeliverable_reason],
      [at(app.clock.now()), '550 no such user'],
    )
    app.clock.advance(60)
    await mails()
    await verify(session, address.toUpperCase())
    assert.deepEqual(
      (await mails()).map(({ message }) => message),
      ['verification'],
    )
    const { email, undeliverable } = await own(session)
    assert.deepEqual(
      [email, undeliverable],
      [`${address.split('@')[0]?.toUpperCase()}@example.org`, false],
    )
    assert.equal((await emailOf(who)).undeliverable_at, null)
  })

  test('claims: access tokens, introspection and /api/me have the verified address alone', async () => {
    const { who, session, address } = await someone()
    const claimsOf = (jwt: string) =>
      JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
    const before = await app.token(who)
    assert.ok(!('email' in claimsOf(before) || 'email_verified' in claimsOf(before)))
    const me = async (jwt: string) => app.call('GET', '/api/me', { headers: bearer(jwt) })
    assert.equal((await me(before)).body.email, 'someone@example.org') // that of the user
    await verify(session, address)
    assert.equal((await me(before)).status, 200) // it has no address that could be wrong
    const pair = await app.pair(who)
    for (const jwt of [await app.token(who), pair.access_token]) {
      const { email, email_verified } = claimsOf(jwt)
      assert.deepEqual([email, email_verified], [address, true])
      assert.equal((await me(jwt)).body.email, address)
      const told = await app.call('POST', '/oauth/introspect', {
        headers: asClient('shop'),
        form: { token: jwt },
      })
      assert.deepEqual([told.body.email, told.body.email_verified], [address, true])
    }
    // A change ends the tokens with the address before; sessions and refresh tokens go on.
    await verify(session, `new-${address}`)
    assertRefusal(await me(pair.access_token), 401, 'Invalid token')
    assert.equal((await app.call('GET', '/api/session', { headers: session })).status, 200)
    const { refresh_token } = pair
    const { body } = await app.call('POST', '/refresh', { form: { refresh_token } })
    assert.equal(claimsOf(body.access_token).email, `new-${address}`)
  })

  test('ADMIN removes the address of another account: its links end, its owner is told', async () => {
    const { who, session, address } = await someone()
    await verify(session, address)
    await verify(session, `new-${address}`)
    const [back] = await waysBack(who)
    const open = await token(await ask(session, `third-${address}`))
    const jwt = await app.token(who)
    const admin = await app.session(app.admin)
    const path = `/api/admin/accounts/${who.username}/email`
    await mails()
    const answer = await app.call('DELETE', path, { headers: admin })
    assert.deepEqual([answer.status, answer.body], [200, { message: 'Email removed' }])
    assert.deepEqual(await mails(), [
      { message: 'email_changed', state: 'waiting', user_id: who.userId },
    ])
    assert.equal((await own(session)).email, null)
    assertRefusal(await app.call('GET', '/api/me', { headers: bearer(jwt) }), 401, 'Invalid token')
    for (const link of [back, open]) {
      assertRefusal(await confirm({ token: link }), 400, 'Invalid or expired code')
    }
    const again = await app.call('DELETE', path, { headers: admin })
    assertRefusal(again, 409, 'No verified email')
    const mine = await app.call('DELETE', `/api/admin/accounts/${app.admin.username}/email`, {
      headers: admin,
    })
    assertRefusal(mine, 403, 'Access denied')
  })
})

suite('without mail', async () => {
  const app = await testApp({
    NODE_ENV: 'production',
    BASE_URL: 'https://a.example',
    TRUST_PROXY: 'none',
  })

  test('PUT /api/account/email: 503, and nothing waits', async () => {
    const session = await app.session(await app.account('ann'))
    const before = await app.rows()
    const json = { email: 'ann@example.org' }
    const answer = await app.call('PUT', '/api/account/email', { headers: session, json })
    assertRefusal(answer, 503, 'Mail is not configured')
    assert.deepEqual(await app.rows(), before)
  })
})
