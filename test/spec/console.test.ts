import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { pageBrowser } from '../page-browser.ts'
import { headersOfEveryAnswer, policiesOfPages } from '../refusal.ts'
import { navigation } from '../test-browser.ts'

const accept = navigation

suite('the console: one page without data at /admin', async () => {
  const app = await testApp()
  const edd = await app.account('edd', ['EDITOR'])
  const { cookie = '' } = await app.session(edd)
  const open = (path: string, headers: object = {}) =>
    app.call('GET', path, { headers: { accept, 'accept-language': 'en', ...headers } })

  test('every address below it answers the same page, with the policies of pages', async () => {
    const page = await open('/admin', { cookie })
    assert.equal(page.status, 200)
    assert.deepEqual(page.headers['content-security-policy'], policiesOfPages)
    assert.equal(page.headers['cache-control'], headersOfEveryAnswer['cache-control'])
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    for (const path of ['/admin/posts', '/admin/accounts/ann?tab=x', '/admin/is/nothing']) {
      const { status, text } = await open(path, { cookie })
      assert.deepEqual([status, text], [200, page.text], path)
    }
    const head = await app.call('HEAD', '/admin', { headers: { accept, cookie } })
    assert.deepEqual([head.status, head.text], [200, ''])
  })

  test('it holds no name, no token and no markup but its own', async () => {
    const { text } = await open('/admin/"><script>alert(1)</script>', { cookie })
    assert.ok(!text.includes('edd') && !text.includes('alert'))
    assert.doesNotMatch(text, /csrf|token/i)
    assert.doesNotMatch(text, /(?:src|href)="(?:https?:)?\/\//i)
    const tags = text.replace(/"[^"]*"/g, '""')
    assert.doesNotMatch(tags, /<script(?! type="" src="">)|<style| style=| on[a-z]+=/i)
    for (const [, path = ''] of text.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)) {
      assert.equal((await app.call('GET', path)).status, 200, path)
    }
  })

  test('it names what its first view loads: files that exist, in one language', async () => {
    const frame = namedIn((await open('/admin', { cookie })).text)
    assert.deepEqual(frame.reads, ['/api/session'])
    for (const language of ['en', 'de']) {
      const headers = { ...(await app.session(app.admin)), 'accept-language': language }
      const { files, reads } = namedIn((await open('/admin', headers)).text)
      assert.deepEqual(reads, ['/api/session', '/api/admin/status', '/api/admin/statistics'])
      assert.ok(files.length > frame.files.length + 3, files.join())
      assert.equal(new Set(files).size, files.length)
      for (const file of files) {
        const { status, headers: answered } = await app.call('GET', file)
        assert.deepEqual(
          [status, answered['content-type'], answered['cache-control']],
          [200, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
          file,
        )
      }
      for (const path of ['/admin/accounts', '/admin/', '/admin/posts?x=/admin']) {
        const other = namedIn((await open(path, headers)).text)
        assert.deepEqual(other.reads, ['/api/session'], path)
        assert.equal(other.files.length, frame.files.length, path)
      }
      const withQuery = namedIn((await open('/admin?range=7d', headers)).text)
      assert.deepEqual(withQuery, { files, reads })
    }
  })

  test('in the language of the account, else in that of the browser', async () => {
    assert.match((await open('/admin', { cookie })).text, /<html lang="en" class="console">/)
    const german = { cookie, 'accept-language': 'de' }
    assert.match((await open('/admin', german)).text, /<html lang="de" class="console">/)
    await app.deps.db.updateTable('accounts').set({ language: 'de' }).execute()
    assert.match((await open('/admin', { cookie })).text, /<html lang="de" class="console">/)
    await app.deps.db.updateTable('accounts').set({ language: null }).execute()
  })

  test('without a session the sign-in comes first, and leads back with all fields', async () => {
    for (const [path, back] of [
      ['/admin', '/admin'],
      ['/admin/audit?type=login&from=2026-01-01', '/admin/audit?type=login&from=2026-01-01'],
      ['/admin/accounts?search=a%2Fb%26c', '/admin/accounts?search=a/b%26c'],
    ] as const) {
      for (const sent of [{}, { cookie: 'JSESSIONID=gone' }]) {
        const { status, headers, text } = await open(path, sent)
        const wanted = `/signin?${new URLSearchParams({ return_to: back })}`
        assert.deepEqual([status, headers.location, text], [303, wanted, ''])
      }
      const browser = pageBrowser(app)
      await browser.open(path)
      await browser.submit({ username: edd.username, password: edd.password })
      assert.equal(browser.path(), back)
    }
  })

  test('another method is no route', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      assert.equal((await app.call(method, '/admin', { headers: { cookie } })).status, 404)
    }
  })

  test('CONSOLE=off leaves it out: no route, and / leads to the own account', async () => {
    const off = await testApp({ CONSOLE: 'off', CONSOLE_ADDRESSES: '10.0.0.0/8' })
    assert.deepEqual(off.deps.config.warnings, [
      'CONSOLE_ADDRESSES has no effect while CONSOLE is off',
    ])
    const headers = { accept, ...(await off.session(off.admin)) }
    for (const path of ['/admin', '/admin/posts']) {
      const answer = await off.call('GET', path, { headers })
      assert.deepEqual([answer.status, answer.body], [404, { error: 'Route not found' }])
    }
    assert.equal((await off.call('GET', '/', { headers })).headers.location, '/account')
    assert.equal((await off.call('GET', '/api/admin/accounts', { headers })).status, 200)
  })
})

/** The files and the addresses of the API that a page names for its first view. */
function namedIn(page: string): { files: string[]; reads: string[] } {
  const hrefs = (link: RegExp) => [...page.matchAll(link)].map(([, href = '']) => href)
  return {
    files: hrefs(/<link rel="modulepreload" href="([^"]*)"/g),
    reads: hrefs(/<link rel="preload" as="fetch" crossorigin="anonymous" href="([^"]*)"/g),
  }
}
