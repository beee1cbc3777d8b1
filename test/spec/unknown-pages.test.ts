import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, testApp } from '../app.ts'
import { assertPage, assertRefusal } from '../refusal.ts'

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const navigation: Headers = { accept, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const vary = 'Accept, Sec-Fetch-Mode'
const unknown = [
  '/nope',
  '/nope/',
  '/nope?return_to=https://evil.example',
  '/apiary',
  '/usersx',
  '/account/nope',
  '/signin/nope',
  '/dev/nope',
  '/.gatehouse/nope',
  '/%3Cscript%3Ealert(1)%3C/script%3E',
]

suite('4.2: a path that no route has', async () => {
  const app = await testApp({ CORS_ORIGINS: 'https://app.example.org' })
  const session = await app.session(app.admin)

  for (const path of unknown) {
    test(`${path} is a page for the navigation of a browser`, async () => {
      for (const headers of [{}, session, app.basic(app.admin)]) {
        const answer = await app.call('GET', path, { headers: { ...headers, ...navigation } })
        assertPage(answer, 404, 'There is no such page')
        assert.equal(answer.headers.vary, `Origin, ${vary}`)
        assert.doesNotMatch(answer.text, /<script>alert/)
        assert.deepEqual(answer.cookies, {})
      }
    })

    test(`${path} is JSON for everything else`, async () => {
      for (const headers of [
        {},
        { accept },
        { accept: '*/*' },
        { 'sec-fetch-mode': 'navigate' },
        { ...navigation, accept: '*/*' },
        { ...navigation, accept: 'application/json' },
        { ...navigation, accept: 'text/html;q=0' },
        { ...navigation, accept: `text/html${',a/b'.repeat(1000)}` },
        { ...navigation, 'sec-fetch-mode': 'cors' },
        { ...navigation, 'sec-fetch-mode': 'no-cors' },
        { ...navigation, 'sec-fetch-mode': 'Navigate, navigate' },
      ] as Headers[]) {
        const answer = await app.call('GET', path, { headers })
        assertRefusal(answer, 404, 'Route not found', JSON.stringify(headers).slice(0, 200))
        assert.equal(answer.headers.vary, `Origin, ${vary}`)
      }
    })
  }

  test('in the language of the reader', async () => {
    const headers = { ...navigation, 'accept-language': 'de' }
    const { status, text } = await app.call('GET', '/nope', { headers })
    assert.equal(status, 404)
    assert.match(text, /<html lang="de">/)
    assert.match(text, /<h1>Diese Seite gibt es nicht<\/h1>/)
    assert.match(text, /falsch geschrieben/)
  })

  test('HEAD has the headers of GET and no body', async () => {
    for (const headers of [navigation, {}]) {
      const got = await app.call('GET', '/nope', { headers })
      const head = await app.call('HEAD', '/nope', { headers })
      assert.deepEqual([head.status, head.text], [404, ''])
      for (const name of ['content-type', 'content-security-policy', 'vary', 'referrer-policy']) {
        assert.deepEqual(head.headers[name], got.headers[name], name)
      }
    }
  })

  test('a form that is sent to it gets the page too, and changes nothing', async () => {
    const before = await app.rows()
    const answer = await app.call('POST', '/nope', { headers: navigation, form: { a: 'b' } })
    assertPage(answer, 404, 'There is no such page')
    assert.deepEqual(await app.rows(), before)
  })

  for (const path of [
    '/api',
    '/api/',
    '/api/nope',
    '/%61pi/nope',
    '/API/nope',
    '//api/nope',
    '/api/v1/nope',
    '/api/public/nope',
    '/users/1/nope',
    '/users/',
    '/oauth',
    '/oauth/nope',
    '/health',
    '/health/nope',
    '/.well-known/nope',
    '/.well-known/openid-configuration',
  ]) {
    test(`${path} is JSON for a browser too`, async () => {
      const answer = await app.call('GET', path, { headers: { ...navigation, ...session } })
      assertRefusal(answer, 404, 'Route not found')
    })
  }

  test('a request that is refused before its path is looked at gets no page', async () => {
    const answer = await app.call('GET', '/nope', { headers: { ...navigation, host: 'a b' } })
    assertRefusal(answer, 400, 'Bad request')
  })
})
