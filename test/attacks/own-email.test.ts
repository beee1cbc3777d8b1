// A database makes a difference: requests at once race for rows and for a unique index.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, testApp } from '../app.ts'
import { mailboxes } from '../emails.ts'
import { tally } from '../logins.ts'
import { mailRows } from '../mail.ts'
import { proofOf } from '../proofs.ts'
import { assertRefusal } from '../refusal.ts'

const invalid = [400, 'Invalid or expired code'] as const

suite('the verified address cannot be taken by trick', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0' })
  const { ask, confirm, confirmations, emailOf, mails, token, verify, waysBack } =
    await mailboxes(app)
  const admin = app.basic(app.admin)
  let made = 0
  const someone = async () => {
    const who = await app.account(`owner${++made}`)
    return { who, session: await app.session(who), address: `${who.username}@example.org` }
  }
  const verified = async () => {
    const one = await someone()
    await verify(one.session, one.address)
    return one
  }
  const put = async (headers: Headers, email: unknown) => {
    const json = { email, ...(await proofOf(app, headers)) }
    return app.call('PUT', '/api/account/email', { headers, json })
  }
  const email = async (who: { username: string; userId: number }) =>
    (await emailOf({ ...who, password: '' })).email
  const change = (username: string, json: object) =>
    app.call('PUT', `/api/admin/accounts/${username}`, { headers: admin, json })

  test('an address of another account: the same answer, a mail to its owner, and nothing else', async () => {
    const [victim, thief] = [await verified(), await someone()]
    app.clock.advance(60)
    await mails()
    const free = await put(thief.session, 'free@example.org')
    app.clock.advance(1) // the order of the mails
    const taken = await put(thief.session, victim.address.toUpperCase())
    const shape = ({ id, expires_at }: { id: string; expires_at: string }, later = 0) => [
      id.length,
      Date.parse(expires_at) - later,
    ]
    assert.deepEqual([taken.status, shape(taken.body, 1000)], [free.status, shape(free.body)])
    assert.deepEqual(Object.keys(taken.headers), Object.keys(free.headers))
    const own = await app.call('GET', '/api/account/email', { headers: thief.session })
    assert.equal(
      own.body.pending.email,
      victim.address.toUpperCase().replace('EXAMPLE.ORG', 'example.org'),
    )
    assert.deepEqual(
      (await mails()).map(({ message, user_id }) => ({ message, user_id })),
      [
        { message: 'verification', user_id: thief.who.userId },
        { message: 'sign_up_exists', user_id: victim.who.userId },
      ],
    )
    // Even with the link, which no mail has, the address stays where it is.
    const link = await token(taken.body.id)
    assertRefusal(await confirm({ token: link }), 409, 'Email already in use')
    assert.deepEqual([await email(victim.who), await email(thief.who)], [victim.address, null])
  })

  test('26: eight accounts that ask for one address have six mails sent there in an hour', async () => {
    app.clock.advance(60) // mails of one instant have no order
    const bombed = 'bombed@example.org'
    const asked = async () => (await mailRows(app)).filter(({ flow }) => flow !== null)
    const before = (await asked()).length
    for (let asker = 0; asker < 8; asker += 1) {
      const { session } = await someone()
      assert.equal((await put(session, bombed)).status, 202)
      app.clock.advance(60)
    }
    const states = (await asked()).slice(before).map(({ message, state }) => `${message} ${state}`)
    assert.deepEqual(states, [
      ...Array(6).fill('verification waiting'),
      ...Array(2).fill('verification dropped'),
    ])
  })

  test('6: two accounts prove one address at once: one has it, the other is refused', async () => {
    for (let round = 0; round < 3; round += 1) {
      const [one, two] = [await someone(), await verified()]
      const address = `race${round}@example.org`
      const links = [
        await token(await ask(one.session, address)),
        await token(await ask(two.session, address)),
      ]
      const answers = await Promise.all(links.map((link) => confirm({ token: link })))
      assert.deepEqual(tally(answers), { 200: 1, 409: 1 })
      const refused = answers.find(({ status }) => status === 409)
      assert.deepEqual(refused?.body, { error: 'Email already in use' })
      const now = [await email(one.who), await email(two.who)]
      assert.deepEqual(
        now.filter((found) => found === address),
        [address],
      )
    }
  })

  test('6: two changes at once: no link confirms the address of the other', async () => {
    const { who, session } = await verified()
    const wanted = ['left@example.org', 'right@example.org']
    const answers = await Promise.all(wanted.map((address) => put(session, address)))
    assert.deepEqual(tally(answers), { 202: 2 })
    const own = await app.call('GET', '/api/account/email', { headers: session })
    const pending = own.body.pending.email
    for (const [index, address] of wanted.entries()) {
      const mailed = await confirmations.secretsOf(answers[index]?.body.id)
      assert.equal(mailed !== null, address === pending, 'one of them waits')
      if (!mailed) continue
      assert.equal((await confirm({ token: mailed.token })).status, 200)
      assert.equal(await email(who), address)
    }
  })

  test('5: ten uses of one link at once: one counts', async () => {
    const { session, address } = await someone()
    const link = await token(await ask(session, address))
    const answers = await Promise.all(Array.from({ length: 10 }, () => confirm({ token: link })))
    assert.deepEqual(tally(answers), { 200: 1, 400: 9 })
  })

  test('7: a blank, missing, listed or long token or code changes nothing', async () => {
    const { session, address } = await someone()
    const id = await ask(session, address)
    const link = await token(id)
    const before = await app.rows('refusals')
    const shapes = [
      {},
      { token: '' },
      { token: null },
      { token: [link] },
      { token: { link } },
      { token: `${link} ` },
      { token: link.repeat(3) },
      { token: link.split('.')[0] },
      { token: `${link.split('.')[0]}.` },
      { id },
      { code: '12345678' },
      { id: '', code: '' },
      { id: [id], code: '12345678' },
      { id, code: null },
      { id, code: 12345678 },
      { id: `${id}\u0000`, code: '12345678' },
    ]
    for (const json of shapes) {
      const answer = await confirm(json)
      assert.equal(answer.status, 400, JSON.stringify(json))
    }
    assert.deepEqual(await app.rows('refusals'), before)
    for (const wanted of [
      '',
      ' ',
      'a@b',
      null,
      ['a@example.org', 'b@example.org'],
      5,
      {},
      undefined,
    ])
      assert.equal((await put(session, wanted)).status, 400, JSON.stringify(wanted))
    assert.deepEqual(await app.rows('refusals'), before)
  })

  test('2, 3: a list of addresses, CR LF, a group or a quoted name is no address', async () => {
    const { session } = await someone()
    const before = await app.rows('refusals')
    for (const text of [
      'a@example.org,b@example.org',
      'a@example.org;b@example.org',
      'a@example.org\r\nRCPT TO:<b@example.org>',
      'g:a@example.org;',
      '"a b"@example.org',
      'Ann <a@example.org>',
      'a@example.org\u0000',
      'a@@example.org',
      `${'a'.repeat(65)}@example.org`,
      `a@${'b.'.repeat(130)}org`,
    ]) {
      assertRefusal(await put(session, text), 400, 'Validation failed', text, {
        details: [{ path: ['email'], message: detailOf(text) }],
      })
    }
    assert.deepEqual(await app.rows('refusals'), before)
  })

  test('18: another spelling of the domain or the case is the same address, a look-alike is none', async () => {
    const { session, who } = await someone()
    await verify(session, 'mike@bücher.example')
    assert.equal(await email(who), 'mike@xn--bcher-kva.example')
    const other = await someone()
    await mails()
    for (const same of [
      'MIKE@BÜCHER.EXAMPLE',
      'mike@xn--bcher-kva.example',
      'mike@bu\u0308cher.example',
    ]) {
      assert.equal((await put(other.session, same)).status, 202, same)
    }
    for (const { message } of await mails()) assert.equal(message, 'sign_up_exists')
    for (const alike of ['mıke@example.org', 'mi\u212ae@example.org', 'ｍike@example.org']) {
      assert.equal((await put(other.session, alike)).status, 400, alike)
    }
    assert.equal((await put(other.session, 'mike@bücher.example.')).status, 400)
  })

  test('8: a link of another purpose or account, or an id with the code of another, is refused', async () => {
    const [one, two] = [await verified(), await verified()]
    const [first, second] = [
      await ask(one.session, 'p8@example.org'),
      await ask(two.session, 'q8@example.org'),
    ]
    const [mine, theirs] = [await token(first), await token(second)]
    const mixed = `${mine.split('.')[0]}.${theirs.split('.')[1]}`
    assertRefusal(await confirm({ token: mixed }), ...invalid)
    const { code } = await confirmations.mailed(second)
    assertRefusal(await confirm({ id: first, code }), ...invalid)
    const { refreshVersion } = { refreshVersion: 1 }
    const reset = await confirmations.begin({
      purpose: 'reset',
      userId: one.who.userId,
      version: refreshVersion,
    })
    assertRefusal(await confirm({ token: await token(reset.id) }), ...invalid)
    assert.deepEqual([await email(one.who), await email(two.who)], [one.address, two.address])
  })

  test('9: a link is dead after a password change, a lock, a disable, its time and a delete', async () => {
    const ends: Record<string, (who: { username: string; password: string }) => Promise<unknown>> =
      {
        password: async ({ username, password }) => {
          const headers = await app.session({ userId: 0, username, password })
          const json = { current_password: password, new_password: 'a quieter melon rolls' }
          return app.call('PUT', '/api/account/password', { headers, json })
        },
        lock: ({ username }) => change(username, { locked: true }),
        disable: ({ username }) => change(username, { active: false }),
        delete: ({ username }) =>
          app.call('DELETE', `/api/admin/accounts/${username}`, { headers: admin }),
      }
    for (const [name, end] of Object.entries(ends)) {
      const { who, session } = await verified()
      const link = await token(await ask(session, `nine-${name}@example.org`))
      const answer = (await end(who)) as { status: number }
      assert.equal(answer.status, 200, name)
      assertRefusal(await confirm({ token: link }), ...invalid, name)
    }
    const { who, session, address } = await verified()
    const link = await token(await ask(session, 'late@example.org'))
    app.clock.advance(3600)
    assertRefusal(await confirm({ token: link }), ...invalid, 'expired')
    assert.equal(await email(who), address)
    const other = await someone()
    const session2 = await app.session(other.who)
    const unlocked = await token(await ask(session2, other.address))
    await change(other.who.username, { locked: true })
    await change(other.who.username, { locked: false })
    assertRefusal(await confirm({ token: unlocked }), ...invalid, 'an unlock brings nothing back')
  })

  test('17: a thief changes address and password: the old mailbox takes it back, and all ends', async () => {
    const { who, session, address } = await verified()
    const pair = await app.pair(who)
    await verify(session, 'thief@example.org')
    const stored = await token(await ask(session, 'thief-again@example.org'))
    const json = { current_password: who.password, new_password: 'a quieter melon rolls' }
    const changed = await app.call('PUT', '/api/account/password', { headers: session, json })
    assert.equal(changed.status, 200)
    const second = await app.session({ ...who, password: json.new_password })
    app.clock.advance(1) // the second way back is later
    await verify(second, 'thief-two@example.org', json.new_password)
    const [way, wayOfThief] = await waysBack(who)
    const back = await confirm({ token: way })
    assert.equal(back.body.message, 'Email restored, and all logins ended')
    assert.equal(await email(who), address)
    // 16: no session, no refresh token and no link of the thief outlives it.
    for (const headers of [session, second]) {
      const answer = await app.call('GET', '/api/session', { headers })
      assertRefusal(answer, 401, 'Authentication required')
    }
    const { refresh_token } = pair
    assert.equal((await app.call('POST', '/refresh', { form: { refresh_token } })).status, 401)
    for (const link of [stored, wayOfThief, way]) {
      assertRefusal(await confirm({ token: link }), ...invalid)
    }
    assert.equal(await email(who), address)
  })

  test('a thief changes the address twice and takes the second back: the first way back stays', async () => {
    const { who, session, address } = await verified()
    await verify(session, 'thief-three@example.org')
    app.clock.advance(1)
    const second = await app.session(who)
    await verify(second, 'thief-four@example.org')
    const [way, wayOfThief] = await waysBack(who)
    assert.equal((await confirm({ token: wayOfThief })).status, 200)
    assert.equal(await email(who), 'thief-three@example.org')
    app.clock.advance(1)
    const third = await app.session(who)
    await verify(third, 'thief-five@example.org')
    const wayOfFive = (await waysBack(who, 2))[0]
    assert.equal((await confirm({ token: way })).status, 200)
    assert.equal(await email(who), address)
    for (const token of [way, wayOfThief, wayOfFive]) {
      assertRefusal(await confirm({ token }), ...invalid)
    }
    assert.equal(await email(who), address)
  })

  test('the way back of an account that is disabled, or whose address has another owner, fails', async () => {
    const [one, two] = [await verified(), await someone()]
    await verify(one.session, 'moved@example.org')
    const [way] = await waysBack(one.who)
    await verify(two.session, one.address)
    assertRefusal(await confirm({ token: way }), 409, 'Email already in use')
    assert.equal((await app.call('GET', '/api/session', { headers: one.session })).status, 200)
    await change(one.who.username, { active: false })
    assertRefusal(await confirm({ token: way }), ...invalid)
    assert.equal(await email(one.who), 'moved@example.org')
  })

  test('a change asks for a recent login; by Basic or session, the caller ended meanwhile changes nothing', async () => {
    const { session, who } = await someone()
    app.clock.advance(901)
    const asBefore = await app.rows('refusals', 'sessions')
    assertRefusal(await put(session, 'late@example.org'), 401, 'Recent login required')
    assert.deepEqual(await app.rows('refusals', 'sessions'), asBefore)
    const token = await app.token(who) // a login, whose time the account keeps
    const before = await app.rows('refusals', 'sessions')
    app.clock.advance(901)
    const late = await put({ authorization: `Bearer ${token}` }, 'late@example.org')
    assertRefusal(late, 401, 'Recent login required')
    assert.deepEqual(await app.rows('refusals', 'sessions'), before)
  })

  test('users.email gains nothing: it stands in no token, takes no mail and blocks no owner', async () => {
    const [squatter, owner] = [await someone(), await someone()]
    const path = `/users/${squatter.who.userId}`
    const json = { email: owner.address }
    const squat = await app.call('PUT', path, { headers: squatter.session, json })
    assert.equal(squat.status, 200)
    const claims = (await app.token(squatter.who)).split('.')[1] ?? ''
    assert.ok(!Buffer.from(claims, 'base64url').toString().includes('email'))
    await verify(owner.session, owner.address)
    assert.deepEqual([await email(squatter.who), await email(owner.who)], [null, owner.address])
  })

  test('40: no line of the log holds an address, a link or a code', async () => {
    const { session, address } = await someone()
    const id = await ask(session, address)
    const mailed = await confirmations.mailed(id)
    await confirm({ id, code: '00000000' })
    await confirm({ token: mailed.token })
    const text = JSON.stringify(app.log)
    for (const secret of [address, mailed.token, mailed.token.split('.')[1] ?? '', mailed.code]) {
      assert.ok(!text.includes(secret), secret)
    }
  })
})

/** What is said of a text that no schema accepts, or that is no address. */
function detailOf(text: string): string {
  return text.includes('\u0000')
    ? 'must not hold NUL characters or lone surrogates'
    : 'must be an e-mail address'
}
