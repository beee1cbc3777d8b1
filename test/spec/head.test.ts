import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readDoc } from '../../tools/docs.ts'
import { type Headers, testApp } from '../app.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import type { ApiDocument } from '../openapi/operations.ts'
import { assertHeaders } from '../refusal.ts'

const provider = {
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_CLIENT_ID: 'gatehouse',
  OIDC_AUTHORIZATION_ENDPOINT: 'http://127.0.0.1:1/auth',
  OIDC_TOKEN_ENDPOINT: 'http://127.0.0.1:1/token',
  OIDC_JWKS_URI: 'http://127.0.0.1:1/jwks',
}
const settings = { ...provider, SIGN_UP: 'open', EMAIL_SIGN_IN: 'on', APP_PASSWORDS: 'on' }
/** What the documents say of an operation without HEAD. */
const told = 'HEAD is 404: a GET begins something or uses something up.'
/** What stands in the place of a parameter. */
const examples: Readonly<Record<string, string>> = {
  username: 'admin',
  kid: 'none',
  '*': 'nothing',
}

suite('HEAD', async () => {
  const app = await testApp({ ...settings, CLIENTS_FILE: clientsFile([entry('shop')]) })
  const { cookie } = await app.session(app.admin)
  const bearer = await app.bearer(app.admin)
  const { routes } = app.app.server.declared
  const gets = routes.filter(({ method }) => method === 'GET')
  const without = gets.filter(({ exposeHeadRoute }) => exposeHeadRoute === false)
  const pathOf = (url: string) =>
    url.replace(/:(\w+)|\*/g, (found, name = found) => examples[name] ?? '1')

  test('both tables have the routes that they should have', () => {
    const names = (rows: typeof gets) => rows.map(({ url }) => url)
    for (const url of [
      '/signin',
      '/signup',
      '/oauth/login',
      '/oauth/callback',
      '/signin/application',
    ]) {
      assert.ok(names(without).includes(url), url)
    }
    for (const url of ['/', '/users', '/signout', '/oauth/second-factor', '/.gatehouse/signout']) {
      assert.ok(names(gets).includes(url) && !names(without).includes(url), url)
    }
  })

  for (const { url } of without) {
    test(`${url} is 404 and changes nothing: a GET uses something up or begins something`, async () => {
      const before = await app.rows()
      for (const headers of [{}, { cookie }, bearer] as Headers[]) {
        for (const query of [
          '',
          '?flow=x&token=x&ticket=x',
          '?return_to=/account&code=x&state=x',
        ]) {
          for (const accept of ['application/json', 'text/html']) {
            const answer = await app.call('HEAD', pathOf(url) + query, {
              headers: { ...headers, accept, 'sec-fetch-mode': 'navigate' },
            })
            assert.deepEqual([answer.status, answer.text, answer.cookies], [404, '', {}], query)
            assert.equal(answer.headers.location, undefined)
          }
        }
      }
      assertHeaders(await app.call('HEAD', pathOf(url)))
      assert.deepEqual(await app.rows(), before)
    })
  }

  for (const { url, config } of gets.filter((route) => !without.includes(route))) {
    test(`${url} answers as GET does, without the body`, async () => {
      const schemes = (config?.accepted ?? []).map(({ scheme }) => scheme)
      const isOfSession = schemes.join() === 'session'
      const proof: Headers = schemes.includes('client')
        ? asClient('shop')
        : isOfSession
          ? { cookie }
          : bearer
      for (const headers of [{}, proof]) {
        const got = await app.call('GET', pathOf(url), { headers })
        const head = await app.call('HEAD', pathOf(url), { headers })
        assert.deepEqual([head.status, head.text], [got.status, ''])
        for (const name of ['content-type', 'location', 'www-authenticate', 'vary']) {
          assert.deepEqual(head.headers[name], got.headers[name], name)
        }
      }
    })
  }

  test('the document says of which operations there is none', () => {
    const { paths }: ApiDocument = JSON.parse(readDoc('openapi.json'))
    const silent = new Set(without.map(({ url }) => url.replace(/:(\w+)/g, '{$1}')))
    for (const [path, { get }] of Object.entries(paths)) {
      if (!get) continue
      const { description = '' } = get as { readonly description?: string }
      assert.equal(description.includes(told), silent.has(path), path)
    }
  })
})
