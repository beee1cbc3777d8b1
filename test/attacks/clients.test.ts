import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { suite, test } from 'node:test'
import { type Call, type Headers, testApp } from '../app.ts'
import { asClient, ask, clientsFile, entry, hashOf, secretOf, writeClients } from '../clients.ts'
import { countedDatabase } from '../counted-database.ts'
import { accessClaims, assertAccepted, forge, hs256, secondsOf } from '../forge.ts'
import { holdAtTransaction, holdableDatabase, holdBody } from '../held-requests.ts'
import { eventsNamed, visible } from '../logins.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'

const TOKEN_SECRET = 'pC3v9sYkq0Zr7uTn5wXeBh2mLd8gJf1a'
const unthrottled = { LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '0', LOGIN_LOCK_AFTER: '0' }
const challenge = 'Basic realm="clients"'
const paths = ['introspect', 'revoke'] as const
const odd = 'a+b %41:c/ü'

const shop = entry('shop')
const file = clientsFile([
  shop,
  entry('ann'),
  entry('watcher', { may: ['introspect'] }),
  entry('ender', { may: ['revoke'] }),
  entry('billing', { audiences: ['billing', 'invoices'] }),
  entry('odd', { secret_hash: hashOf(odd) }),
])

function basic(text: string): Headers {
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` }
}

suite('clients: hostile requests to /oauth/introspect and /oauth/revoke', async () => {
  const counted = await countedDatabase()
  const env = { CLIENTS_FILE: file, TOKEN_SECRET, ...unthrottled, LOG_LEVEL: 'trace' }
  const app = await testApp(env, counted.options)
  const ann = await app.account('ann')
  const bearer = await app.bearer(ann)
  const session = await app.session(ann)
  const sign = (changes: object) =>
    forge({ alg: 'HS256' }, accessClaims(app, { ...changes }), hs256(TOKEN_SECRET))
  const isActive = async (token: string, headers = asClient('shop')) =>
    (await ask(app, 'introspect', token, { headers })).body.active

  const strangers: Record<string, Headers> = {
    'no credentials': {},
    'a wrong secret': asClient('shop', 'wrong'),
    'an empty secret': asClient('shop', ''),
    'the secret of another client': asClient('shop', secretOf('ann')),
    'the hash in place of the secret': asClient('shop', String(shop.secret_hash)),
    'an id that is unknown': asClient('nobody'),
    'an id in other letters': asClient('SHOP', secretOf('shop')),
    'an id with a space': asClient(' shop', secretOf('shop')),
    'an empty id': asClient('', secretOf('shop')),
    'no colon': basic('shop'),
    'Basic without a value': { authorization: 'Basic' },
    'what is no base64': { authorization: 'Basic *' },
    'what is no UTF-8': {
      authorization: `Basic ${Buffer.from([0xff, 0x3a, 0x61]).toString('base64')}`,
    },
    'a huge secret': asClient('shop', 'x'.repeat(6000)),
    'the password of an account': app.basic(ann),
    "a client's id with the password of the account of that name": asClient('ann', ann.password),
    'a bearer token': bearer,
    'a session': { cookie: session.cookie, 'x-csrf-token': session['x-csrf-token'] },
    'another scheme': { authorization: `Digest ${secretOf('shop')}` },
  }
  for (const [what, headers] of Object.entries(strangers)) {
    test(`${what}: 401 invalid_client, and nothing changes`, async () => {
      const token = await app.token(ann)
      const before = await app.rows()
      for (const path of paths) {
        const answer = await ask(app, path, token, { headers })
        assertRefusal(answer, 401, 'invalid_client', path)
        assert.equal(answer.headers['www-authenticate'], challenge)
      }
      assert.deepEqual(await app.rows(), before)
      await assertAccepted(app, token, what)
    })
  }

  test('id and secret in the body are no credentials', async () => {
    const form = { token: 'x', client_id: 'shop', client_secret: secretOf('shop') }
    assertRefusal(await app.call('POST', '/oauth/revoke', { form }), 401, 'invalid_client')
  })

  test('an unknown id and a wrong secret look alike', async () => {
    const answers = await Promise.all(
      [asClient('nobody'), asClient('shop', 'wrong'), asClient('ann', ann.password)].map(
        (headers) => ask(app, 'introspect', 'x', { headers }),
      ),
    )
    assert.deepEqual(new Set(answers.map((answer) => JSON.stringify(visible(answer)))).size, 1)
  })

  test('a secret with signs is accepted as it is, and form-urlencoded (RFC 6749 section 2.3.1)', async () => {
    const token = await app.token(ann)
    const encoded = new URLSearchParams({ x: odd }).toString().slice(2)
    for (const text of [`odd:${odd}`, `odd:${encoded}`, `%6fdd:${encoded}`]) {
      assert.equal(await isActive(token, basic(text)), true, text)
    }
    for (const text of [`odd:${encoded}x`, 'odd:%zz', `odd:${encodeURIComponent(encoded)}`]) {
      const answer = await ask(app, 'introspect', token, { headers: basic(text) })
      assertRefusal(answer, 401, 'invalid_client', text)
    }
  })

  test('a client without the permission: 403 unauthorized_client, and nothing changes', async () => {
    const token = await app.token(ann)
    const before = await app.rows()
    for (const [path, id] of [
      ['revoke', 'watcher'],
      ['introspect', 'ender'],
    ] as const) {
      const answer = await ask(app, path, token, { headers: asClient(id) })
      assertRefusal(answer, 403, 'unauthorized_client')
      assert.equal(answer.headers['www-authenticate'], undefined)
    }
    assert.deepEqual(await app.rows(), before)
    await assertAccepted(app, token, 'a client that may not')
  })

  test('a browser that knows the secret sends nothing for a page of another site', async () => {
    const token = await app.token(ann)
    const headers = {
      ...asClient('shop'),
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    }
    assertRefusal(await ask(app, 'revoke', token, { headers }), 403, 'unauthorized_client')
    await assertAccepted(app, token, 'a page of another site')
  })

  test('a client is a caller of no other route: exactly the 401 of a wrong password', async () => {
    // Every route by its status: test/attacks/authorization.test.ts.
    for (const path of [
      '/users',
      '/api/me',
      '/api/protected',
      '/api/admin/accounts',
      '/api/admin/accounts/',
      '/api/admin/x',
    ]) {
      const as = await app.call('GET', path, { headers: asClient('shop') })
      const stranger = { ...ann, password: 'wrong' }
      const wrong = await app.call('GET', path, { headers: app.basic(stranger) })
      assert.equal(as.status, 401, path)
      assert.deepEqual(visible(as), visible(wrong), path)
      assert.deepEqual(as.headers['www-authenticate'], wrong.headers['www-authenticate'], path)
    }
  })

  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const requests: Record<string, Omit<Call, 'headers'> & { headers?: Headers; path?: string }> = {
    'no body': {},
    'an empty form': { headers: form, body: '' },
    'no token': { form: { token_type_hint: 'access_token' } },
    'an empty token': { form: { token: '' } },
    'a token twice': { headers: form, body: 'token=a&token=a' },
    'a token twice, once encoded': { headers: form, body: 'token=a&%74oken=a' },
    'a token and an empty one': { headers: form, body: 'token=a&token=' },
    'a hint twice': { headers: form, body: 'token=a&token_type_hint=x&token_type_hint=x' },
    'an unknown parameter twice': { headers: form, body: 'token=a&x=1&x=2' },
    'more than 100 parameters': {
      headers: form,
      body: `token=a&${Array.from({ length: 100 }, (_, n) => `p${n}=`).join('&')}`,
    },
    'what is no UTF-8': { headers: form, body: 'token=%ff' },
    JSON: { json: { token: 'a' } },
    'a form that says that it is JSON': {
      headers: { 'content-type': 'application/json' },
      body: 'token=a',
    },
    'plain text': { headers: { 'content-type': 'text/plain' }, body: 'token=a' },
    multipart: {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\ncontent-disposition: form-data; name="token"\r\n\r\na\r\n--x--',
    },
    'no content type': { headers: {}, body: 'token=a' },
    'a token in the query': { path: '?token=a' },
    'a token in the query, and an empty form': { path: '?token=a', headers: form, body: '' },
  }
  for (const [what, { path = '', headers, ...call }] of Object.entries(requests)) {
    test(`${what}: 400 invalid_request behind the client, 401 without one`, async () => {
      const before = await app.rows()
      for (const last of paths) {
        const url = `/oauth/${last}${path}`
        const known = { ...headers, ...asClient('shop') }
        assertRefusal(
          await app.call('POST', url, { ...call, headers: known }),
          400,
          'invalid_request',
        )
        const unknown = await app.call('POST', url, { ...call, headers })
        assertRefusal(unknown, 401, 'invalid_client')
      }
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('a body of more than 16 KiB is 413, and is not read without a client', async () => {
    for (const path of paths) {
      const token = 'a'.repeat(16_384)
      assertRefusal(await ask(app, path, token), 413, 'Request body too large')
      assertRefusal(await ask(app, path, token, { headers: {} }), 401, 'invalid_client')
    }
  })

  test('other methods are unknown routes, and do nothing', async () => {
    const token = await app.token(ann)
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
        const url = `/oauth/${path}?token=${token}`
        const answer = await app.call(method, url, { headers: asClient('shop') })
        assert.equal(answer.status, 404, method)
      }
    }
    assert.equal(await isActive(token), true)
  })

  test('whatever is no active access token of its audiences: inactive, and 200 to its end', async () => {
    const now = secondsOf(app)
    const { access_token, refresh_token } = await app.pair(ann)
    const other = await app.token(ann)
    await app.call('POST', '/logout', { headers: { authorization: `Bearer ${other}` } })
    const [head, body, signature = ''] = access_token.split('.')
    const none = forge({ alg: 'none' }, accessClaims(app), () => Buffer.from('x'))
    const tokens: Record<string, string> = {
      garbage: 'garbage',
      'two parts': `${head}.${body}`,
      'four parts': `${access_token}.x`,
      dots: '..',
      'a space': ' ',
      NUL: '\0',
      'spaces around it': ` ${access_token} `,
      'the word Bearer before it': `Bearer ${access_token}`,
      oversized: `${head}.${'a'.repeat(9000)}.${signature}`,
      'another signature': `${head}.${body}.${'A'.repeat(signature.length)}`,
      'no algorithm': none,
      'another key': forge({ alg: 'HS256' }, accessClaims(app), hs256('x'.repeat(32))),
      expired: sign({ exp: now }),
      'not yet valid': sign({ nbf: now + 60 }),
      'another issuer': sign({ iss: 'https://other.example' }),
      'no audience': sign({ aud: undefined }),
      'another audience': sign({ aud: 'billing' }),
      'an audience that is no text': sign({ aud: { 0: 'api' } }),
      'enrolment of a factor': sign({ type: 'enrolment' }),
      'another type': sign({ type: 'other' }),
      'no user': sign({ sub: 'https://idp.example#7' }),
      revoked: other,
    }
    const before = await app.rows()
    for (const [what, token] of Object.entries(tokens)) {
      const answer = await ask(app, 'introspect', token)
      assert.deepEqual([answer.status, answer.text], [200, '{"active":false}'], what)
      const end = await ask(app, 'revoke', token)
      assert.deepEqual([end.status, end.text], [200, ''], what)
      assertHeaders(end, what)
    }
    const answer = await ask(app, 'introspect', refresh_token)
    assert.deepEqual([answer.status, answer.text], [200, '{"active":false}'])
    assert.deepEqual(await app.rows(), before, 'nothing was ended')
    await assertAccepted(app, access_token, 'the token that they were made from')
    const enrolment = { authorization: `Bearer ${tokens['enrolment of a factor']}` }
    const began = await app.call('POST', '/api/account/totp', { headers: enrolment })
    assert.equal(began.status, 201, 'an enrolment token goes on')
  })

  test('a token of other audiences stays valid, and one of several audiences is for each', async () => {
    const token = await app.token(ann)
    const headers = asClient('billing')
    assert.equal(await isActive(token, headers), false)
    assert.equal((await ask(app, 'revoke', token, { headers })).status, 200)
    assert.equal(await isActive(token), true)
    await assertAccepted(app, token, 'a token of another audience')
    const both = sign({ aud: ['api', 'invoices'], jti: 'both' })
    assert.deepEqual([await isActive(both, headers), await isActive(both)], [true, true])
    assert.equal((await ask(app, 'revoke', both, { headers })).status, 200)
    assert.deepEqual([await isActive(both, headers), await isActive(both)], [false, false])
  })

  test('a client of other audiences ends the refresh token that it presents', async () => {
    const { access_token, refresh_token } = await app.pair(ann)
    await ask(app, 'revoke', refresh_token, { headers: asClient('billing') })
    const again = await app.call('POST', '/refresh', { form: { refresh_token } })
    assertRefusal(again, 401, 'Invalid refresh token')
    assert.equal(await isActive(access_token), false)
  })

  test('a foreign token and a forged one: the same answer and the same work, seen before or not', async () => {
    const headers = asClient('billing')
    const foreign = await app.token(ann)
    const [head, body, signature = ''] = foreign.split('.')
    const forged = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    const known = await app.token(ann)
    await isActive(known) // verified, and cached
    await ask(app, 'introspect', 'x', { headers })
    for (const path of paths) {
      const seen = new Set<string>()
      for (const token of [forged, foreign, known, forged, foreign]) {
        const signatures = countSignatures()
        const { count, result } = await counted.during(() => ask(app, path, token, { headers }))
        const computed = signatures.stop()
        assert.ok(computed > 0)
        seen.add(JSON.stringify([count, computed, visible(result)]))
      }
      assert.equal(seen.size, 1, [...seen].join('\n'))
    }
    await assertAccepted(app, foreign, 'foreign')
  })

  test('no secret and no token reaches the log', async () => {
    const token = await app.token(ann)
    const wrong = 'a wrong secret of a client'
    await ask(app, 'introspect', token)
    await ask(app, 'introspect', token, { headers: asClient('shop', wrong) })
    await ask(app, 'introspect', token, { headers: asClient(wrong) })
    await ask(app, 'revoke', token)
    const log = JSON.stringify(app.log)
    assert.ok(eventsNamed(app, 'authn_client_fail') > 0)
    for (const secret of [secretOf('shop'), wrong, token, asClient('shop').authorization ?? '']) {
      assert.ok(!log.includes(secret), secret)
    }
  })
})

suite('a client that ends while its request is under way', async () => {
  const path = clientsFile([entry('shop')])
  const app = await testApp({ CLIENTS_FILE: path, TOKEN_SECRET }, await holdableDatabase())
  const reread = async () => app.app.jobs.find(({ name }) => name === 'clients file')?.run()
  const changes: Record<string, unknown[]> = {
    'it is removed': [],
    'its secret is replaced': [entry('shop', { secret_hash: hashOf(secretOf('shop', 2)) })],
  }
  for (const [what, clients] of Object.entries(changes)) {
    test(`${what}: 401, and the token goes on`, async () => {
      writeClients(path, [entry('shop')])
      await reread()
      const token = await app.token(app.admin)
      await ask(app, 'introspect', token)
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const headers = { ...asClient('shop'), ...type }
      const call = { method: 'POST', headers, body: `token=${token}` }
      const requests = [
        holdBody(app, { ...call, path: '/oauth/introspect' }),
        holdBody(app, { ...call, path: '/oauth/revoke' }),
        holdAtTransaction(app, { ...call, path: '/oauth/revoke' }, 1),
      ]
      await Promise.all(requests.map(({ held }) => held))
      writeClients(path, clients)
      await reread()
      const before = await app.rows()
      for (const { goOn, answer } of requests) {
        goOn()
        assertRefusal(await answer, 401, 'invalid_client')
      }
      assert.deepEqual(await app.rows(), before)
      await assertAccepted(app, token, what)
    })
  }

  test('its permission is taken: 403, and the token goes on', async () => {
    writeClients(path, [entry('shop')])
    await reread()
    const token = await app.token(app.admin)
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const headers = { ...asClient('shop'), ...type }
    await ask(app, 'introspect', token)
    const call = { method: 'POST', path: '/oauth/revoke', headers, body: `token=${token}` }
    const request = holdAtTransaction(app, call, 1)
    await request.held
    writeClients(path, [entry('shop', { may: ['introspect'] })])
    await reread()
    request.goOn()
    assertRefusal(await request.answer, 403, 'unauthorized_client')
    await assertAccepted(app, token, 'a client that may no more')
  })
})

/** Counts the HMACs that are computed, each of which makes or verifies a signature. */
function countSignatures(): { stop(): number } {
  const { createHmac } = crypto
  let computed = 0
  const replace = (by: typeof createHmac) => {
    crypto.createHmac = by
    syncBuiltinESMExports()
  }
  replace((...args) => {
    computed += 1
    return createHmac(...args)
  })
  return {
    stop() {
      replace(createHmac)
      return computed
    },
  }
}
