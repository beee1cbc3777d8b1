import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiesAtHome, cookiesElsewhere, cookiesWithout } from './answers.ts'
import { hostBrowserCookie, hostSessionCookie, setHostSessionCookie } from './cookies.ts'

suite('cookies', () => {
  const names = new Set(['own', 'other'])
  for (const [header, left] of [
    ['own=1', null],
    ['own', null],
    [' own =1', null],
    ['app=1', 'app=1'],
    ['app', 'app'],
    ['own=1; app=2', 'app=2'],
    ['app=1;own=2 ; b=3', 'app=1; b=3'],
    ['own=1; other=2', null],
    ['app=own=1', 'app=own=1'],
    ['ownx=1; xown=2; Own=3', 'ownx=1; xown=2; Own=3'],
    [' ; ;a=1;', 'a=1'],
    ['', null],
    [';', null],
  ] as const) {
    test(`of ${JSON.stringify(header)} leave ${left}`, () =>
      assert.equal(cookiesWithout(header, names), left))
  }

  test('of the service are hidden at its host, and cookies of its hosts everywhere', () => {
    const home = cookiesAtHome('sid')
    assert.ok(home.has('sid'))
    for (const name of cookiesElsewhere) assert.ok(home.has(name))
    assert.equal(cookiesElsewhere.has('sid'), false)
    assert.ok(home.size > cookiesElsewhere.size + 1)
  })

  const [session = '', browser] = cookiesElsewhere

  test('are for the browser alone, over https, at their host; the cookie of a browser lasts a day', () => {
    const set: unknown[] = []
    const setCookie = (...of: unknown[]) => set.push(of)
    const reply = { setCookie } as unknown as FastifyReply // what it calls
    setHostSessionCookie(reply, 'abc')
    hostBrowserCookie.set(reply, 'def')
    const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' }
    assert.deepEqual(set, [
      [session, 'abc', flags],
      [browser, 'def', { ...flags, maxAge: 86_400 }],
    ])
  })

  for (const [cookie, value] of [
    [undefined, undefined],
    ['', undefined],
    [`${session}=abc`, 'abc'],
    [`${session}=abc `, 'abc'],
    [`a=1; ${session}=abc; b=2`, 'abc'],
    [`a=1;${session}=abc;b=2`, 'abc'],
    [`a=1;\t${session}=abc`, 'abc'],
    [`;${session}=abc`, 'abc'],
    [`a=1;       ${session}=abc`, 'abc'],
    [`a=${session}=evil; ${session}=abc`, 'abc'],
    [`x${session}=evil`, undefined],
    [`a=1, ${session}=evil`, undefined],
    [`a=${session}=evil`, undefined],
    [`${session}=`, ''],
    [`${session}`, undefined],
  ] as const) {
    test(`the session of ${cookie}`, () => {
      assert.equal(hostSessionCookie({ headers: { cookie } } as FastifyRequest), value)
    })
  }
})
