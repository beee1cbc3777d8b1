// A database makes a difference: who is found by a text that is a name and an address, and a refusal changes nothing.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
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
import { testBrowser } from '../test-browser.ts'
import { importLines, line } from '../transfer.ts'

const form =
  'must have 1 to 64 characters, none of them a colon, a control or a zero-width character'
const scripts = 'must not mix letters of several scripts'
const address = 'must not be a mail address other than the proven one'
const reserved = 'is reserved'

/** Names that look like another name: no one may create an account with such a name. */
const unseen = ['admin\u3164', '\u115fann', 'an\u034fn', 'ann\ufe0f', 'ann\u2800', 'ann\u{e0100}']

/** Names that an owner may not choose, and the messages. */
const imitations: readonly (readonly [username: string, message: string])[] = [
  ['boss@corp.example', address],
  ['CHIEF＠Corp.example', address], // full-width
  ['boss@BÜCHER.example', address],
  ['visitor1@example.org.corp.example', address],
  ['аdmin', scripts], // a Cyrillic letter
  ['mіke', scripts],
  ['ann田中', scripts],
  ['root', reserved],
  ['ROOT', reserved],
  [' Admin ', reserved],
  ['ａｄｍｉｎｉｓｔｒａｔｏｒ', reserved], // full-width
  ['Ⓢupport', reserved],
  ['postmaster', reserved],
  ['abuse', reserved],
  ['security', reserved],
  ['service', reserved],
  ['system', reserved],
  ['gatehouse', reserved],
  ['acme login', reserved], // BRAND_NAME
  ['Ceo', reserved], // RESERVED_USERNAMES
]

