import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import {
  clockOfToday,
  type IdentityProvider,
  identityProvider,
  settingsFor,
} from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'
import { interruptedReads } from '../watched-database.ts'

/** The same refusals at the provider without a name and at one with a name, below both own accounts. */
suite('4.4: what a sign-in is refused for, by each provider', async () => {
  const providers = { default: await identityProvider(), acme: await identityProvider() }
  const reads = await interruptedReads('accounts')
  const acme = Object.entries(settingsFor(providers.acme))
  const settings = {
    ...settingsFor(providers.default),
    ...Object.fromEntries(acme.map(([name, value]) => [name.replace('_', '_ACME_'), value])),
    OIDC_PROVIDERS: 'acme',
    OIDC_SIGN_UP: 'off',
    OIDC_ACME_SIGN_UP: 'off',
  }
  const clock = clockOfToday()
  const app = await testApp(settings, { clock, ...reads.options })
  const admin = await app.bearer(app.admin)
  let made = 0
  const someone = () => app.account(`someone${++made}`)
  const own = ['/api/account', '/api/user/account'] as const
  const sides = [
    { name: 'default', at: '/oauth', idp: providers.default, path: own[0] },
    { name: 'acme', at: '/oauth/acme', idp: providers.acme, path: own[1] },
  ] as const

  /** As far as the way back to the service. */
  async function until(at: string) {
    const browser = testBrowser(app)
    const begun = await browser.call('GET', `${at}/login`)
    const { pathname, search } = await browser.until(String(begun.headers.location))
    return () => browser.call('GET', pathname + search)
  }

  /** Links what the provider answers now to a new account. */
  async function link({ name, path, idp }: (typeof sides)[number], sub: string) {
    idp.person = { sub, email: 'a@example.org' }
    const who = await someone()
    const browser = testBrowser(app)
    const headers = app.basic(who)
    const json = { provider: name }
    const begun = await browser.call('POST', `${path}/identities`, { headers, json })
    return { who, answer: await browser.open(begun.body.url) }
  }

  for (const side of sides) {
    const { name, at, idp, path } = side

    test(`${path}/identities: 502 while ${name} is none, and nothing begins`, async () => {
      const discovery = '/.well-known/openid-configuration'
      idp.instead.set(discovery, (_, response) => response.end('{}'))
      const headers = app.basic(await someone())
      const before = await app.rows()
      const json = { provider: name }
      const answer = await app.call('POST', `${path}/identities`, { headers, json })
      assertRefusal(answer, 502, 'Identity provider error')
      assert.deepEqual(await app.rows(), before)
      idp.instead.clear()
      clock.advance(6) // until it is asked again
    })

    test(`${at}/callback: 403 for who has no account`, async () => {
      idp.person = { sub: 'stranger', email: 'a@example.org' }
      const back = await until(at)
      const before = await app.rows('flows')
      assertRefusal(await back(), 403, 'Access denied')
      assert.deepEqual(await app.rows('flows'), before)
    })

    test(`${at}/callback: 409 for an identity of another account`, async () => {
      const first = await link(side, 'shared')
      assert.equal(first.answer.status, 200)
      const { identities } = await app.rows()
      const { answer } = await link(side, 'shared')
      assertRefusal(answer, 409, 'Identity already linked')
      assert.deepEqual((await app.rows()).identities, identities)
    })

    test(`${at}/callback: 401 for an account that goes meanwhile`, async () => {
      const { who } = await link(side, 'brief')
      const back = await until(at)
      reads.atNextRead(() =>
        app.call('DELETE', `/api/admin/accounts/${who.username}`, { headers: admin }),
      )
      assertRefusal(await back(), 401, 'Invalid credentials')
      assert.equal(reads.isWaiting(), false)
      assert.deepEqual((await app.rows()).sessions, [])
    })

    test(`${at}/callback: 502 where the provider's token endpoint is none`, async () => {
      const back = await until(at)
      idp.instead.set('/token', (_, response) => response.end('x'))
      const before = await app.rows('flows')
      assertRefusal(await back(), 502, 'Identity provider error')
      idp.instead.clear()
      assert.deepEqual(await app.rows('flows'), before)
    })

    test(`${path}: 404 for a caller of ${name} who has no account`, async () => {
      const headers = bearerOf(idp)
      const code = { totp: '123456' }
      const words = { current_password: 'x', new_password: 'a copper kettle on a stove' }
      const before = await app.rows()
      for (const [method, below, json] of [
        ['GET', ''],
        ['GET', '/identities'],
        ['POST', '/identities', { provider: name }],
        ['DELETE', '/identities/1'],
        ['PUT', '/password', words],
        ['POST', '/recovery-codes', code],
        ['GET', '/sessions'],
        ['DELETE', '/sessions'],
        ['DELETE', '/sessions/1'],
        ['POST', '/totp'],
        ['PUT', '/totp', code],
        ['DELETE', '/totp', code],
        ['POST', '/passkeys/options'],
        ['POST', '/passkeys', { response: {}, name: 'x' }],
        ['POST', '/passkeys/proof', { action: 'factor' }],
        ['DELETE', '/devices'],
        ['GET', '/email'],
        ['PUT', '/email', { email: 'ann@example.org' }],
        ['DELETE', '/email'],
        ['PUT', '/language', { language: 'de' }],
        ['GET', '/notices'],
        ['GET', '/export'],
        ['DELETE', '', { username: 'stranger' }],
      ] as const) {
        const answer = await app.call(method, path + below, { headers, json })
        assertRefusal(answer, 404, 'Account not found', `${method} ${below}`)
      }
      assert.deepEqual(await app.rows(), before)
    })
  }

  function bearerOf(idp: IdentityProvider) {
    const claims = idp.claims({ sub: 'stranger', auth_time: Math.floor(clock.now() / 1000) })
    return { authorization: `Bearer ${idp.signed(claims)}` }
  }
})
