// A database makes a difference: attempts are reserved by locks and transactions, for all nodes.
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { access, callerOf } from '../../src/core/http/routes/access.ts'
import { createServer } from '../../src/core/http/server/server.ts'
import { createServiceMaker } from '../../src/core/module/make.ts'
import { any, authenticated, client, role } from '../../src/core/policy/rules.ts'
import { basicAuthenticator } from '../../src/modules/basic/authenticator.ts'
import { clientAuthenticator } from '../../src/modules/clients/authenticator.ts'
import { createClientSecrets } from '../../src/modules/clients/client-secrets.ts'
import { createClients } from '../../src/modules/clients/clients.ts'
import { modules } from '../../src/modules.ts'
import { type Answer, answerOf, type Headers, testApp } from '../app.ts'
import { asClient, ask as callClient, clientsFile, entry, secretOf } from '../clients.ts'
import { assertBlocked, eventsNamed, guess, newHost, tally, visible } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'

suite('the limits of wrong secrets of clients', async () => {
  const file = clientsFile([entry('shop'), entry('ann'), entry('bob', { may: ['revoke'] })])
  const env = { CLIENTS_FILE: file, LOGIN_LOCK_AFTER: '0' }
  const app = await testApp(env)
  const two = await testApp(env, { directory: app.directory, clock: app.clock })
  const ann = await app.account('ann', ['ADMIN'])
  const token = await app.token(ann)

  const ask = (from: string, headers: Headers = asClient('shop'), node = app) =>
    callClient(node, 'introspect', token, { headers, from })
  const wrong = (from: string, id = 'shop', node = app) => ask(from, asClient(id, 'wrong'), node)
  const times = async (count: number, call: (index: number) => Promise<Answer>) => {
    const statuses: number[] = []
    for (let n = 0; n < count; n += 1) statuses.push((await call(n)).status)
    return statuses
  }
  const admin = () => app.basic(app.admin)

  test('the sixth try in 15 minutes is 429 with Retry-After, right or wrong, at this address', async () => {
    const from = newHost()
    assert.deepEqual(await times(5, () => wrong(from)), Array(5).fill(401))
    const told = eventsNamed(app, 'authn_client_fail_max')
    for (const headers of [asClient('shop', 'wrong'), asClient('shop')]) {
      assertBlocked(await ask(from, headers), '900')
    }
    assert.equal(eventsNamed(app, 'authn_client_fail_max'), told + 2)
    assertBlocked(await wrong(from, 'shop', two), '900')
    assert.equal((await ask(newHost())).body.active, true, 'another address')
    assert.equal((await ask(from, asClient('ann'))).body.active, true, 'another client')
    app.clock.advance(899)
    assert.equal((await ask(from)).status, 429)
    app.clock.advance(1)
    assert.equal((await ask(from)).status, 200)
  })

  test('40 parallel guesses at two nodes: five verdicts, and the rest is 429', async () => {
    const from = newHost()
    const guesses = Array.from({ length: 40 }, (_, n) => wrong(from, 'shop', n % 2 ? two : app))
    assert.deepEqual(tally(await Promise.all(guesses)), { 401: 5, 429: 35 })
  })

  test('a busy client uses nothing up, and a success forgets its failures', async () => {
    const from = newHost()
    assert.deepEqual(await times(4, () => wrong(from)), Array(4).fill(401))
    const many = await Promise.all(Array.from({ length: 30 }, () => ask(from)))
    assert.deepEqual(tally(many), { 200: 30 })
    assert.deepEqual(await times(5, () => wrong(from)), Array(5).fill(401))
    assert.equal((await ask(from)).status, 429)
    const other = newHost()
    assert.deepEqual(tally(await Promise.all(Array.from({ length: 30 }, () => ask(other)))), {
      200: 30,
    })
    const rows = JSON.stringify((await app.rows()).throttle_places)
    assert.ok(!rows.includes(other) && rows.includes(from))
  })

  test('a wrong secret beside a busy client is counted as any other', async () => {
    const from = newHost()
    await ask(from)
    // The right one was remembered here: it must not let a guesser try for free.
    assert.deepEqual(await times(6, () => wrong(from)), [401, 401, 401, 401, 401, 429])
    assertBlocked(await ask(from), '900')
  })

  test('unknown ids use up the limit of the address, and not that of logins', async () => {
    const from = newHost()
    await ask(from) // busy
    const statuses = await times(21, (n) => wrong(from, `unknown-${n}`))
    assert.deepEqual(statuses, [...Array(20).fill(401), 429])
    assertBlocked(await ask(from, asClient('ann')), '3600')
    assert.equal((await ask(from)).status, 200, 'the busy client goes on')
    const json = { username: 'ann', password: ann.password }
    assert.equal((await app.call('POST', '/login', { json, from })).status, 200)
    // As a login by Basic, too.
    assert.equal((await app.call('GET', '/users', { headers: app.basic(ann), from })).status, 200)
    app.clock.advance(3600)
    assert.equal((await ask(from, asClient('ann'))).status, 200)
  })

  test('a client and an account of one name: the failures of one are not those of the other', async () => {
    const from = newHost()
    assert.deepEqual(await times(5, () => wrong(from, 'ann')), Array(5).fill(401))
    assert.equal((await ask(from, asClient('ann'))).status, 429)
    const json = { username: 'ann', password: ann.password }
    assert.equal((await app.call('POST', '/login', { json, from })).status, 200)
    const other = newHost()
    assert.deepEqual(await times(6, () => guess(app, ann, other)), [...Array(5).fill(401), 429])
    assert.equal((await ask(other, asClient('ann'))).status, 200)
    const third = newHost()
    const names = await times(21, (n) => guess(app, { username: `nobody-${n}` }, third))
    assert.deepEqual(names, [...Array(20).fill(401), 429])
    assert.equal((await ask(third, asClient('ann'))).status, 200, 'the address limit of logins')
  })

  test('an administrator sees and clears them, by the id as it is spelt', async () => {
    const from = newHost()
    const blocked = async () =>
      (await app.call('GET', '/api/admin/statistics', { headers: admin() })).body.blocked
    const before = await blocked()
    assert.equal(typeof before.logins, 'number')
    await times(5, () => wrong(from))
    await times(2, () => wrong(from, 'a-password-in-the-wrong-place'))
    const shown = async () => {
      const { body } = await app.call('GET', '/api/admin/throttle?limit=100', { headers: admin() })
      return body.counts.data
        .filter(({ address }: { address: string }) => address === from)
        .map(({ count, username, client: id, used }: Record<string, unknown>) => [
          count,
          username,
          id,
          used,
        ])
        .toSorted()
    }
    assert.deepEqual(await blocked(), before, 'no login is blocked')
    assert.deepEqual(await shown(), [
      ['client', null, null, 2],
      ['client', null, 'shop', 5],
      ['client_address', null, undefined, 7],
    ])
    const clear = (name: string) =>
      app.call('DELETE', `/api/admin/throttle/${name}`, { headers: admin() })
    assert.equal((await clear('ann')).status, 200)
    assert.equal((await ask(from)).status, 429)
    assert.equal((await clear('shop')).status, 200)
    assert.equal((await ask(from)).status, 200)
    assert.deepEqual(await shown(), [
      ['client', null, null, 2],
      ['client_address', null, undefined, 7],
    ])
  })

  test('0 turns a limit of a client off, as one of logins', async () => {
    const off = await testApp({ ...env, LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '0' })
    const from = newHost()
    assert.deepEqual(await times(30, () => wrong(from, 'shop', off)), Array(30).fill(401))
    await off.close()
  })

  suite('a route for clients and accounts', async () => {
    const services = await (await createServiceMaker(app.deps, { modules })).all()
    const wired = { ...app.deps, ...services }
    const clients = createClients(wired)
    let comparisons = 0
    const counting = {
      ...clients,
      hasSecret: (...given: Parameters<typeof clients.hasSecret>) => {
        comparisons += 1
        return clients.hasSecret(...given)
      },
    }
    const server = await createServer(app.deps)
    await server.register(access, {
      ...app.deps,
      authenticators: [
        clientAuthenticator({
          clients: counting,
          clientSecrets: createClientSecrets({ ...wired, clients: counting }),
        }),
        basicAuthenticator(wired),
      ],
    })
    const [rule, schemes] = [any(role('ADMIN'), client('introspect')), ['client', 'basic']] as const
    const handler = async (request: Parameters<typeof callerOf>[0]) => callerOf(request).subject
    server.get('/both', { config: { access: { rule, schemes } } }, handler)
    const alone = { rule: client('introspect'), schemes: ['client'] as const }
    server.get('/alone', { config: { access: alone } }, handler)
    after(() => server.close())
    const get = async (url: string, headers: Headers, from = newHost()) =>
      answerOf(await server.inject({ method: 'GET', url, headers, remoteAddress: from }))

    test('both get in, each by its own', async () => {
      assert.equal((await get('/both', asClient('shop'))).text, 'client:shop')
      assert.equal((await get('/both', app.basic(app.admin))).text, String(app.admin.userId))
    })

    test('the id of a client never falls through to an account, in any spelling', async () => {
      // An account of that name has the role: by its password it would be let in.
      const encoded = { ...ann, username: '%61nn' }
      for (const headers of [app.basic(ann), app.basic(encoded)]) {
        const answer = await get('/both', headers)
        assertRefusal(answer, 401, 'Authentication required')
        assert.deepEqual(answer.headers['www-authenticate'], [
          'Basic realm="clients"',
          'Basic realm="API", charset="UTF-8"',
        ])
      }
      assert.equal((await get('/both', asClient('ann'))).text, 'client:ann')
    })

    test('an id that no client has is an account, and counts there', async () => {
      const from = newHost()
      const stranger = app.basic({ ...ann, username: 'stranger' })
      for (let n = 0; n < 5; n += 1) assert.equal((await get('/both', stranger, from)).status, 401)
      assert.equal((await get('/both', stranger, from)).status, 429)
      assert.equal((await ask(from)).status, 200, 'no try of a client')
    })

    test('a client without the permission is refused in the words of the route', async () => {
      assertRefusal(await get('/both', asClient('bob')), 403, 'Access denied')
    })

    test('no secret is compared once the limit is reached; an unknown id costs the same', async () => {
      const from = newHost()
      const cost = async (headers: Headers, at = from) => {
        const before = comparisons
        const answer = await get('/alone', headers, at)
        return { answer, comparisons: comparisons - before }
      }
      for (let n = 0; n < 5; n += 1) {
        const tried = await cost(asClient('shop', 'wrong'))
        assert.deepEqual([tried.answer.status, tried.comparisons], [401, 1])
      }
      const blocked = await cost(asClient('shop'))
      assert.deepEqual([blocked.answer.status, blocked.comparisons], [429, 0])
      const unknown = await cost(asClient('nobody', secretOf('shop')), newHost())
      const known = await cost(asClient('shop', 'wrong'), newHost())
      assert.deepEqual([unknown.comparisons, known.comparisons], [1, 1])
      assert.deepEqual(visible(unknown.answer), visible(known.answer))
    })

    test('a declaration that lets any caller in by the secret of a client stops the start', async () => {
      const [ours] = [{ rule: authenticated, schemes: ['client', 'basic'] as const }]
      const message = /accepts clients without a rule for them, or has a rule for them alone/
      const other = await createServer(app.deps)
      await other.register(access, {
        ...app.deps,
        authenticators: [clientAuthenticator(wired), basicAuthenticator(wired)],
      })
      assert.throws(() => other.get('/x', { config: { access: ours } }, handler), message)
      const without = { rule: client('revoke'), schemes: ['basic'] as const }
      assert.throws(() => other.get('/y', { config: { access: without } }, handler), message)
      assert.throws(
        () => other.get('/z', { config: { access: { rule: client('revoke') } } }, handler),
        message,
      )
      await other.close()
    })
  })
})
