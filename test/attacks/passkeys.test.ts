// A database makes a difference: a challenge counts once, whoever sends the answer first.
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { encodeCBOR } from '@levischuck/tiny-cbor'
import { testApp } from '../app.ts'
import {
  addPasskey,
  assertionOf,
  coseOf,
  type Differently,
  flags,
  proofBy,
  type SoftwarePasskey,
  softwarePasskey,
  withPasskey,
} from '../passkeys.ts'
import { assertRefusal } from '../refusal.ts'

suite('hostile answers of passkeys', async () => {
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '0' })
  const { origin } = app.deps.config.passkeys
  const admin = app.basic(app.admin)
  const { who, passkey, id } = await withPasskey(app, 'ann')
  const other = await withPasskey(app, 'bob')
  const logIn = (json: object) => app.call('POST', '/login', { json })
  const rows = () => app.rows('throttle_places', 'mails', 'notices')

  async function assertRefused(sent: unknown): Promise<void> {
    const before = await rows()
    assertRefusal(await logIn({ passkey: sent }), 401, 'Invalid credentials')
    assert.deepEqual(await rows(), before)
  }

  const differences: Record<string, Differently> = {
    'another type': { type: 'webauthn.create' },
    'another origin': { origin: 'https://evil.example' },
    'an origin with a suffix': { origin: `${origin}.evil.example` },
    'an origin with a port': { origin: `${origin}9` },
    'another scheme': { origin: origin.replace(/^http:/, 'gopher:') },
    crossOrigin: { client: { crossOrigin: true } },
    topOrigin: { client: { topOrigin: origin } },
    'another relying party': { rpId: 'evil.example' },
    'UP=0': { flags: flags.uv },
    'UV=0': { flags: flags.up },
    'BS without BE': { flags: flags.up | flags.uv | flags.bs },
    'the user handle of another': { userHandle: other.passkey.userHandle },
    'no user handle': { userHandle: null },
    'the id of another': { id: other.passkey.id },
    'an unknown id': { id: randomBytes(32).toString('base64url') },
    'a long id': { id: randomBytes(1024).toString('base64url') },
    'left-over bytes': { more: new Uint8Array(9) },
    'no challenge': { challenge: '' },
    'a foreign challenge': { challenge: randomBytes(54).toString('base64url') },
  }
  for (const [name, differently] of Object.entries(differences)) {
    test(`a login is refused: ${name}`, async () => {
      await assertRefused(await assertionOf(app, passkey, differently))
    })
  }

  test('an unknown passkey and a wrong signature are refused in the same words', async () => {
    const right = await assertionOf(app, passkey)
    const unknown = await assertionOf(app, softwarePasskey({ origin }), {
      userHandle: passkey.userHandle,
    })
    const signature = unknown.response.signature
    const wrong = { ...right, response: { ...right.response, signature } }
    const answers = [await logIn({ passkey: unknown }), await logIn({ passkey: wrong })]
    for (const answer of answers) assertRefusal(answer, 401, 'Invalid credentials')
  })

  test('a passkey counts at a related origin of PASSKEY_ORIGINS, and there alone', async () => {
    const related = 'https://shop.example'
    const here = await testApp({ PASSKEY_ORIGINS: `${related}, https://blog.example:8443` })
    const { passkey: own } = await withPasskey(here, 'ann')
    const answer = await here.call('GET', '/.well-known/webauthn')
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(answer.body, { origins: [related, 'https://blog.example:8443'] })
    const before = await here.rows()
    for (const wrong of [
      'https://blog.example',
      'http://shop.example',
      `${related}.evil.example`,
    ]) {
      const sent = await assertionOf(here, own, { origin: wrong })
      const refused = await here.call('POST', '/login', { json: { passkey: sent } })
      assertRefusal(refused, 401, 'Invalid credentials')
    }
    const { sessions, used_passkey_challenges: used } = await here.rows()
    assert.deepEqual([sessions, used], [before.sessions, before.used_passkey_challenges])
    for (const origin of [related, here.deps.config.passkeys.origin]) {
      const sent = await assertionOf(here, own, { origin })
      assert.equal((await here.call('POST', '/login', { json: { passkey: sent } })).status, 200)
    }
    assert.deepEqual((await app.call('GET', '/.well-known/webauthn')).body, { origins: [] })
    await assertRefused(await assertionOf(app, passkey, { origin: related }))
  })

  test('16 kinds of junk are refused at a login, never 500', async () => {
    const right = await assertionOf(app, passkey)
    const junk: unknown[] = [
      ...[1, true, 'text', '{', '[]', [], {}, { id }, { ...right, type: 'password' }],
      ...[
        { ...right, rawId: 'AAAA' },
        { ...right, response: null },
        { ...right, response: [] },
      ],
      ...[
        { ...right, response: {} },
        { ...right, id: { toString: 1 } },
      ],
      ...[{ ...right, response: { ...right.response, authenticatorData: 'A'.repeat(10_000) } }],
      ...[{ ...right, response: { ...right.response, clientDataJSON: 'bnVsbA' } }],
    ]
    assert.equal(junk.length, 16)
    for (const sent of junk) await assertRefused(sent)
  })

  test('an answer counts once', async () => {
    const json = { passkey: await assertionOf(app, passkey) }
    assert.equal((await logIn(json)).status, 200)
    await assertRefused(json.passkey)
    await assertRefused(JSON.stringify(json.passkey))
  })

  test('of twelve that send one answer at once, one logs in', async () => {
    const json = { passkey: await assertionOf(app, passkey) }
    const answers = await Promise.all(Array.from({ length: 12 }, () => logIn(json)))
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, ...Array(11).fill(401)])
  })

  test('four answers of a synced passkey at once all log in', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => assertionOf(app, passkey)))
    const answers = await Promise.all(all.map((sent) => logIn({ passkey: sent })))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    )
  })

  test('a challenge expires', async () => {
    const late = await assertionOf(app, passkey)
    app.clock.advance(1801)
    await assertRefused(late)
  })

  test('asking for options writes nothing', async () => {
    const before = await app.rows()
    for (let asked = 0; asked < 50; asked += 1) {
      const { status } = await app.call('POST', '/api/public/passkeys/options')
      assert.equal(status, 200)
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('a challenge is of one purpose', async () => {
    const headers = await app.session(await app.account('zoe'))
    const mine = await addPasskey(app, headers)
    const begun = await app.call('POST', '/api/account/passkeys/options', {
      ...{ headers, json: await proofBy(app, headers, mine.passkey, 'factor') },
    })
    assert.equal(begun.status, 200, begun.text)
    await assertRefused(mine.passkey.assertion({ challenge: begun.body.challenge }))
    const proof = await proofBy(app, headers, mine.passkey, 'password')
    await assertRefused(proof.passkey)
    // A proof of a password is none of a new factor, and neither is a login.
    for (const sent of [proof, { passkey: await assertionOf(app, mine.passkey) }]) {
      const answer = await app.call('POST', '/api/account/passkeys/options', {
        ...{ headers, json: sent },
      })
      assertRefusal(answer, 401, 'Invalid credentials')
    }
    const made = mine.passkey.registration(
      { ...begun.body, challenge: (await optionsOf()).challenge },
      {},
    )
    const answer = await app.call('POST', '/api/account/passkeys', {
      ...{ headers, json: { response: made, name: 'x' } },
    })
    assert.equal(answer.status, 400)
  })

  test('a passkey of another account is no second factor', async () => {
    const sent = { ...who, passkey: await assertionOf(app, other.passkey) }
    assertRefusal(await logIn(sent), 401, 'Invalid credentials')
    assert.equal((await logIn({ ...who, passkey: await assertionOf(app, passkey) })).status, 200)
  })

  test('accounts that cannot sign in are refused, also between challenge and answer', async () => {
    for (const change of [{ locked: true }, { active: false }]) {
      const one = await withPasskey(app, `one-${Object.keys(change)}`)
      const sent = await assertionOf(app, one.passkey)
      const path = `/api/admin/accounts/${one.who.username}`
      assert.equal((await app.call('PUT', path, { headers: admin, json: change })).status, 200)
      await assertRefused(sent)
    }
    const gone = await withPasskey(app, 'gone')
    const sent = await assertionOf(app, gone.passkey)
    const path = `/users/${gone.who.userId}`
    assert.equal((await app.call('DELETE', path, { headers: admin })).status, 200)
    await assertRefused(sent)
  })

  test('a removed passkey is refused', async () => {
    const one = await withPasskey(app, 'removed')
    const sent = await assertionOf(app, one.passkey)
    const path = `/api/admin/accounts/removed/factors/${one.id}`
    assert.equal((await app.call('DELETE', path, { headers: admin })).status, 200)
    await assertRefused(sent)
  })

  test('an account that must change its password signs in by its passkey', async () => {
    const one = await withPasskey(app, 'must')
    const path = '/api/admin/accounts/must'
    const json = { must_change: true }
    assert.equal((await app.call('PUT', path, { headers: admin, json })).status, 200)
    assert.equal((await logIn({ passkey: await assertionOf(app, one.passkey) })).status, 200)
  })

  test('the counter of a passkey of one device must rise', async () => {
    const one = await withPasskey(app, 'device', { kind: { isSynced: false } })
    const use = async (counter: number) =>
      logIn({ passkey: await assertionOf(app, one.passkey, { counter }) })
    assert.equal((await use(5)).status, 200)
    for (const counter of [5, 4, 0]) assertRefusal(await use(counter), 401, 'Invalid credentials')
    const told = app.log.filter(({ event }) => event === 'passkey_counter_back')
    assert.equal(told.length, 3)
    assert.equal((await use(2 ** 32 - 1)).status, 200)
  })

  test('a passkey that becomes a synced one is accepted, and recorded', async () => {
    const one = await withPasskey(app, 'becomes', { kind: { isSynced: false } })
    const synced = { flags: flags.up | flags.uv | flags.be | flags.bs, counter: 9 }
    const answer = await logIn({ passkey: await assertionOf(app, one.passkey, synced) })
    assert.equal(answer.status, 200)
    const [told] = app.log.filter(({ event }) => event === 'passkey_backup_changed')
    assert.equal(told?.eligible, true)
  })

  test('registrations that are refused', async () => {
    const { headers, options } = await begin('carl')
    const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    const nested = Buffer.concat([Buffer.alloc(4000, 0x81), Buffer.from([0])])
    const refused: Record<string, Differently> = {
      'a passkey that is known': { id: passkey.id },
      'an id of 1,024 bytes': { id: randomBytes(1024).toString('base64url') },
      crossOrigin: { client: { crossOrigin: true } },
      topOrigin: { client: { topOrigin: 'https://evil.example' } },
      'an algorithm that was not offered': { publicKey: coseOf(-36, p256) },
      'a key that is none': { publicKey: encodeCBOR(7) },
      'nested CBOR': { attestation: nested },
      '9 kB': { attestation: Buffer.alloc(9_000) },
      'UV=0': { flags: flags.up },
      'another challenge': { challenge: 'AAAA' },
      'the type of a login': { type: 'webauthn.get' },
    }
    for (const [name, differently] of Object.entries(refused)) {
      const response = softwarePasskey({ origin }).registration(options, differently)
      const answer = await add(headers, response)
      assertInvalid(answer, name)
    }
    for (const response of [undefined, null, 7, 'text', {}, [], { type: 'public-key' }]) {
      assertInvalid(await add(headers, response), JSON.stringify(response))
    }
    const { body } = await app.call('GET', '/api/account/passkeys', { headers })
    assert.deepEqual(body, [])
  })

  test('a challenge adds one passkey, for the session that asked', async () => {
    const { headers, options, who: dora } = await begin('dora')
    const elsewhere = await app.session(dora)
    const response = softwarePasskey({ origin }).registration(options)
    assertInvalid(await add(elsewhere, response), 'another session')
    assert.equal((await add(headers, response)).status, 201)
    assertInvalid(await add(headers, softwarePasskey({ origin }).registration(options)), 'again')
  })

  test('names: 1 to 64 letters, none that no database holds', async () => {
    const { headers, options } = await begin('names')
    const response = softwarePasskey({ origin }).registration(options)
    for (const name of ['', 'x'.repeat(65), 'a\0b', '\ud800', 7, null]) {
      const answer = await add(headers, response, name)
      assert.equal(answer.status, 400, JSON.stringify(name))
    }
    const added = await add(headers, response, '\u202eenohp')
    assert.equal(added.status, 201)
    assert.equal(added.body.name, '\u202eenohp')
  })

  test('an account has at most 20 passkeys', async () => {
    const full = await withPasskey(app, 'full')
    const headers = await sessionBy(full.passkey)
    const { passkeys } = await app.rows()
    const [row] = passkeys?.filter((one) => JSON.stringify(one).includes(full.id)) ?? []
    const addCopy = (name: string) => {
      const copy = { ...(row as object), id: name, credential_id: name }
      return app.deps.db
        .insertInto('passkeys')
        .values(copy as never)
        .execute()
    }
    const paths = ['/api/account/passkeys', '/api/user/account/passkeys']
    const begin = async (path: string) =>
      app.call('POST', `${path}/options`, {
        ...{ headers, json: await proofBy(app, headers, full.passkey, 'factor') },
      })
    for (let more = 1; more < 19; more += 1) await addCopy(`copy-${more}`)
    const begun = await Promise.all(paths.map(begin))
    await addCopy('copy-19')
    const before = await rows()
    for (const [index, path] of paths.entries()) {
      const response = softwarePasskey({ origin }).registration(begun[index]?.body)
      const added = await app.call('POST', path, { headers, json: { response, name: 'one more' } })
      assertRefusal(added, 409, 'Too many passkeys')
    }
    assert.deepEqual((await rows()).passkeys, before.passkeys)
    for (const path of paths) assertRefusal(await begin(path), 409, 'Too many passkeys')
  })

  async function optionsOf() {
    return (await app.call('POST', '/api/public/passkeys/options')).body
  }

  async function sessionBy(one: SoftwarePasskey) {
    const json = { passkey: await assertionOf(app, one), mode: 'session' }
    const { cookies, body } = await logIn(json)
    return { cookie: `JSESSIONID=${cookies.JSESSIONID}`, 'x-csrf-token': body.csrf_token }
  }

  async function begin(username: string) {
    const person = await app.account(username)
    const headers = await app.session(person)
    const json = { current_password: person.password }
    const { body: options } = await app.call('POST', '/api/account/passkeys/options', {
      ...{ headers, json },
    })
    return { who: person, headers, options }
  }

  function add(headers: Record<string, string>, response: unknown, name: unknown = 'x') {
    return app.call('POST', '/api/account/passkeys', { headers, json: { response, name } })
  }

  function assertInvalid(answer: Awaited<ReturnType<typeof add>>, name: string) {
    const details = [{ path: ['response'], message: 'is no valid new passkey' }]
    assert.deepEqual([answer.status, answer.body.details], [400, details], name)
  }
})
