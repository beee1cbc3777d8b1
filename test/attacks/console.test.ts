import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { assertPage } from '../refusal.ts'
import { navigation } from '../test-browser.ts'

const accept = navigation
const heading = 'The console cannot be opened from here'

suite('who may open the console', async () => {
  const app = await testApp({
    CONSOLE_ADDRESSES: '10.1.0.0/16, 2001:db8::/32, 192.0.2.7',
    TRUST_PROXY: '172.16.0.1',
  })
  const admin = await app.session(app.admin)
  const user = await app.session(await app.account('ann'))
  const open = (from: string, headers: object = admin, path = '/admin/accounts') =>
    app.call('GET', path, { from, headers: { accept, 'accept-language': 'en', ...headers } })

  for (const address of ['10.1.255.3', '::ffff:10.1.2.3', '2001:db8:7::1', '192.0.2.7']) {
    test(`${address} is in CONSOLE_ADDRESSES`, async () => {
      assert.equal((await open(address)).status, 200)
      assert.equal((await open(address, admin, '/')).headers.location, '/admin')
    })
  }

  for (const address of ['10.2.0.1', '192.0.2.8', '2001:db9::1', '127.0.0.1', '::1']) {
    test(`${address} is not: the page says so, and / leads to the own account`, async () => {
      const before = await app.rows('refusals')
      for (const path of ['/admin', '/admin/accounts', '/admin/x/y?z']) {
        const page = await open(address, admin, path)
        assertPage(page, 403, heading)
        assert.ok(page.text.includes('Console not allowed from this address'))
        assert.doesNotMatch(page.text, /console\.js|Signed in as/)
      }
      for (const headers of [{}, { cookie: 'JSESSIONID=gone' }, user]) {
        assert.equal((await open(address, headers)).status, 303)
      }
      assert.equal((await open(address, admin, '/')).headers.location, '/account')
      assert.equal((await open(address, admin, '/api/admin/accounts')).status, 200)
      assert.deepEqual(await app.rows('refusals'), before)
    })
  }

  test('a program is refused in JSON', async () => {
    const answer = await app.call('GET', '/admin', { from: '10.2.0.1', headers: { ...admin } })
    const body = { error: 'Console not allowed from this address' }
    assert.deepEqual([answer.status, answer.body], [403, body])
  })

  test('X-Forwarded-For counts from the proxy alone, and there its last hop', async () => {
    const inside = '10.1.2.3'
    const forwarded = (value: string) => ({ ...admin, 'x-forwarded-for': value })
    assert.equal((await open('172.16.0.1', forwarded(inside))).status, 200)
    assert.equal((await open('172.16.0.1', forwarded(`8.8.8.8, ${inside}`))).status, 200)
    for (const [from, value] of [
      ['8.8.8.8', inside],
      ['172.16.0.1', `${inside}, 8.8.8.8`],
      ['172.16.0.1', ''],
      ['172.16.0.1', 'unknown'],
      ['172.16.0.1', `${inside}, unknown`],
    ] as const) {
      assertPage(await open(from, forwarded(value)), 403, heading, value)
    }
    for (const name of ['forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip']) {
      assertPage(await open('8.8.8.8', { ...admin, [name]: inside }), 403, heading, name)
    }
  })

  test('a spelling of the path leads past it to no view', async () => {
    for (const path of [
      '//admin',
      '/Admin',
      '/admin/',
      '/admin/%2e%2e/admin',
      '/%61dmin',
      '/admin;x',
    ]) {
      const answer = await open('10.2.0.1', admin, path)
      assert.ok([403, 404].includes(answer.status), `${path}: ${answer.status}`)
      assert.ok(!answer.text.includes('console.js'), path)
    }
  })

  test('a person without a role of the console is led to the own account', async () => {
    for (const path of ['/admin', '/admin/posts']) {
      const { status, headers, text } = await open('10.1.0.1', user, path)
      assert.deepEqual([status, headers.location, text], [303, '/account', ''])
    }
  })

  test('a session that ended, or a lock, ends it at the next request', async () => {
    const lee = await app.account('lee', ['ADMIN'])
    const headers = await app.session(lee)
    assert.equal((await open('10.1.0.1', headers)).status, 200)
    const basic = app.basic(app.admin)
    await app.call('PUT', '/api/admin/accounts/lee', { headers: basic, json: { locked: true } })
    const { status, headers: answered } = await open('10.1.0.1', headers)
    assert.deepEqual([status, String(answered.location).split('?')[0]], [303, '/signin'])
  })

  test('what is no address is refused at the start', () => {
    for (const value of ['10.0.0.0/33', 'localhost', '10.1.0.0/16;', 'fe80::1%eth0']) {
      assert.throws(() => loadConfig({ CONSOLE_ADDRESSES: value }), /CONSOLE_ADDRESSES holds/)
    }
    assert.throws(() => loadConfig({ CONSOLE: 'yes' }), /CONSOLE must be one of on, off/)
  })
})