suite('usernames that imitate another one', async () => {
  const app = await testApp({
    SIGN_UP: 'open',
    BRAND_NAME: 'ACME Login',
    RESERVED_USERNAMES: 'ceo, Geschäftsführung',
  })
  const mailbox = await mailboxOf(app)
  const admin = app.basic(app.admin)
  let count = 0
  const fresh = () => `visitor${++count}@example.org`
  const refusal = (message: string) => ({ details: [{ path: ['username'], message }] })
  const all = [...imitations, ...unseen.map((name) => [name, form] as const)]

  test('are refused at a sign-up, and the proof stays good', async () => {
    const { token } = await begunSignUp(app, mailbox, fresh())
    const before = await app.rows()
    for (const [username, message] of all) {
      const json = { token, ...profileOf('ann'), username }
      const answer = await app.call('POST', '/api/public/sign-up/complete', { json })
      assertRefusal(answer, 400, 'Validation failed', username, refusal(message))
    }
    assert.deepEqual(await app.rows(), before)
    const json = { token, ...profileOf('ann') }
    assert.equal((await app.call('POST', '/api/public/sign-up/complete', { json })).status, 201)
  })

  test('are refused to a person who was invited', async () => {
    const { token } = await invited(app, mailbox, { email: fresh(), roles: ['USER'] })
    const before = await app.rows()
    for (const [username, message] of all) {
      const json = { token, ...profileOf('bea'), username }
      const answer = await app.call('POST', '/api/public/invitation', { json })
      assertRefusal(answer, 400, 'Validation failed', username, refusal(message))
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('are refused on both pages, in English and German', async () => {
    const texts = [
      ['аnn', 'mixes letters of several alphabets', 'mischt Buchstaben mehrerer Alphabete'],
      ['boss@corp.example', 'is an e-mail address', 'ist eine E-Mail-Adresse'],
      ['Support', 'is reserved', 'ist reserviert'],
      ['ann\u2800', 'without invisible characters', 'keine unsichtbaren Zeichen'],
    ] as const
    for (const [language, at] of [
      ['en', 1],
      ['de', 2],
    ] as const) {
      const begun = await begunSignUp(app, mailbox, fresh(), { language })
      const wanted = { email: fresh(), roles: ['USER'], language }
      const invitation = await invited(app, mailbox, wanted)
      for (const path of [
        `/signup?token=${begun.token}`,
        `/invitation?token=${invitation.token}`,
      ]) {
        const visitor = person(app)
        await visitor.open(path)
        const before = await app.rows()
        for (const text of texts) {
          const page = await visitor.send({ ...profileFields('cat'), username: text[0] })
          assert.equal(page.status, 400, text[0])
          assert.ok(page.text.includes(text[at]), `${language} ${text[0]} ${page.text}`)
        }
        assert.deepEqual(await app.rows(), before)
      }
    }
  })

  test('an owner may have the proven address as a username, in any spelling', async () => {
    const { token } = await begunSignUp(app, mailbox, 'Dan@xn--bcher-kva.example')
    const json = { token, ...profileOf('dan'), username: 'DAN@Bücher.example' }
    const { status, body } = await app.call('POST', '/api/public/sign-up/complete', { json })
    assert.deepEqual([status, body.username], [201, 'dan@bücher.example'])
  })

  test('names of one script or writing system are taken', async () => {
    for (const username of ['аня', 'タナカ田中', '金철수', 'josé-3', 'admin2', 'ann@localhost']) {
      const { token } = await begunSignUp(app, mailbox, fresh())
      const json = { token, ...profileOf('eve'), username }
      const { status, text } = await app.call('POST', '/api/public/sign-up/complete', { json })
      assert.equal(status, 201, `${username} ${text}`)
    }
  })

  test('ADMIN and an import give all but those with unseen characters', async () => {
    for (const [username] of imitations.filter(([, message]) => message !== reserved)) {
      await app.account(username)
    }
    const root = await app.account('root')
    const email = 'x@example.org'
    const names = ['postmaster', 'paul@corp.example', 'раul']
    const lines = names.map((name) => line(name, { email }))
    const imported = await importLines(app, admin, lines)
    assert.deepEqual([imported.status, imported.body.imported], [200, 3], imported.text)
    assert.equal(
      (await app.call('POST', '/login', { json: { ...root, mode: 'token' } })).status,
      200,
    )

    const before = await app.rows('imports')
    for (const username of unseen) {
      const { password } = app.admin
      const json = { username, password, roles: [], name: 'X', email }
      const answer = await app.call('POST', '/api/admin/accounts', { headers: admin, json })
      assertRefusal(answer, 400, 'Validation failed', username, refusal(form))
      const imports = await importLines(app, admin, [line(username, { email })])
      const details = [{ path: ['line 1', 'username'], message: form }]
      assertRefusal(imports, 400, 'Validation failed', username, { details })
    }
    assert.deepEqual(await app.rows('imports'), before)
  })

  test('the command line gives all but those with unseen characters', async () => {
    const options = '--email x@example.org --password-stdin'
    const stdin = `${app.admin.password}\n`
    for (const username of ['Webmaster', 'rob@corp.example', 'rоb']) {
      const { code, stderr } = await gatehouse(
        app.directory,
        `account add ${username} ${options}`,
        { stdin },
      )
      assert.deepEqual([code, stderr], [0, ''], username)
    }
    const before = await app.rows()
    for (const username of unseen) {
      const { code, stderr } = await gatehouse(
        app.directory,
        `account add ${username} ${options}`,
        { stdin },
      )
      assert.equal(code, 2, username)
      assert.match(stderr, /a username has 1 to 64 characters, no colon, no control or zero-width/)
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('an existing name that breaks the rules signs in as before', async () => {
    const fay = await app.account('fay')
    const username = 'fay\u2800'
    await app.deps.db
      .updateTable('accounts')
      .set({ username })
      .where('user_id', '=', fay.userId)
      .execute()
    const old = { ...fay, username }
    assert.equal(
      (await app.call('POST', '/login', { json: { ...old, mode: 'token' } })).status,
      200,
    )
    assert.equal((await app.call('GET', '/users', { headers: app.basic(old) })).status, 200)
    const path = `/api/admin/accounts/${encodeURIComponent(username)}`
    assert.equal((await app.call('GET', path, { headers: admin })).status, 200)
    for (let wrong = 0; wrong < 5; wrong += 1) {
      const json = { username, password: 'wrong', mode: 'token' }
      assert.equal((await app.call('POST', '/login', { json })).status, 401)
    }
    assert.equal(
      (await app.call('POST', '/login', { json: { ...old, mode: 'token' } })).status,
      429,
    )
  })
})

test('the first administrator gets no name with an unseen character, and any reserved one', async () => {
  const refused = { message: 'ADMIN_USERNAME is not a valid username' }
  await assert.rejects(testApp({ ADMIN_USERNAME: 'boss\u2800' }), refused)
  const app = await testApp({ ADMIN_USERNAME: 'Root' })
  const headers = app.basic({ ...app.admin, username: 'root' })
  assert.equal((await app.call('GET', '/api/account', { headers })).body.username, 'root')
})

suite('a username that is the verified address of another account', async () => {
  const app = await testApp()
  const carol = await app.account('carol')
  await verifyAddress(app, carol, 'carol@example.org')
  const squatter = await app.account('carol@example.org')

  async function signsIn(username: string, password: string) {
    const visitor = person(app)
    await visitor.open('/signin')
    const { status } = await visitor.send({ username, password })
    if (status !== 303) return status
    return (await visitor.browser.call('GET', '/api/session')).body.username
  }

  test('on the page the verified address wins over the username', async () => {
    for (const typed of ['carol@example.org', ' CAROL@Example.org ']) {
      assert.equal(await signsIn(typed, carol.password), 'carol', typed)
    }
    assert.equal(await signsIn('carol', carol.password), 'carol')
    assert.equal(await signsIn('carol@example.org', squatter.password), 401)
  })

  test('a reset goes to the owner of the address', async () => {
    const visitor = person(app)
    await visitor.open('/reset')
    await visitor.send({ username: 'carol@example.org' })
    const sent = (await mailRows(app)).filter(({ message }) => message === 'reset')
    assert.deepEqual(
      sent.map(({ user_id }) => user_id),
      [carol.userId],
    )
  })

  test('POST /login, Basic and paths of the API take usernames alone', async () => {
    const login = (username: string, password: string) =>
      app.call('POST', '/login', { json: { username, password, mode: 'token' } })
    assert.equal((await login(squatter.username, squatter.password)).status, 200)
    assertRefusal(await login('carol@example.org', carol.password), 401, 'Invalid credentials')
    assert.equal((await app.call('GET', '/users', { headers: app.basic(squatter) })).status, 200)
    const path = `/api/admin/accounts/${encodeURIComponent('carol@example.org')}`
    const { body } = await app.call('GET', path, { headers: app.basic(app.admin) })
    assert.equal(body.user_id, squatter.userId)
  })
})

suite('the username of a person whom a provider vouches for', async () => {
  const idp = await identityProvider()
  const app = await testApp(settingsFor(idp, { RESERVED_USERNAMES: 'ceo' }), {
    clock: clockOfToday(),
  })
  const carol = await app.account('carol')
  await verifyAddress(app, carol, 'carol@example.org')
  let count = 0

  const cases: readonly (readonly [what: string, claims: object, username: string | RegExp])[] = [
    ['is no address of another', { preferred_username: 'carol@example.org' }, /^sub-\d+$/],
    ['is no address that is not proved', { preferred_username: 'x@example.org' }, /^sub-\d+$/],
    [
      'is no address that the provider does not call verified',
      { preferred_username: 'x@example.org', email: 'x@example.org', email_verified: false },
      /^sub-\d+$/,
    ],
    [
      'is no address that is verified in words',
      { preferred_username: 'x@example.org', email: 'x@example.org', email_verified: 'true' },
      /^sub-\d+$/,
    ],
    [
      'is no verified address of an account here, whatever the provider says',
      { preferred_username: 'carol@example.org', email: 'carol@example.org', email_verified: true },
      /^sub-\d+$/,
    ],
    [
      'is the address that the provider calls verified',
      { preferred_username: 'аdmin', email: 'Zoe@example.org', email_verified: true },
      'zoe@example.org',
    ],
    [
      'has a suffix behind the local part of an address that is taken',
      { email: 'zoe@example.org', email_verified: true },
      'zoe-2',
    ],
    ['is not reserved', { preferred_username: 'CEO' }, /^sub-\d+$/],
    ['holds no unseen character', { preferred_username: 'bob\u3164' }, /^sub-\d+$/],
    ['mixes no scripts', { preferred_username: 'pаul' }, /^sub-\d+$/],
    ['is what the provider prefers', { preferred_username: 'Paul' }, 'paul'],
    ['is no reserved subject', { sub: 'root', preferred_username: 'admin' }, 'user-2'],
  ]
  for (const [what, claims, username] of cases) {
    test(what, async () => {
      count += 1
      idp.person = { sub: `sub-${count}`, email: `someone${count}@example.com`, ...claims }
      const browser = testBrowser(app)
      const answer = await browser.open('/oauth/login')
      assert.equal(answer.status, 200, answer.text)
      const { body } = await browser.call('GET', '/api/session')
      if (typeof username === 'string') assert.equal(body.username, username)
      else assert.match(body.username, username)
    })
  }
})
