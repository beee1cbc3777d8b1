import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { asClient, ask, clientsFile, entry, secretOf } from '../clients.ts'
import { assertRefusal } from '../refusal.ts'

const rights = { audiences: ['api'], may: ['introspect'] }
const redirect_uris = ['https://app.example.org/callback']
const path = '/api/admin/clients'
const field = (name: string, message: string) => ({ path: name.split('.'), message })

suite('clients of the database', async () => {
  const CLIENTS_FILE = clientsFile([entry('shop'), entry('both')])
  const env = { CLIENTS_FILE, LOGIN_IP_ATTEMPTS: '0' }
  const app = await testApp(env)
  const other = await testApp(env, { directory: app.directory })
  const headers = await app.bearer(app.admin)
  const token = await app.token(app.admin)
  const create = (json: object) => app.call('POST', path, { headers, json })
  const asks = async (id: string, secret: string) =>
    ask(app, 'introspect', token, { headers: asClient(id, secret) })
  const assertActive = async (id: string, secret: string) =>
    assert.equal((await asks(id, secret)).body.active, true)
  const assertInvalid = async (id: string, secret: string) =>
    assertRefusal(await asks(id, secret), 401, 'invalid_client')

  test('get a secret, shown once, and only its digest is stored', async () => {
    const { status, body, headers: sent } = await create({ id: 'one', ...rights })
    assert.equal(status, 201)
    const { secret, ...shown } = body
    assert.match(secret, /^[A-Za-z0-9_-]{43}$/)
    assert.deepEqual(shown, { id: 'one', source: 'database', secrets: 1, ...rights })
    await assertActive('one', secret)
    await assertInvalid('one', `${secret}x`)
    const again = await app.call('GET', `${path}/one`, { headers })
    assert.deepEqual([again.body, again.headers.etag], [shown, sent.etag])
    const listed = await app.call('GET', path, { headers })
    assert.deepEqual(
      listed.body.data.map((one: { id: string; source: string }) => [one.id, one.source]),
      [
        ['shop', 'file'],
        ['both', 'file'],
        ['one', 'database'],
      ],
    )
    const rows = JSON.stringify(await app.rows())
    assert.ok(!rows.includes(secret) && !JSON.stringify(listed.body).includes(secret))
  })

  test('are refused at the next request after they are disabled or removed', async () => {
    const sent = { type: 'web', redirect_uris, ...rights }
    const { secret } = (await create({ id: 'two', ...sent })).body
    await assertActive('two', secret)
    const disabled = { ...sent, disabled: true }
    const put = (json: object) => app.call('PUT', `${path}/two`, { headers, json })
    assert.equal((await put(disabled)).status, 200)
    await assertInvalid('two', secret)
    assert.equal((await put(sent)).status, 200)
    await assertActive('two', secret)
    assert.equal((await app.call('DELETE', `${path}/two`, { headers })).status, 200)
    await assertInvalid('two', secret)
    const { clients } = await app.rows()
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const json = method === 'PUT' ? { json: sent } : {}
      const gone = await app.call(method, `${path}/two`, { headers, ...json })
      assertRefusal(gone, 404, 'Client not found', method)
    }
    assert.deepEqual((await app.rows()).clients, clients)
  })

  test('are refused at another node, too, which has known them', async () => {
    const { secret } = (await create({ id: 'eight', ...rights })).body
    const known = { headers: asClient('eight', secret) }
    assert.equal((await ask(other, 'introspect', token, known)).body.active, true)
    assert.equal((await ask(other, 'introspect', token, known)).body.active, true)
    assert.equal((await app.call('DELETE', `${path}/eight`, { headers })).status, 200)
    assertRefusal(await ask(other, 'introspect', token, known), 401, 'invalid_client')
    const anew = (await create({ id: 'eight', ...rights })).body
    const again = { headers: asClient('eight', anew.secret) }
    assert.equal((await ask(other, 'introspect', token, again)).body.active, true)
  })

  test('have two secrets during a rotation, and one at once after a leak', async () => {
    const first = (await create({ id: 'three', ...rights })).body.secret
    const renew = (json: object) => app.call('POST', `${path}/three/secret`, { headers, json })
    const retire = () => app.call('DELETE', `${path}/three/secret`, { headers })
    assertRefusal(await retire(), 409, 'Client has no earlier secret')
    const second = await renew({})
    assert.deepEqual([second.status, second.body.secrets], [201, 2])
    for (const secret of [first, second.body.secret]) await assertActive('three', secret)
    assert.equal((await retire()).body.secrets, 1)
    await assertInvalid('three', first)
    await assertActive('three', second.body.secret)
    await renew({})
    const alone = await renew({ now: true })
    assert.equal(alone.body.secrets, 1)
    await assertInvalid('three', second.body.secret)
    await assertActive('three', alone.body.secret)
  })

  test('a public application has no secret, and gets one where it becomes confidential', async () => {
    const spa = { type: 'spa', redirect_uris }
    const made = await create({ id: 'four', ...spa })
    assert.deepEqual([made.status, made.body.secret, made.body.secrets], [201, undefined, 0])
    const before = await app.rows()
    const none = await app.call('POST', `${path}/four/secret`, { headers })
    assertRefusal(none, 409, 'Client has no secret')
    await assertInvalid('four', '')
    assert.deepEqual((await app.rows()).clients, before.clients)
    const json = { type: 'web', redirect_uris, ...rights }
    const changed = await app.call('PUT', `${path}/four`, { headers, json })
    await assertActive('four', changed.body.secret)
    const back = await app.call('PUT', `${path}/four`, { headers, json: { ...rights, ...spa } })
    assert.equal(back.body.secrets, 0)
    await assertInvalid('four', changed.body.secret)
  })

  test('those of the file win, and are changed there alone', async () => {
    const before = await app.rows()
    const json = { type: 'web', redirect_uris }
    const refused = [
      await create({ id: 'shop', ...rights }),
      await app.call('PUT', `${path}/shop`, { headers, json }),
      await app.call('DELETE', `${path}/shop`, { headers }),
      await app.call('POST', `${path}/shop/secret`, { headers }),
      await app.call('DELETE', `${path}/shop/secret`, { headers }),
    ]
    for (const answer of refused) assertRefusal(answer, 409, 'Client is in the file of clients')
    assert.deepEqual((await app.rows()).clients, before.clients)
    await assertActive('shop', secretOf('shop'))
    assert.equal((await app.call('GET', `${path}/shop`, { headers })).body.source, 'file')
  })

  const entryRefusals: Readonly<Record<string, readonly [object, ReturnType<typeof field>[]]>> = {
    'a wildcard': [
      { redirect_uris: ['https://*.example.org/'] },
      [
        field(
          'redirect_uris.0',
          'must be an absolute address without "*", user name, password and fragment',
        ),
      ],
    ],
    'the id of a user': [
      { id: '1' },
      [field('id', 'must not be digits alone, like the id of a user')],
    ],
    'another API': [
      { resource: 'https://other.example.org' },
      [field('resource', `must be ${app.deps.config.token.issuer}`)],
    ],
    'an own hash': [
      { secret_hash: `sha256:${'0'.repeat(64)}` },
      [{ path: [], message: 'has an unknown field "secret_hash"' }],
    ],
  }
  for (const [what, [json, details]] of Object.entries(entryRefusals)) {
    test(`${what} is refused with its place, and nothing is stored`, async () => {
      const before = await app.rows()
      const answer = await create({ id: 'five', type: 'web', redirect_uris, ...json })
      assertRefusal(answer, 400, 'Validation failed', what, { details })
      assert.deepEqual((await app.rows()).clients, before.clients)
    })
  }

  test('an id is taken once, also by two requests at once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create({ id: 'six', ...rights })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
    assertRefusal(await create({ id: 'six', ...rights }), 409, 'Client already exists')
  })

  test('a change that another has overtaken is refused', async () => {
    const { headers: made } = await create({ id: 'seven', type: 'web', redirect_uris })
    const change = (name: string, etag = made.etag) =>
      app.call('PUT', `${path}/seven`, {
        headers: { ...headers, 'if-match': String(etag) },
        json: { type: 'web', name, redirect_uris },
      })
    assert.equal((await change('First')).status, 200)
    assertRefusal(await change('Second'), 412, 'Precondition failed')
    const stale = { headers: { ...headers, 'if-match': String(made.etag) } }
    for (const [method, more] of [
      ['DELETE', ''],
      ['POST', '/secret'],
      ['DELETE', '/secret'],
    ] as const) {
      await app.call('POST', `${path}/seven/secret`, { headers }) // two, so that one can end
      const changed = await app.rows()
      const answer = await app.call(method, `${path}/seven${more}`, stale)
      assertRefusal(answer, 412, 'Precondition failed', `${method} ${more}`)
      assert.deepEqual((await app.rows()).clients, changed.clients)
    }
  })

  test('only an administrator reads and changes them', async () => {
    const before = await app.rows()
    const others = { user: await app.bearer(await app.account('uwe')), shop: asClient('shop') }
    for (const [who, own] of Object.entries(others)) {
      const answer = await app.call('POST', path, { headers: own, json: { id: 'x', ...rights } })
      assert.equal(answer.status, who === 'user' ? 403 : 401)
      assert.notEqual((await app.call('GET', path, { headers: own })).status, 200)
    }
    assert.deepEqual((await app.rows()).clients, before.clients)
  })
})
