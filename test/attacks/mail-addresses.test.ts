// A database makes a difference: what is stored must be what was typed, and a refusal changes nothing.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, testApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { hostileDomains } from '../hostile-domains.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'
import { person } from '../registration.ts'

const blanks = [' ', '\t', '\r\n', '\u00a0', '\u2028', '\ufeff']
const hostile = [
  ...hostileDomains.map((domain) => `boss@${domain}`),
  ...blanks.flatMap((blank) => [`${blank}boss@example.org`, `boss@example.org${blank}`]),
]
const longDomain = `${'a.'.repeat(40)}example.org`

suite('texts that only a parser of URLs takes for mail addresses', async () => {
  const app = await testApp({
    SIGN_UP: 'open',
    EMAIL_SIGN_IN: 'on',
    MAIL_REQUESTS_PER_CLIENT: '0',
  })
  const admin = app.basic(app.admin)
  const session = await app.session(app.admin)
  const ann = await app.account('ann')
  const own = await app.bearer(ann)
  const post =
    (path: string, headers = {}) =>
    (email: string) =>
      app.call('POST', path, { headers, json: { email } })

  const routes: Record<string, [send: (email: string) => Promise<Answer>, field?: string]> = {
    'sign-up': [post('/api/public/sign-up')],
    'sign-in by mail': [post('/api/public/sign-in-code')],
    reset: [post('/api/public/reset')],
    'own address': [
      (email) => app.call('PUT', '/api/account/email', { headers: own, json: { email } }),
    ],
    invitation: [
      (email) =>
        app.call('POST', '/api/admin/invitations', {
          headers: session,
          json: { email, roles: ['ADMIN'] },
        }),
    ],
    'mail test': [
      (address) => app.call('POST', '/api/admin/mail/test', { headers: admin, json: { address } }),
      'address',
    ],
    "administrator's reset": [post('/api/admin/accounts/ann/reset', session)],
    'new user': [
      (email) => app.call('POST', '/users', { headers: admin, json: { name: 'Boss', email } }),
    ],
    'changed user': [
      (email) => app.call('PUT', `/users/${ann.userId}`, { headers: admin, json: { email } }),
    ],
    'user of a new account': [
      (email) =>
        app.call('POST', '/api/admin/accounts', {
          headers: session,
          json: { username: 'boss', password: ann.password, roles: [], name: 'Boss', email },
        }),
    ],
  }

  for (const [name, [send, field = 'email']] of Object.entries(routes)) {
    test(`${name}: all are refused, and nothing changes`, async () => {
      const before = await app.rows('sessions')
      for (const email of hostile) {
        const details = [{ path: [field], message: 'must be an e-mail address' }]
        const answer = await send(email)
        assert.equal(answer.status, 400, `${JSON.stringify(email)} ${answer.text}`)
        const { error, details: found } = answer.body
        assert.equal(error, 'Validation failed', JSON.stringify(email))
        // Those have a message of their own.
        const isStorable = email.isWellFormed() && !email.includes('\0')
        if (isStorable) assert.deepEqual(found, details, JSON.stringify(email))
      }
      assert.deepEqual(await app.rows('sessions'), before)
    })
  }

  test('a domain of more than 32 labels is one', async () => {
    const email = `boss@${longDomain}`
    const made = await post('/users', admin)(email)
    assert.deepEqual([made.status, made.body.error], [400, 'Name and email required'])
    const json = { name: 'Boss', email }
    const user = await app.call('POST', '/users', { headers: admin, json })
    assert.deepEqual([user.status, user.body.email], [201, email])
    assert.equal((await post('/api/public/sign-up')(email)).status, 202)
    const { length } = await mailRows(app)
    assert.equal(length, 1)
  })

  test('the users resource takes no international domain, and stores what was sent', async () => {
    const send = (email: string) =>
      app.call('POST', '/users', { headers: admin, json: { name: 'Boss', email } })
    const details = [{ path: ['email'], message: 'must be an e-mail address' }]
    const refused = await send('boss@bücher.example')
    assertRefusal(refused, 400, 'Validation failed', '', { details })
    const { status, body } = await send('Boss@EXAMPLE.org')
    assert.deepEqual([status, body.email], [201, 'Boss@EXAMPLE.org'])
  })
})

suite('a mail address that is typed on a page', async () => {
  const app = await testApp({ SIGN_UP: 'open' })
  const waiting = async () => (await mailRows(app)).filter(({ state }) => state === 'waiting')

  test('/signup leaves out what surrounds it, and nothing else', async () => {
    const visitor = person(app)
    await visitor.open('/signup')
    const before = await app.rows()
    for (const email of ['ann@evil.example#.example.org', 'ann@exam\tple.org', 'ann@example.1']) {
      assert.equal((await visitor.send({ email })).status, 400, email)
    }
    assert.deepEqual(await app.rows(), before)
    await visitor.send({ email: ' \tAnn@Bücher.example \r\n' })
    assert.match(visitor.page.text, /Ann@Bücher\.example/)
    assert.equal((await waiting()).length, 1)
  })

  test('/reset finds the account by the address with blanks around it, and by no other text', async () => {
    const ann = await app.account('ann')
    await verifyAddress(app, ann, 'ann@xn--bcher-kva.example')
    for (const typed of [
      'ann@bücher.example#.org',
      'ann@bücher.example/',
      ' \tAnn@Bücher.example\n',
    ]) {
      const visitor = person(app)
      await visitor.open('/reset')
      assert.equal((await visitor.send({ username: typed })).status, 303, typed)
    }
    const resets = (await waiting()).filter(({ message }) => message === 'reset')
    assert.deepEqual(
      resets.map(({ user_id }) => user_id),
      [ann.userId],
    )
  })
})

suite('settings with a mail address', () => {
  const domains = hostileDomains.filter((domain) => !/[,\s<>]|^\ufeff/.test(domain))
  test('MAIL_FROM may have blanks around its address', () => {
    for (const text of [' gate@example.org ', 'Gate < gate@example.org > ']) {
      assert.equal(loadConfig({ MAIL_FROM: text }).mail.from?.address, 'gate@example.org')
    }
  })

  for (const [name, typed] of [
    ['MAIL_FROM', (domain: string) => `boss@${domain}`],
    ['MAIL_REPLY_TO', (domain: string) => `Boss <boss@${domain}>`],
    ['SIGN_UP_DOMAINS', (domain: string) => domain],
    ['MAIL_HELO_NAME', (domain: string) => domain],
  ] as const) {
    test(`${name} refuses what is none`, () => {
      for (const domain of domains) {
        assert.throws(() => loadConfig({ [name]: typed(domain) }), new RegExp(`${name} `), domain)
      }
    })
  }
})
