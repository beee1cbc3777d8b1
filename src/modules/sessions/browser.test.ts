import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fastifyCookie from '@fastify/cookie'
import fastify from 'fastify'
import { loadConfig } from '../../../test/config.ts'
import { type BrowserSessionDeps, endSession, sessionResult } from './browser.ts'

suite('the cookie of a session', () => {
  async function serve(isKept: boolean, keptDays = '30') {
    const calls: unknown[] = []
    const sessions = {
      async start(
        _trx: unknown,
        present: unknown,
        { replaces, userAgent }: Record<string, unknown>,
      ) {
        calls.push([present, replaces, userAgent])
        return { secret: 'new', csrfToken: 'csrf', isKept }
      },
      end: async (secret: string) => void calls.push(secret),
    } as unknown as BrowserSessionDeps['sessions']
    const env = {
      NODE_ENV: 'test',
      BASE_URL: 'https://auth.example',
      KEEP_SIGNED_IN_DAYS: keptDays,
    }
    const deps = { config: loadConfig(env), sessions }
    const app = fastify()
    await app.register(fastifyCookie, { hook: false })
    app.post('/start', async (request, reply) => {
      const { issue, respond } = sessionResult(deps, request, reply)
      const issued = await issue(null as never, 'present' as never)
      return { csrf: await respond(issued as never, null as never) }
    })
    app.post('/end', async (request, reply) => {
      await endSession(deps, request, reply)
      return {}
    })
    return async (url: string, headers: Record<string, string> = {}) => {
      calls.length = 0
      const answer = await app.inject({ method: 'POST', url, headers })
      return { body: answer.json(), set: answer.headers['set-cookie'], calls: [...calls] }
    }
  }

  const flags = 'Path=/; HttpOnly; Secure; SameSite=Strict'

  test('is set by a login, and goes with the browser', async () => {
    const post = await serve(false)
    const set = `JSESSIONID=new; ${flags}`
    const agent = 'lightMyRequest'
    assert.deepEqual(await post('/start'), {
      body: { csrf: 'csrf' },
      set,
      calls: [['present', undefined, agent]],
    })
    const headers = { cookie: 'JSESSIONID=old', 'user-agent': '' }
    assert.deepEqual((await post('/start', headers)).calls, [['present', 'old', '']])
  })

  test('stays for the days of a kept session, at most as long as browsers allow', async () => {
    for (const [days, seconds] of [
      ['30', 2_592_000],
      ['400', 34_560_000],
      ['401', 34_560_000],
    ] as const) {
      const { set } = await (await serve(true, days))('/start')
      assert.equal(set, `JSESSIONID=new; Max-Age=${seconds}; ${flags}`)
    }
  })

  test('is cleared by a logout, if there was one', async () => {
    const post = await serve(false)
    assert.deepEqual(await post('/end'), { body: {}, set: undefined, calls: [] })
    const { set, calls } = await post('/end', { cookie: 'JSESSIONID=old' })
    assert.deepEqual(calls, ['old'])
    assert.equal(
      set,
      `JSESSIONID=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict`,
    )
  })
})
