import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { seededRandom } from '../../../test/random.ts'
import { pageCookieName } from '../../core/config/cookie-names.ts'
import { browserCookie } from './cookie.ts'
import type { PageFlows } from './flows.ts'
import { browserOf, flowOfForm, forgetBrowser, freshAddress, knownBrowser } from './requests.ts'

const value = 'a'.repeat(42)
const known = `${value}_`

suite('the cookie of a browser', () => {
  const cookie = browserCookie('__Host-test', 60)
  /** Of a browser with these cookies. */
  const requestWith = (given?: string) => {
    const parseCookie = () => (given === undefined ? {} : { '__Host-test': given, other: known })
    const headers = given === undefined ? {} : { cookie: 'sent' }
    return { headers, server: { parseCookie } } as unknown as FastifyRequest
  }
  const replied: unknown[] = []
  const reply = {
    setCookie: (...of: unknown[]) => replied.push(of),
    clearCookie: (...of: unknown[]) => replied.push(of),
  } as unknown as FastifyReply // what it calls

  test('is read if it is well-formed', () => {
    assert.equal(cookie.read(requestWith(known)), known)
    for (const other of [undefined, '', value, `${known}b`, `${value}=`, `${value}\n`]) {
      assert.equal(cookie.read(requestWith(other)), undefined)
    }
  })

  test('keeps its value, and is drawn where there is none', () => {
    assert.equal(cookie.valueOf(requestWith(known), seededRandom(1)), known)
    const drawn = cookie.valueOf(requestWith(), seededRandom(1))
    assert.match(drawn, /^[A-Za-z0-9_-]{43}$/)
    assert.notEqual(drawn, cookie.valueOf(requestWith(), seededRandom(2)))
  })

  test('is for this host alone, over TLS, and out of reach of scripts', () => {
    const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' }
    cookie.set(reply, known)
    cookie.clear(reply)
    assert.deepEqual(replied, [
      ['__Host-test', known, { ...flags, maxAge: 60 }],
      ['__Host-test', flags],
    ])
  })
})

suite('requests of a flow', () => {
  const request = (more: object = {}) =>
    ({ query: { flow: 'f' }, headers: {}, ...more }) as unknown as FastifyRequest

  test('without one are refused before their form is looked at', async () => {
    const pageFlows = { find: async () => null, assertForm: () => assert.fail() }
    const unknown = { row: 'signInFailed', reason: { code: 'page_flow_unknown' } }
    await assert.rejects(flowOfForm(pageFlows, request(), 'page_sign_in'), unknown)
  })

  test('give the browser a cookie for a week, renewed by each', () => {
    const replied: [string, string, { maxAge: number }][] = []
    const setCookie = (...of: (typeof replied)[number]) => replied.push(of)
    const reply = { setCookie } as unknown as FastifyReply // what it calls
    const server = { parseCookie: () => ({ [pageCookieName]: known }) }
    const again = request({ server, headers: { cookie: 'sent' }, ip: '203.0.113.7' })
    const first = request({ server, ip: '203.0.113.7' })
    const browser = { cookie: known, address: '203.0.113.7' }
    assert.deepEqual(browserOf(again, reply, seededRandom(1)), browser)
    assert.deepEqual([knownBrowser(again), knownBrowser(first)], [browser, null])
    const { cookie } = browserOf(first, reply, seededRandom(1))
    const shown = replied.map(([name, given, { maxAge }]) => [name, given, maxAge])
    assert.deepEqual(shown, [
      [pageCookieName, known, 604_800],
      [pageCookieName, cookie, 604_800],
    ])
  })

  test('drop the cookie of a browser that has one', () => {
    const cleared: unknown[] = []
    const reply = { clearCookie: (name: string) => cleared.push(name) } as unknown as FastifyReply
    const server = { parseCookie: () => ({ [pageCookieName]: known }) }
    forgetBrowser(request({ server }), reply)
    assert.deepEqual(cleared, [])
    forgetBrowser(request({ server, headers: { cookie: 'sent' } }), reply)
    assert.deepEqual(cleared, [pageCookieName])
  })

  test('send the token of its form', async () => {
    const sent: unknown[] = []
    const flow = { csrfToken: 't' }
    const pageFlows = {
      find: async (...of: unknown[]) => {
        sent.push(of)
        return flow
      },
      assertForm: (...of: unknown[]) => void sent.push(of),
    } as unknown as PageFlows
    const form = request({ body: { csrf_token: 'c' } })
    assert.equal(await flowOfForm(pageFlows, form, 'page_sign_in'), flow)
    assert.equal(await flowOfForm(pageFlows, request(), 'page_sign_in'), flow)
    const found = ['f', null, 'page_sign_in']
    assert.deepEqual(sent, [found, [flow, 'c'], found, [flow, undefined]])
  })

  test('of an expired one start over with its return address', () => {
    const of = (returnTo: string | null) =>
      freshAddress({ returnToOfExpired: () => returnTo }, request(), 'page_sign_in', '/signin')
    assert.equal(of(null), null)
    assert.equal(of('/a?b'), '/signin?return_to=%2Fa%3Fb&ended=1')
  })
})
