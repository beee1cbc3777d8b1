import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, type Headers, testApp } from '../app.ts'
import { newHost } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'

const challenge = 'Basic realm="API", charset="UTF-8"'

function assertChallenged(answer: Answer, about = ''): void {
  assertRefusal(answer, 401, 'Authentication required', about)
  const challenges = [answer.headers['www-authenticate'] ?? ''].flat()
  assert.ok(challenges.includes(challenge), about)
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

suite('spec 5.1: Basic', async () => {
  const app = await testApp({ LOGIN_LOCK_AFTER: '0' })
  const ann = await app.account('ann')
  const call = (authorization: string, headers: Headers = {}) =>
    app.call('GET', '/users', { headers: { ...headers, authorization }, from: newHost() })

  test('Authorization: Basic with base64 of username:password is accepted', async () => {
    for (const scheme of ['Basic', 'basic', 'BASIC']) {
      const answer = await call(`${scheme} ${base64(`ann:${ann.password}`)}`)
      assert.equal(answer.status, 200, scheme)
    }
  })

  for (const [index, password] of [
    'with: a colon in it',
    ':at the beginning',
    'at the end of it:',
    'two:: of them ::',
  ].entries()) {
    test(`it is split on the first colon only: ${password}`, async () => {
      const someone = await app.account(`colon${index}`, ['USER'], { password })
      const right = await call(`Basic ${base64(`${someone.username}:${password}`)}`)
      assert.equal(right.status, 200)
      const [before = ''] = password.split(':')
      assertChallenged(await call(`Basic ${base64(`${someone.username}:${before}`)}`))
    })
  }

  test('username and password are UTF-8', async () => {
    const [username, password] = ['jörg', 'пароль und ein 🔑']
    await app.account(username, ['USER'], { password })
    assert.equal((await call(`Basic ${base64(`${username}:${password}`)}`)).status, 200)
    const latin1 = Buffer.from(`${username}:a password of ä`, 'latin1').toString('base64')
    assertChallenged(await call(`Basic ${latin1}`))
  })

  test('a missing header is 401 with a challenge that names Basic and the realm API', async () => {
    const answer = await app.call('GET', '/users')
    assertChallenged(answer)
    assert.deepEqual(answer.headers['www-authenticate'], [challenge, 'Bearer realm="API"'])
  })

  const refused: [string, string][] = [
    ['another scheme', 'Digest username="ann"'],
    ['another scheme with the right credentials', `Basics ${base64(`ann:${ann.password}`)}`],
    ['no scheme', base64(`ann:${ann.password}`)],
    ['nothing behind the scheme', 'Basic'],
    ['no colon in the decoded value', `Basic ${base64('ann')}`],
    ['what is no base64', 'Basic ***'],
    ['a wrong password', `Basic ${base64('ann:not the password')}`],
    ['an unknown username', `Basic ${base64(`nobody:${ann.password}`)}`],
    ['an empty username', `Basic ${base64(`:${ann.password}`)}`],
    ['an empty password', `Basic ${base64('ann:')}`],
  ]
  for (const [what, authorization] of refused) {
    test(`${what}: the same 401`, async () => {
      const before = await app.rows('throttle_places')
      assertChallenged(await call(authorization))
      assert.deepEqual(await app.rows('throttle_places'), before)
    })
  }

  test('a cookie does not stand in for wrong credentials', async () => {
    const { cookie } = await app.session(ann)
    assertChallenged(await call(`Basic ${base64('ann:not the password')}`, { cookie }))
  })

  test('on success the username is made available to the handler', async () => {
    const own = await app.call('PUT', `/users/${ann.userId}`, {
      headers: app.basic(ann),
      json: { name: 'Ann' },
    })
    assert.equal(own.status, 200, 'the target is the own username of the caller')
    const other = await app.call('PUT', '/users/1', { headers: app.basic(ann), json: {} })
    assertRefusal(other, 403, 'Access denied')
  })

  test('the fetch of a page gets no challenge that would open a password box', async () => {
    const own = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }
    const fetched = await app.call('GET', '/users', { headers: own })
    assertRefusal(fetched, 401, 'Authentication required')
    assert.equal(fetched.headers['www-authenticate'], 'Bearer realm="API"')
    const opened = { ...own, 'sec-fetch-mode': 'navigate' }
    assertChallenged(await app.call('GET', '/users', { headers: opened }))
  })

  test('use only over HTTPS: production refuses another address than loopback', async () => {
    await assert.rejects(
      testApp({ NODE_ENV: 'production', TRUST_PROXY: 'none', BASE_URL: 'http://id.example.org' }),
      /BASE_URL must be https in production/,
    )
  })
})
