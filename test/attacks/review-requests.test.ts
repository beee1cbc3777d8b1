import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createProfiles } from '../../src/modules/tokens/profiles.ts'
import { passwordOf, type TestApp, testApp } from '../app.ts'
import { eventsNamed } from '../logins.ts'
import { exchange, rawRequest } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'

const typed = (type: string) => ({ 'content-type': type })
const json = typed('application/json')
const form = typed('application/x-www-form-urlencoded')

suite('bodies at their edges', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '0' })
  const session = await app.session(app.admin)

  for (const path of ['/login', '/refresh']) {
    test(`JSON null at ${path} is no object`, async () => {
      const answer = await app.call('POST', path, { headers: json, body: 'null' })
      const details = [{ path: [], message: 'must be object' }]
      assertRefusal(answer, 400, 'Validation failed', path, { details })
    })
  }

  test('POST /api/transfer takes any JSON body or none', async () => {
    for (const body of [undefined, '', '{}', 'null', '[1]', '"text"']) {
      const answer = await app.call('POST', '/api/transfer', {
        headers: { ...session, ...json },
        ...(body !== undefined && { body }),
      })
      assert.deepEqual([answer.status, body], [200, body])
    }
    const broken = await app.call('POST', '/api/transfer', {
      headers: { ...session, ...json },
      body: '{',
    })
    assertRefusal(broken, 400, 'Invalid request body')
  })

  for (const text of ['%FF', '%C3', '%C3%28', '%ED%A0%80', '%F4%90%80%80', '%E2+%82', 'a%80b']) {
    test(`T67: form text ${text} is no UTF-8, and no other text either`, async () => {
      const before = await app.rows()
      for (const body of [`username=admin&password=${text}`, `${text}=1&username=a&password=b`]) {
        const answer = await app.call('POST', '/login', { headers: form, body })
        assertRefusal(answer, 400, 'Invalid request body', body)
      }
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('T67: form text in UTF-8 is read, and a percent sign that escapes nothing is itself', async () => {
    const password = '100% ünïcode & more 😀%'
    const made = await app.call('POST', '/api/admin/accounts', {
      headers: app.basic(app.admin),
      json: { username: 'uma', password, roles: ['USER'], name: 'U', email: 'u@example.org' },
    })
    assert.equal(made.status, 201)
    const raw = '100% ünïcode+%26+more+%F0%9F%98%80%'
    const answer = await app.call('POST', '/login', {
      headers: form,
      body: `username=uma&password=${raw}`,
    })
    assert.equal(answer.status, 200)
  })

  for (const name of ['.', '..', '․', '‥', ' .. ']) {
    test(`T78: no account is named ${JSON.stringify(name)}: no path would lead to it`, async () => {
      const before = await app.rows('throttle_places')
      const answer = await app.call('POST', '/api/admin/accounts', {
        headers: app.basic(app.admin),
        json: {
          username: name,
          password: passwordOf(name),
          roles: ['USER'],
          name: 'Dot',
          email: 'dot@example.org',
        },
      })
      assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'])
      assert.deepEqual(answer.body.details[0].path, ['username'])
      assert.deepEqual(await app.rows('throttle_places'), before)
    })
  }
})

suite('pipelined requests', async () => {
  const app = await testApp()
  const { port } = await app.listen()
  const first = rawRequest('GET /api/public/status HTTP/1.1', { Connection: 'keep-alive' })

  test('T94: garbage behind requests waits for their answers', async () => {
    for (const count of [1, 2, 5]) {
      const { answers, text } = await exchange(port, `${first.repeat(count)}no HTTP at all\r\n\r\n`)
      const statuses = answers.map(({ status }) => status)
      assert.deepEqual(statuses, [...Array(count).fill(200), 400], text)
      assert.deepEqual(JSON.parse(answers[0]?.body ?? '').status, 'ok')
      const last = answers.at(-1)
      assert.ok(last)
      assertRefusal(last, 400, 'Bad request')
    }
  })

  test('T94: garbage behind a last request changes nothing about its answer', async () => {
    const { answers } = await exchange(
      port,
      `${rawRequest('GET /api/public/status HTTP/1.1')}no HTTP at all\r\n\r\n`,
    )
    assert.equal(answers[0]?.status, 200)
    assert.ok(answers.slice(1).every(({ status }) => status === 400))
  })
})

suite('what the log says happened', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '0' })
  const admin = app.basic(app.admin)
  const ann = await app.account('ann')

  test('T96: a logout without a session ends none, one with a session names the user', async () => {
    for (const value of ['junk', 'x'.repeat(43), '']) {
      const headers = { cookie: `JSESSIONID=${value}` }
      assert.equal((await app.call('POST', '/logout', { headers })).status, 200)
    }
    assert.equal(eventsNamed(app, 'session_ended'), 0)
    const headers = await app.session(ann)
    await app.call('POST', '/logout', { headers })
    await app.call('POST', '/logout', { headers })
    const [ended, ...more] = app.log.filter(({ event }) => event === 'session_ended')
    assert.deepEqual([ended?.user_id, ended?.reason, more], [ann.userId, 'logout', []])
  })

  const password = 'another walk along the canal'
  const changes: readonly [object, readonly string[]][] = [
    [{}, []],
    [{ password }, ['authn_password_change']],
    [{ roles: ['EDITOR'] }, ['privilege_permissions_changed']],
    [{ locked: true }, ['privilege_permissions_changed']],
    [{ locked: false }, ['privilege_permissions_changed']],
    [{ active: false }, ['privilege_permissions_changed']],
    [{ active: true, password }, ['privilege_permissions_changed', 'authn_password_change']],
    [{ must_change: true }, ['authz_admin']],
  ]
  for (const [change, expected] of changes) {
    test(`T96: PUT ${JSON.stringify(change)} is told as ${expected.join(' and ') || 'nothing'}`, async () => {
      const bob = await app.account(`bob${changes.findIndex(([each]) => each === change)}`)
      app.log.length = 0
      const path = `/api/admin/accounts/${bob.username}`
      assert.equal((await app.call('PUT', path, { headers: admin, json: change })).status, 200)
      assert.deepEqual(eventsAbout(app, bob.userId), expected)
    })
  }

  test('T96: an account that goes while its user stays is no deleted user', async () => {
    const cleo = await app.account('cleo')
    app.log.length = 0
    await app.call('DELETE', '/api/admin/accounts/cleo', { headers: admin })
    assert.deepEqual(eventsAbout(app, cleo.userId), ['authz_admin'])
    assert.equal(app.log.find(({ event }) => event === 'authz_admin')?.what, 'account_deleted')
  })

  function eventsAbout({ log }: TestApp, userId: number): unknown[] {
    return log.filter(({ user_id }) => user_id === userId).map(({ event }) => event)
  }
})

suite('profiles of token holders', () => {
  const before = { id: 1, name: 'Before', email: 'before@example.org' }
  const after = { ...before, name: 'After' }

  test('what was read before a change is not kept after it', async () => {
    const changes = { epoch: 1 }
    const causes = {
      'of this process': () => profiles.forget(1),
      'of another, with a read by another caller in between': async () => {
        changes.epoch += 1
        await profiles.of(2)
      },
    }
    let answer = Promise.resolve<typeof before | null>(before)
    const users = { byId: (id: number) => (id === 1 ? answer : Promise.resolve(null)) }
    let profiles = createProfiles(users, changes)
    for (const [about, change] of Object.entries(causes)) {
      profiles = createProfiles(users, changes)
      const read = Promise.withResolvers<typeof before | null>()
      answer = read.promise
      const first = profiles.of(1)
      await change()
      read.resolve(before)
      await first
      answer = Promise.resolve(after)
      assert.equal((await profiles.of(1)).name, 'After', about)
    }
  })
})
