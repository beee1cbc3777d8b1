// A database makes a difference: rows are filtered, counted and changed by conditional statements.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { addMail, mailerOf, mailRows, servicesOf, verifyAddress } from '../mail.ts'
import { pageBrowser } from '../page-browser.ts'
import { seededRandom } from '../random.ts'
import { relayEnv, startRelay } from '../relay.ts'

suite('the mail of an administrator', async () => {
  const relay = await startRelay({
    onRecipient: (address) => (address.startsWith('gone') ? '550 5.1.1 No such user' : undefined),
  })
  const app = await testApp(relay.env)
  const services = await servicesOf(app)
  const mailer = mailerOf(app, services)
  const headers = app.basic(app.admin) // which the hours of these tests do not end
  const ann = await app.account('ann')
  await verifyAddress(app, ann, 'ann@example.org')
  const list = async (query = '') =>
    (await app.call('GET', `/api/admin/mail${query}`, { headers })).body
  const reset = () =>
    addMail(app, services, {
      message: 'password_changed',
      to: { userId: ann.userId },
      facts: { username: 'ann' },
      language: 'en',
    })
  const path = (id: string, what = '') => `/api/admin/mail/${id}${what}`

  test('a test mail is sent, and its row shows what became of it', async () => {
    const now = app.clock.now()
    const answer = await app.call('POST', '/api/admin/mail/test', {
      headers,
      json: { address: 'Post@example.org', language: 'de' },
    })
    assert.equal(answer.status, 202)
    const { id, ...mail } = answer.body
    const iso = (at: number) => new Date(at).toISOString()
    assert.deepEqual(mail, {
      message: 'test',
      kind: 'notice',
      state: 'waiting',
      username: null,
      address: 'Post@example.org',
      attempts: 0,
      response: null,
      created_at: iso(now),
      due_at: iso(now),
      expires_at: iso(now + 3_600_000),
      finished_at: null,
    })
    await mailer.run()
    assert.deepEqual(relay.mails.splice(0)[0]?.to, ['Post@example.org'])
    const [shown] = (await list()).data
    assert.deepEqual(
      [shown.id, shown.state, shown.address, shown.response, shown.due_at, shown.finished_at],
      [id, 'sent', null, '250 2.0.0 Ok: queued', null, iso(now)],
    )
  })

  test('an address that is none is refused, and nothing is added', async () => {
    const before = await app.rows()
    for (const address of ['a@example.org, b@example.org', '', 'a@example.org\r\nX: y', 7, null]) {
      const { status, body } = await app.call('POST', '/api/admin/mail/test', {
        headers,
        json: { address },
      })
      assert.deepEqual([status, body.error], [400, 'Validation failed'])
      assert.deepEqual(body.details[0].path, ['address'])
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('the list is filtered by state, message and account, the newest first', async () => {
    app.clock.advance(1)
    const id = await reset()
    const ids = async (query: string) =>
      (await list(query)).data.map((mail: { id: string }) => mail.id)
    assert.deepEqual(await ids('?state=waiting'), [id])
    assert.deepEqual(await ids('?message=password_changed&username=ANN'), [id])
    assert.deepEqual(await ids('?username=ann&state=sent'), [])
    assert.deepEqual(await ids('?username=nobody'), [])
    const all = await list('?limit=1')
    assert.deepEqual([all.page, all.limit, all.total, all.data[0].id], [1, 1, 2, id])
    assert.equal(all.data[0].username, 'ann')
    for (const query of ['?state=lost', '?message=none', '?state=sent&state=sent']) {
      const { status, body } = await app.call('GET', `/api/admin/mail${query}`, { headers })
      assert.deepEqual([status, body.error], [400, 'Validation failed'])
    }
    assert.equal((await app.call('DELETE', path(id), { headers })).status, 200)
  })

  test('what waits can be withdrawn, and is wiped then; what was sent cannot', async () => {
    const id = await reset()
    const answer = await app.call('DELETE', path(id), { headers })
    assert.deepEqual(
      [answer.status, answer.body.state, answer.body.address],
      [200, 'cancelled', null],
    )
    await mailer.run()
    assert.deepEqual(relay.mails, [])
    const before = await app.rows()
    for (const [method, url] of [
      ['DELETE', path(id)],
      ['POST', path(id, '/resend')],
    ] as const) {
      const { status, body } = await app.call(method, url, { headers })
      assert.deepEqual([status, body], [409, { error: 'Mail already closed' }])
    }
    for (const [method, url] of [
      ['DELETE', path('none')],
      ['POST', path('none', '/resend')],
    ] as const) {
      const { status, body } = await app.call(method, url, { headers })
      assert.deepEqual([status, body], [404, { error: 'Mail not found' }])
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('what was refused can be sent again while it counts', async () => {
    const { body } = await app.call('POST', '/api/admin/mail/test', {
      headers,
      json: { address: 'gone@example.org' },
    })
    await mailer.run()
    const [failed] = (await list('?state=failed')).data
    assert.deepEqual(
      [failed.id, failed.response, failed.address],
      [body.id, '550 5.1.1 No such user', 'gone@example.org'],
    )
    const again = await app.call('POST', path(body.id, '/resend'), { headers })
    assert.deepEqual([again.status, again.body.state, again.body.attempts], [200, 'waiting', 0])
    await mailer.run()
    assert.equal(relay.recipients.filter((to) => to === 'gone@example.org').length, 2)
    app.clock.advance(3600)
    assert.equal((await app.call('POST', path(body.id, '/resend'), { headers })).status, 409)
    await mailer.expire(100)
    const row = (await mailRows(app)).find(({ id }) => id === body.id)
    assert.deepEqual([row?.state, row?.sealed], ['failed', null])
  })

  test('each of it is an event', () => {
    const seen = new Set(app.log.map(({ event }) => event))
    for (const name of ['sent', 'failed', 'tested', 'resent', 'cancelled']) {
      assert.ok(seen.has(`mail_${name}`), name)
    }
  })

  test('the command line does the same, and says what the server has answered', async () => {
    const env = { ...relay.env, TOKEN_ALGORITHM: 'HS256' }
    const run = (words: string) => gatehouse(app.directory, words, { env, clock: app.clock })
    const sent = await run('mail test post@example.org')
    assert.deepEqual([sent.code, sent.stdout], [0, 'sent: 250 2.0.0 Ok: queued\n'])
    assert.deepEqual(relay.mails.splice(0)[0]?.to, ['post@example.org'])
    const refused = await run('mail test gone@example.org')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /the mail was not sent: 550 5\.1\.1 No such user/)
    assert.equal((await run('mail test nonsense')).code, 2)
    const listed = await run('mail list --state sent --json')
    assert.equal(JSON.parse(listed.stdout)[0].state, 'sent')
    assert.equal((await run('mail list --state lost')).code, 2)
    const id = await reset()
    assert.equal((await run(`mail resend ${id}`)).code, 0)
    assert.equal((await run(`mail cancel ${id}`)).code, 0)
    assert.equal((await run(`mail cancel ${id}`)).code, 4)
    assert.equal((await run('mail cancel none')).code, 3)
  })

  test('an id never begins like an option: it is an operand of the command line', async () => {
    const { bytes } = seededRandom(1)
    const random = { bytes: (length: number) => Buffer.from(bytes(length)).fill(0xfb, 0, 1) }
    assert.match(Buffer.from(random.bytes(16)).toString('base64url'), /^-/)
    const other = await testApp(relay.env, { directory: app.directory, deps: { random } })
    const json = { address: 'post@example.org' }
    const { body } = await other.call('POST', '/api/admin/mail/test', { headers, json })
    assert.match(body.id, /^_[\w-]{21}$/)
    const { code } = await gatehouse(app.directory, `mail cancel ${body.id}`, { env: relay.env })
    assert.equal(code, 0)
  })

  test('a server that cannot be reached is named, and the mail does not wait', async () => {
    const away = await startRelay()
    await away.stop()
    const env = { ...relayEnv(away.port, 'none'), TOKEN_ALGORITHM: 'HS256' }
    const { code, stderr } = await gatehouse(app.directory, 'mail test a@example.org', { env })
    assert.equal(code, 1)
    assert.match(stderr, /the mail was not sent: .*ECONNREFUSED/)
    assert.equal((await list('?state=waiting')).total, 0)
  })
})

suite('without a mail server in production', async () => {
  const env = { NODE_ENV: 'production', BASE_URL: 'https://id.example.org', TRUST_PROXY: 'none' }
  const app = await testApp(env)

  test('a test mail is refused, and nothing is added', async () => {
    const headers = await app.bearer(app.admin)
    const before = await app.rows()
    const { status, body } = await app.call('POST', '/api/admin/mail/test', {
      headers,
      json: { address: 'a@example.org' },
    })
    assert.deepEqual([status, body], [503, { error: 'Mail is not configured' }])
    assert.deepEqual(await app.rows(), before)
  })

  test('what anyone can ask for is no failure in the log', async () => {
    const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
    assert.equal((await app.call('GET', '/reset', { headers: navigation })).status, 503)
    const json = { username: 'ann' }
    assert.equal((await app.call('POST', '/api/public/reset', { json })).status, 503)
    assert.deepEqual(
      app.log.filter(({ level }) => level === 'error').map(({ msg }) => msg),
      [],
    )
  })

  test('the form of a sign-in by mail is not shown, and nothing else of it taken', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin?by=mail')
    assert.equal(browser.heading(), 'Sign in')
    assert.match(browser.page().text, /autocomplete="current-password"/)
    await browser.submit({ by: 'mail', email: 'ann@example.org', username: '', password: '' })
    assert.equal(browser.heading(), 'Sign in')
    assert.match(browser.page().text, /autocomplete="current-password"/)
  })

  test('the command line tells what to set', async () => {
    for (const words of ['mail test a@example.org', 'invite a@example.org']) {
      const { code, stderr } = await gatehouse(app.directory, words, { env, clock: app.clock })
      assert.equal(code, 1, words)
      assert.match(stderr, /^error: Mail is not configured: set SMTP_URL/m, words)
    }
  })

  test('the start says so, once', async () => {
    const services = await servicesOf(app)
    await services.mailer.check()
    assert.equal(services.mailer.isIdle(), true)
    const lines = app.log.filter(({ msg }) => String(msg).startsWith('mail is off'))
    assert.equal(lines.length, 1)
  })
})
