import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fastifyCookie from '@fastify/cookie'
import fastify from 'fastify'
import { sessionCookie } from './cookie.ts'

suite('the value of the session cookie', async () => {
  const app = fastify()
  await app.register(fastifyCookie, { hook: false })
  const config = { session: { cookieName: 'SESSION' } } as Parameters<typeof sessionCookie>[1]
  app.get('/', (request) => [sessionCookie(request, config)])
  const valueIn = async (cookie: string): Promise<unknown> =>
    (await app.inject({ url: '/', headers: { cookie } })).json()[0]

  for (const cookie of [
    'SESSION=abc_-9',
    'SESSION=abc; other=1',
    'other=1; SESSION=abc',
    'SESSION=abc; SESSION=def',
    'SESSION="abc"',
    'SESSION=a%62c',
    'SESSION=abc ',
    'SESSION = abc',
    'SESSION=',
    'SESSION',
    'SESSIONS=abc',
    'session=abc',
    'SESSION=abc=def',
    'SESSION=abc,SESSION=def',
    ';SESSION=abc',
  ]) {
    test(`a header that needs no parser is read as the parser would: ${cookie}`, async () => {
      const parsed = app.parseCookie(cookie).SESSION
      assert.equal(await valueIn(cookie), parsed ?? null)
    })
  }

  test('the cookie alone is read without the parser of the framework', async () => {
    const { parseCookie } = app
    let parsed = 0
    app.parseCookie = (header) => {
      parsed += 1
      return parseCookie(header)
    }
    try {
      assert.deepEqual([await valueIn('SESSION=abc_-9'), parsed], ['abc_-9', 0])
      assert.deepEqual([await valueIn('other=1; SESSION=abc'), parsed], ['abc', 1])
    } finally {
      app.parseCookie = parseCookie
    }
  })
})
