// A database makes a difference: uses of one link race, and the statements of an answer are counted.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, type Call, type Someone, type TestApp, testApp } from '../app.ts'
import { confirmationsOf, newestMail, otherCode } from '../confirmations.ts'
import { countedDatabase } from '../counted-database.ts'
import { enrolled } from '../factor.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { exchange } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'

const next = 'amber violin thicket, 87 of them'
const invalid = 'Invalid or expired code'

suite('a reset against strangers', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0', LOGIN_IP_ATTEMPTS: '0' })
  const them = await confirmationsOf(app)
  const begin = (json: object, call: Call = {}) =>
    app.call('POST', '/api/public/reset', { ...call, json })
  const finish = (json: object) => app.call('POST', '/api/public/reset/complete', { json })
  const mailed = async () => (await newestMail(app, them, 'reset')) ?? assert.fail('no mail')
  const logIn = ({ username }: Pick<Someone, 'username'>, password: string) =>
    app.call('POST', '/login', { json: { username, password } })
  let number = 0
  /** An account with a verified address, whose link was mailed. */
  const victim = async () => {
    number += 1
    const who = await app.account(`victim-${number}`)
    const email = `victim-${number}@example.org`
    await verifyAddress(app, who, email)
    app.clock.advance(1)
    const { body } = await begin({ email })
    return { ...who, email, id: String(body.id), ...(await mailed()) }
  }
  const admin = (method: string, path: string, json?: object) =>
    app.call(method, path, { headers: app.basic(app.admin), json })

  test('1: no header of a request reaches the mail, or changes the answer', async () => {
    const { email, token } = await victim()
    const { port } = await app.listen()
    const hostile = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-original-host': 'evil.example',
      forwarded: 'host=evil.example;proto=http',
    }
    const before = (await mailRows(app)).length
    const answer = await begin({ email }, { headers: hostile })
    assert.equal(answer.status, 202)
    assert.ok(!answer.text.includes('evil'))
    const body = JSON.stringify({ email })
    const absolute = await exchange(
      port,
      `POST http://evil.example/api/public/reset HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
    assert.ok(!absolute.text.includes('evil'), absolute.text)
    assert.equal(absolute.answers[0]?.status, 202)
    assert.equal((await mailRows(app)).length >= before + 1, true)
    // What a mail is made of is sealed, and the link of it the same as before.
    assert.ok(!JSON.stringify(await app.rows()).includes('evil'))
    assert.equal((await mailed()).token, token)
  })

  const several: Record<string, Call> = {
    'an array': { json: { email: ['victim@example.org', 'evil@example.org'] } },
    'an object': { json: { email: { 0: 'victim@example.org' } } },
    'two with a comma': { json: { email: 'victim@example.org,evil@example.org' } },
    'two with a semicolon': { json: { email: 'victim@example.org;evil@example.org' } },
    'two with a space': { json: { email: 'victim@example.org evil@example.org' } },
    'a header': { json: { email: 'victim@example.org\r\nBcc: evil@example.org' } },
    'a group': { json: { email: 'group: evil@example.org;' } },
    'a name': { json: { email: 'Victim <evil@example.org>' } },
    'a quoted local part': { json: { email: '"evil@example.org"@example.org' } },
    'a form': { form: { 'email[]': 'victim@example.org' } },
  }
  for (const [what, call] of Object.entries(several)) {
    test(`2: ${what} is no address, and mails nothing`, async () => {
      const before = await app.rows('refusals')
      const answer = await app.call('POST', '/api/public/reset', call)
      assert.equal(answer.status, 400, answer.text)
      assert.deepEqual(await app.rows('refusals'), before)
    })
  }

  test('2: of a key that is sent twice the last one counts, for the check and for the mail', async () => {
    const { email, userId } = await victim()
    app.clock.advance(61)
    const body = `{"email":"evil@example.org","email":"${email}"}`
    const headers = { 'content-type': 'application/json' }
    assert.equal((await app.call('POST', '/api/public/reset', { headers, body })).status, 202)
    const row = (await mailRows(app)).at(-1)
    assert.deepEqual([row?.user_id, row?.state], [userId, 'waiting'])
  })

  test('5: of 50 requests with one link one sets its password', async () => {
    const who = await victim()
    const passwords = Array.from({ length: 50 }, (_, index) => `${next} number ${index}`)
    const answers = await Promise.all(
      passwords.map((new_password) => finish({ token: who.token, new_password })),
    )
    const right = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []))
    assert.equal(right.length, 1)
    for (const [index, answer] of answers.entries()) {
      if (index !== right[0]) assertRefusal(answer, 400, invalid)
    }
    assert.equal((await logIn(who, passwords[right[0] ?? -1] ?? '')).status, 200)
  })

  const blank: Record<string, object> = {
    'an empty one': { token: '' },
    'a blank one': { token: ' ' },
    'a dot': { token: '.' },
    'no code': { id: 'ID', code: '' },
    'no id': { id: '', code: '12345678' },
    'of zeros': { id: 'ID', code: '00000000' },
    'a word': { token: 'null' },
  }
  for (const [what, json] of Object.entries(blank)) {
    test(`7: ${what} is refused as any other`, async () => {
      const { id } = await victim()
      const sent = Object.fromEntries(
        Object.entries(json).map(([name, value]) => [name, value === 'ID' ? id : value]),
      )
      assertRefusal(await finish({ ...sent, new_password: next }), 400, invalid)
    })
  }
  const shapes: Record<string, object> = {
    none: {},
    null: { token: null },
    'an array': { token: ['a'] },
    'a number': { token: 1 },
    'over-long': { token: 'a'.repeat(129) },
    'an id alone': { id: 'a' },
    'both ways': { token: 'a', id: 'a', code: '12345678' },
  }
  for (const [what, json] of Object.entries(shapes)) {
    test(`7: a proof that is ${what} breaks the schema`, async () => {
      const before = await app.rows('refusals')
      const { status, body } = await finish({ ...json, new_password: next })
      assert.deepEqual([status, body.error], [400, 'Validation failed'])
      assert.deepEqual(await app.rows('refusals'), before)
    })
  }

  test('8: links of other purposes, and of another account with this id, set no password', async () => {
    const [ann, bob] = [await victim(), await victim()]
    const version = 1
    for (const purpose of ['verification', 'email_change', 'email_undo', 'sign_in'] as const) {
      const { id } = await them.begin({ purpose, userId: ann.userId, version, asked: ann.email })
      const { token, code } = await them.mailed(id)
      assertRefusal(await finish({ token, new_password: next }), 400, invalid, purpose)
      assertRefusal(await finish({ id, code, new_password: next }), 400, invalid, purpose)
    }
    const mixed = `${ann.token.split('.')[0]}.${bob.token.split('.')[1]}`
    assertRefusal(await finish({ token: mixed, new_password: next }), 400, invalid)
    assertRefusal(await finish({ id: ann.id, code: bob.code, new_password: next }), 400, invalid)
    assert.equal((await logIn(ann, ann.password)).status, 200)
  })

  const ends: Record<string, (who: Someone & { email: string }) => Promise<unknown>> = {
    'it expired': async () => app.clock.advance(1800),
    'the password changed': ({ username }) =>
      admin('PUT', `/api/admin/accounts/${username}`, { password: `${next} set` }),
    'a lock': ({ username }) => admin('PUT', `/api/admin/accounts/${username}`, { locked: true }),
    'the account was disabled': ({ username }) =>
      admin('PUT', `/api/admin/accounts/${username}`, { active: false }),
    'the account was deleted': ({ username }) => admin('DELETE', `/api/admin/accounts/${username}`),
    'the user was deleted': ({ userId }) => admin('DELETE', `/users/${userId}`),
    'all logins ended': async (who) =>
      app.call('DELETE', '/api/account/sessions', { headers: await app.session(who) }),
  }
  for (const [what, end] of Object.entries(ends)) {
    test(`9: after ${what} neither link nor code counts`, async () => {
      const who = await victim()
      await end(who)
      const before = await app.rows('refusals', 'mails')
      for (const json of [{ token: who.token }, { id: who.id, code: who.code }]) {
        assertRefusal(await finish({ ...json, new_password: next }), 400, invalid)
      }
      assert.deepEqual(await app.rows('refusals', 'mails'), before)
    })
  }

  test('10: after five wrong codes the right one is refused, also in another reset; the link is not', async () => {
    const who = await victim()
    const sent = (code: string, id = who.id) => finish({ id, code, new_password: next })
    for (let by = 1; by <= 5; by += 1) {
      assertRefusal(await sent(otherCode(who.code, by)), 400, invalid)
    }
    assertRefusal(await sent(who.code), 400, invalid)
    const again = await begin({ email: who.email })
    assertRefusal(await sent(who.code, again.body.id), 400, invalid)
    assert.equal((await finish({ token: who.token, new_password: next })).status, 200)
  })

  test('10: a wrong code is counted where the password is refused as well', async () => {
    const who = await victim()
    for (let by = 1; by <= 5; by += 1) {
      const code = otherCode(who.code, by)
      assertRefusal(await finish({ id: who.id, code, new_password: 'short' }), 400, invalid)
    }
    assert.equal(await them.triesOf(who.id), 5)
  })

  test('15: a second factor is asked for by link and by code, and no field skips it', async () => {
    const { who } = await enrolled(app, 'careful')
    await verifyAddress(app, who, 'careful@example.org')
    app.clock.advance(1)
    const { body } = await begin({ username: 'careful' })
    const { token, code } = await mailed()
    const before = await app.rows('refusals', 'mails')
    for (const proof of [{ token }, { id: body.id, code }]) {
      for (const more of [
        {},
        { totp: '' },
        { totp: null },
        { recovery_code: '' },
        { second_factor: false },
      ]) {
        const answer = await finish({ ...proof, new_password: next, ...more })
        assertRefusal(answer, 401, 'Second factor required', '', { second_factor: 'totp' })
        if ('code' in proof) break // each try counts
      }
    }
    assert.deepEqual(await app.rows('refusals', 'mails'), before)
  })

  test('15: wrong codes of the factor are limited over all links', async () => {
    const { who } = await enrolled(app, 'guessed')
    await verifyAddress(app, who, 'guessed@example.org')
    app.clock.advance(1)
    await begin({ username: 'guessed' })
    const { token } = await mailed()
    for (let count = 0; count < 5; count += 1) {
      const wrong = await finish({ token, new_password: next, totp: '000000' })
      assertRefusal(wrong, 401, 'Invalid credentials')
    }
    const limited = await finish({ token, new_password: next, totp: '000000' })
    assertRefusal(limited, 429, 'Too many login attempts')
  })

  test('16: no login from before the reset goes on', async () => {
    const who = await victim()
    const session = await app.session(who)
    const pair = await app.pair(who)
    assert.equal((await finish({ token: who.token, new_password: next })).status, 200)
    const headers = { authorization: `Bearer ${pair.access_token}` }
    assert.equal((await app.call('GET', '/api/protected', { headers: session })).status, 401)
    assert.equal((await app.call('GET', '/api/me', { headers })).status, 401)
    const { refresh_token } = pair
    assert.equal((await app.call('POST', '/refresh', { json: { refresh_token } })).status, 401)
  })

  test('17: an address that was to be changed before the reset is not changed after it', async () => {
    const who = await victim()
    const { id } = await them.begin({ purpose: 'email_change', userId: who.userId, version: 1 })
    const { token } = await them.mailed(id)
    assert.equal((await finish({ token: who.token, new_password: next })).status, 200)
    assert.equal(await them.open(token, ['email_change']), null)
  })

  const twins = ['vıctim', 'ｖictim', 'vіctim', 'victim\u200b', 'victi\u{1d426}']
  const asking = (path: string) => (node: TestApp, email: string, call: Call) =>
    node.call('POST', path, { ...call, json: { email } })
  for (const [name, ask] of [
    ['reset', asking('/api/public/reset')],
    ['sign-in', asking('/api/public/sign-in-code')],
    ['sign-up', asking('/api/public/sign-up')],
  ] as const) {
    test(`11: ${name}: neither a network of addresses nor a spelling is a way around the limits`, async () => {
      const node = await testApp({
        MAIL_REQUESTS_PER_CLIENT: '4',
        LOGIN_TRUSTED_NETWORKS: '192.0.2.9',
        EMAIL_SIGN_IN: 'on',
        SIGN_UP: 'open',
      })
      await verifyAddress(node, await node.account('ann'), 'ann@xn--mnchen-3ya.example')
      const spellings = [
        'ann@xn--mnchen-3ya.example',
        'ANN@MÜNCHEN.example',
        'ann@münchen。example',
        'Ann@XN--MNCHEN-3YA.EXAMPLE',
        'ann@MU\u0308NCHEN.example',
      ]
      const statuses: number[] = []
      for (const [index, email] of spellings.entries()) {
        const from = `2001:db8:0:1:${index}::${index}`
        statuses.push((await ask(node, email, { from })).status)
      }
      assert.deepEqual(statuses, [202, 202, 202, 202, 429])
      const sent = (await mailRows(node)).filter(({ state }) => state !== 'dropped')
      assert.equal(sent.length, 4)
      assert.equal(new Set(sent.map(({ address_index }) => address_index)).size, 1)
      // A backend that names its users has a limit for each of them.
      const behind = (client: string) =>
        ask(node, 'x@example.org', {
          from: '192.0.2.9',
          headers: { 'x-forwarded-for': client },
        })
      for (let asked = 1; asked <= 4; asked += 1) await behind('198.51.100.1')
      assert.equal((await behind('198.51.100.1')).status, 429)
      assert.equal((await behind('198.51.100.2')).status, 202)
    })
  }

  test('26: no number of requests keeps the one link in an hour from the owner', async () => {
    const noisy = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0', SIGN_UP: 'open' })
    const email = 'ann@example.org'
    const ann = await noisy.account('ann')
    await verifyAddress(noisy, ann, email)
    const ask = (path: string) => noisy.call('POST', path, { json: { email } })
    const sent = async (message: string) =>
      (await mailRows(noisy)).filter((row) => row.message === message && row.state !== 'dropped')
        .length
    for (let asked = 1; asked <= 8; asked += 1) {
      assert.equal((await ask('/api/public/sign-up')).status, 202)
      noisy.clock.advance(60)
    }
    assert.equal(await sent('sign_up_exists'), 5)
    for (let asked = 1; asked <= 8; asked += 1) await ask('/api/public/reset')
    assert.equal(await sent('reset'), 1, 'one is mailed beyond the limit')
    noisy.clock.advance(1801)
    for (let asked = 1; asked <= 8; asked += 1) await ask('/api/public/reset')
    assert.equal(await sent('reset'), 1, 'and no further one in the hour')
    noisy.clock.advance(60)
    const headers = noisy.basic(noisy.admin)
    const vouched = await noisy.call('POST', '/api/admin/accounts/ann/reset', { headers })
    assert.equal(vouched.status, 202)
    assert.equal(await sent('reset'), 2, 'what an administrator mails is mailed')
  })

  test('18: an address that looks like the verified one finds no account', async () => {
    const who = await victim()
    app.clock.advance(61)
    const before = (await mailRows(app)).length
    for (const twin of twins) {
      const answer = await begin({ email: who.email.replace('victim', twin) })
      assert.equal(answer.status, 400, twin) // the local part of an address is ASCII here
    }
    const other = [
      who.email.replace('example.org', 'xn--exampl-gva.org'),
      who.email.replace('example.org', 'example.org.evil.example'),
      `${who.email.replace('@', '+tag@')}`,
    ]
    for (const email of other) assert.equal((await begin({ email })).status, 202, email)
    const after = (await mailRows(app)).slice(before)
    assert.deepEqual(
      after.map(({ state }) => state),
      ['dropped', 'dropped', 'dropped'],
    )
    // Its own spellings do.
    app.clock.advance(1)
    const spelled = who.email.toUpperCase().replace('EXAMPLE.ORG', 'ＥＸＡＭＰＬＥ．ORG')
    assert.equal((await begin({ email: spelled })).status, 202)
    const now = (await mailRows(app)).filter(({ created_at }) => created_at === app.clock.now())
    assert.deepEqual(
      now.map(({ user_id, state }) => [user_id, state]),
      [[who.userId, 'waiting']],
    )
  })

  test('18: a username that is the address of another does not take its mail', async () => {
    const who = await victim()
    const thief = await app.account(who.email)
    await verifyAddress(app, thief, 'thief@example.org')
    app.clock.advance(61)
    await begin({ email: who.email })
    const waiting = (await mailRows(app)).filter(({ state }) => state === 'waiting').at(-1)
    assert.equal(waiting?.user_id, who.userId)
  })

  test('22: a page of another origin begins and finishes nothing', async () => {
    const who = await victim()
    const before = await app.rows('refusals')
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      assertRefusal(await begin({ email: who.email }, { headers }), 403, 'Access denied')
      const json = { token: who.token, new_password: next }
      const put = await app.call('POST', '/api/public/reset/complete', { headers, json })
      assertRefusal(put, 403, 'Access denied')
    }
    assert.deepEqual(await app.rows('refusals'), before)
  })

  test('25: a link in the query does nothing here, and a GET finds no route', async () => {
    const who = await victim()
    const path = `/api/public/reset?token=${who.token}`
    assert.equal((await app.call('GET', path)).status, 404)
    const put = await app.call('PUT', path, { json: { new_password: next } })
    assert.equal(put.status, 400)
    assert.ok(await them.open(who.token, ['reset']))
  })

  test('29: no link, code or address stands in the log, an answer or a table', async () => {
    const who = await victim()
    const wrong = await finish({ token: `${who.id}.${'a'.repeat(43)}`, new_password: next })
    assertRefusal(wrong, 400, invalid)
    await finish({ id: who.id, code: who.code, new_password: 'short' })
    assert.equal((await finish({ token: who.token, new_password: next })).status, 200)
    const tables = await app.rows('accounts') // which have the verified address
    const written = JSON.stringify(app.log) + JSON.stringify(tables)
    for (const secret of [who.token, who.token.split('.')[1] ?? '', who.code, who.email, next]) {
      assert.ok(!written.includes(secret), secret)
    }
  })
})

suite('10: an answer shows no account', async () => {
  const counted = await countedDatabase()
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0' }, counted.options)
  const who = async (username: string, email?: string, change?: object) => {
    const someone = await app.account(username)
    if (email !== undefined) await verifyAddress(app, someone, email)
    if (!change) return
    const headers = app.basic(app.admin)
    await app.call('PUT', `/api/admin/accounts/${username}`, { headers, json: change })
  }
  await who('known', 'known@example.org')
  await who('limited', 'limited@example.org')
  await who('locked', 'locked@example.org', { locked: true })
  await who('disabled', 'disabled@example.org', { active: false })
  await who('unverified')
  const names = ['known', 'locked', 'disabled', 'unverified', 'limited', 'unknown']
  const begin = (json: object) => app.call('POST', '/api/public/reset', { json })
  /** All that a caller sees, but for values that differ in each answer. */
  const look = ({ status, headers, body }: Answer) => ({
    status,
    headers: Object.keys(headers),
    names: Object.keys(body),
    length: body.id.length,
    expires_at: body.expires_at,
  })

  test('neither by itself nor by its statements, at first and when it is repeated', async () => {
    for (let asked = 1; asked <= 7; asked += 1) await begin({ username: 'limited' })
    for (const ask of [
      (name: string) => ({ username: name }),
      (name: string) => ({ email: `${name}@example.org` }),
    ]) {
      for (const round of ['first', 'again']) {
        const answers = new Map<string, unknown>()
        for (const name of names) {
          if (name === 'limited' && round === 'first') continue // it was asked for before
          const { result, count } = await counted.during(() => begin(ask(name)))
          answers.set(name, { ...look(result), count })
        }
        const usual = answers.get('unknown')
        for (const [name, answer] of answers) assert.deepEqual(answer, usual, `${name}, ${round}`)
      }
    }
    const rows = await mailRows(app)
    const sent = rows.filter(({ state }) => state === 'waiting')
    // Each of the known, and those of the limited within its limits: no other was mailed to.
    assert.equal(sent.length, 4 + 6)
  })

  test('nor do two ids show that a username and an address are of one account', async () => {
    const [byName, byEmail] = [
      await begin({ username: 'known' }),
      await begin({ email: 'known@example.org' }),
    ]
    assert.notEqual(byName.body.id, byEmail.body.id)
  })
})
