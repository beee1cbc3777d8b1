import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { contractRoles } from '../../src/core/policy/principal.ts'
import { parseForwardRules } from '../../src/extras/forward-auth/forward-file.ts'
import { exchange } from '../raw-http.ts'
import { textOf } from '../use-it/listings.ts'
import { clientOf, hosts, jarOf, navigation, proxiedWorld, startProxy } from './proxied.ts'

const rules = [
  { hosts: [hosts.wiki], paths: ['/public/*'], methods: ['GET'], policy: 'bypass' },
  { hosts: [hosts.wiki], paths: ['/admin/*'], roles: ['ADMIN'], policy: 'one_factor' },
  { hosts: [hosts.wiki], paths: ['/admin/*'], policy: 'deny' },
  { hosts: [hosts.wiki], paths: ['/safe/*'], policy: 'two_factor' },
  { hosts: [hosts.wiki, hosts.files], policy: 'one_factor' },
  { hosts: ['open.example.org'], policy: 'bypass' },
]
const unauthenticated = { error: 'Authentication required' }

/** What a client may try to be known as, in all spellings of the names. */
const spoofed = {
  'Remote-User': 'admin',
  'REMOTE-GROUPS': 'ADMIN',
  'remote-email': 'admin@example.org',
  Remote_User: 'admin',
  REMOTE_GROUPS: 'ADMIN',
  'Remote-Name': 'admin',
  'Remote.User': 'admin',
  'Remote-_User': 'admin',
  X_HTTP_Method_Override: 'DELETE',
  'X-Forwarded-Host': 'open.example.org',
  'X-Forwarded-Proto': 'http',
  'X-Forwarded-Uri': '/public/page',
  'X-Forwarded-Method': 'GET',
  'X-Forwarded-For': '203.0.113.9',
}
/** Headers by which an application may be led to another path, or to another client. */
const overrides = [
  ...['X-Original-URL', 'X-Original-URI', 'X-Rewrite-URL', 'X-Forwarded-Prefix'],
  ...['X-Forwarded-Path', 'X-HTTP-Path-Override'],
]
const claims = ['X-Real-IP', 'True-Client-IP', 'Forwarded', 'X-Remote-User']
const told = [
  ...[...overrides, ...claims].map((name) => name.toLowerCase()),
  ...['remote-user', 'remote-groups', 'remote-email', 'remote-name', 'remote_user'],
  ...['remote.user', 'remote-_user', 'x_http_method_override'],
]

suite('docs/forward-auth.md, the proxies in front of an application', async () => {
  const { app, application, ann, ports, programs } = await proxiedWorld(rules)
  const mark = await app.account('mark %41 Zoë')

  test('the rules that the document shows are taken as they stand', () => {
    const [, shown = ''] = /^```json\n(.*?)^```$/ms.exec(textOf('docs/forward-auth.md')) ?? []
    const { rules: parsed, mistakes } = parseForwardRules(shown, contractRoles)
    assert.deepEqual([parsed.length, mistakes], [4, []])
  })

  for (const program of programs) {
    suite(program.name, { skip: program.missing }, async () => {
      const port = program.missing ? 0 : await startProxy(program, ports)
      const send = clientOf(port)

      /** What the application has seen of the caller in its only request. */
      function seenOf() {
        const { headers } = application.only()
        return Object.fromEntries(
          [...told, 'cookie', 'authorization', 'x-forwarded-uri', 'x-forwarded-method']
            .filter((name) => headers[name])
            .map((name) => [name, headers[name]?.join('|')]),
        )
      }

      /** A browser that is signed in at Gatehouse, and nowhere else. */
      async function browserOf(someone: typeof ann) {
        const browser = jarOf(send)
        const { cookie } = await app.session(someone)
        const [name = '', value = ''] = cookie.split('=')
        browser.jarAt(hosts.gatehouse).set(name, value)
        return browser
      }

      test('a stranger: programs get 401, persons the sign-in, the application nothing', async () => {
        application.forget()
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
          const refused = await send(`${method} /page?x=1`)
          assert.equal(refused.status, 401, method)
          if (method !== 'HEAD') assert.deepEqual(JSON.parse(refused.text), unauthenticated)
        }
        const asked = `https://${hosts.wiki}/page?x=1&y=a%20b`
        const led = await send('GET /page?x=1&y=a%20b', { headers: navigation })
        assert.equal(led.status, 302)
        const signIn = new URL(led.headers.location ?? '')
        assert.equal(signIn.origin + signIn.pathname, `https://${hosts.gatehouse}/signin`)
        assert.equal(signIn.searchParams.get('return_to'), asked)
        assert.equal(signIn.searchParams.get('two_factor'), null)
        const strong = await send('GET /safe/page', { headers: navigation })
        const { searchParams } = new URL(strong.headers.location ?? '')
        assert.deepEqual([searchParams.get('two_factor'), searchParams.get('again')], ['1', null])
        const [cookie = '', ...others] = led.setCookie
        assert.deepEqual(others, [])
        const [, secret = ''] = /^__Host-gatehouse-browser=([^;]+); /.exec(cookie) ?? []
        const digest = createHash('sha256').update(secret).digest('base64url')
        assert.equal(signIn.searchParams.get('browser'), digest)
        assert.match(cookie, /HttpOnly/)
        assert.match(cookie, /Secure/)
        assert.match(cookie, /SameSite=Lax/)
        assert.deepEqual(application.seen, [])
      })

      test('a bypass rule: no one is named, whatever the client sends', async () => {
        application.forget()
        const answer = await send('GET /public/page', { headers: spoofed })
        assert.equal(answer.status, 200)
        assert.deepEqual(seenOf(), {})
        application.forget()
        await send('GET /public/page', {
          headers: { cookie: 'a=1; __Host-gatehouse=x; b={env.HOME}', ...app.basic(ann) },
        })
        assert.deepEqual(seenOf(), { cookie: 'a=1; b={env.HOME}' })
      })

      test('a header that names a path of another rule: 403, and no such header arrives', async () => {
        const named = (path: string) => overrides.map((name) => [name, path] as const)
        application.forget()
        for (const [name, path] of [
          ...named('/admin/'),
          ...named('/page'),
          ...named('https://x/'),
        ]) {
          for (const headers of [
            [`${name}: ${path}`],
            [`${name}: /public/page`, `${name}: ${path}`],
            [`${name.toLowerCase()}: ${path}`, `${name}: /public/page`],
          ]) {
            const refused = await send('GET /public/page', { headers })
            assert.deepEqual(
              [refused.status, JSON.parse(refused.text)],
              [403, { error: 'Access denied' }],
              headers.join(),
            )
          }
        }
        assert.deepEqual(application.seen, [])
        for (const [name, path] of named('/public/other')) {
          application.forget()
          const answer = await send('GET /public/page', { headers: { [name]: path } })
          assert.equal(answer.status, 200, name)
          assert.deepEqual(seenOf(), {}, name)
        }
        application.forget()
        const all = Object.fromEntries([...named('/page/x'), ...claims.map((one) => [one, 'x'])])
        const answer = await send('GET /page', { headers: { ...app.basic(ann), ...all } })
        assert.equal(answer.status, 200)
        assert.deepEqual(seenOf(), { 'remote-user': 'ann', 'remote-groups': 'USER,EDITOR' })
      })

      test('the host of Gatehouse: no client asks the question, or says what a proxy says', async () => {
        const asked = {
          'X-Forwarded-Host': hosts.wiki,
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-Uri': '/public/page',
          'X-Forwarded-Method': 'GET',
          ...app.basic(ann),
        }
        for (const path of [
          ...[
            '/api/authz/forward',
            '/api/authz/forward?proxy=nginx',
            '/api/authz/forward/public/page',
          ],
          ...['/api/authz/', '/api/authz/x', '/api//authz/forward', '/api/./authz/forward'],
          ...['/api/%61uthz/forward', '/x/../api/authz/forward', '/api/authz%2fforward'],
        ]) {
          for (const method of ['GET', 'POST', 'PROPFIND']) {
            const answer = await send(`${method} ${path}`, {
              host: hosts.gatehouse,
              headers: asked,
            })
            assert.equal(answer.status, 404, `${method} ${path}`)
            const kept = Object.keys(answer.headers).filter((name) => /^remote|^cookie/.test(name))
            assert.deepEqual(kept, [], path)
          }
        }
        const entered = await send('GET /.gatehouse/enter?ticket=x', {
          host: hosts.gatehouse,
          headers: asked,
        })
        assert.deepEqual(
          [entered.status, JSON.parse(entered.text)],
          [400, { error: 'Bad request' }], // the facts of a proxy are absent
        )
        const status = await send('GET /api/public/status', { host: hosts.gatehouse })
        assert.equal(status.status, 200)
      })

      // Of nginx alone: no page of Caddy takes the place of its own refusals.
      const ownRefusals = async () => {
        application.forget()
        const cookie = 'app=secret; theme=dark'
        for (const headers of [
          { cookie },
          { cookie, ...app.basic(ann) },
          { cookie, ...navigation, ...app.basic(ann) },
        ]) {
          for (const line of [
            ...['GET /public/denied/x', 'GET /public/folder/', 'GET /open/x'],
            ...['HEAD /public/folder/', 'GET /public/denied/', 'GET /open/.htaccess'],
            ...('authorization' in headers ? ['GET /page/folder/', 'POST /public/limited/x'] : []),
          ]) {
            const answer = await send(line, { headers })
            assert.equal(answer.status, 403, line)
            if (!line.startsWith('HEAD')) assert.match(answer.text, /^<html>.*403 Forbidden/s)
            const names = Object.keys(answer.headers)
            assert.deepEqual(
              names.filter((name) => /^(?:remote-|cookie|location|x-request-id)/.test(name)),
              [],
              line,
            )
            assert.deepEqual(answer.setCookie, [])
            assert.doesNotMatch(answer.text, /secret|ann/)
          }
        }
        assert.deepEqual(application.seen, [])
        const allowed = await send('GET /public/limited/x', { headers: { cookie } })
        assert.equal(allowed.status, 200)
      }
      if (program.name === 'nginx') {
        test('a 403 of nginx itself stays one, and tells nothing', ownRefusals)
      }

      test('a caller is named by Gatehouse alone, and the credential is taken away', async () => {
        for (const headers of [app.basic(ann), await app.bearer(ann)]) {
          application.forget()
          const cookie = 'theme=dark; __Host-gatehouse=x; __Host-gatehouse-browser=y'
          const answer = await send('GET /page', { headers: { ...headers, ...spoofed, cookie } })
          assert.equal(answer.status, 200)
          assert.deepEqual(seenOf(), {
            'remote-user': 'ann',
            'remote-groups': 'USER,EDITOR',
            cookie: 'theme=dark',
          })
        }
        application.forget()
        await send('GET /page', { headers: { ...app.basic(mark), ...spoofed } })
        assert.equal(seenOf()['remote-user'], 'mark %2541 zo%C3%AB')
        application.forget()
        const wrong = await send('GET /page', {
          headers: { authorization: 'Basic eDp5', ...spoofed },
        })
        assert.equal(wrong.status, 401)
        assert.deepEqual(application.seen, [])
      })

      test('one sign-in for all hosts, handed over by a ticket; a sign-out ends them all', async () => {
        const browser = await browserOf(ann)
        application.forget()
        const address = `https://${hosts.wiki}/page?x=1`
        const first = await browser.follow(address)
        assert.equal(first.answer.status, 200, first.seen.join('\n'))
        assert.equal(first.seen.at(-1), address)
        assert.ok(
          first.seen.some((one) =>
            one.startsWith(`https://${hosts.wiki}/.gatehouse/enter?ticket=`),
          ),
        )
        assert.deepEqual(seenOf(), { 'remote-user': 'ann', 'remote-groups': 'USER,EDITOR' })
        assert.ok(browser.jarAt(hosts.wiki).has('__Host-gatehouse'))

        application.forget()
        const again = await browser.open(address)
        assert.equal(again.status, 200)
        assert.deepEqual(seenOf(), {
          'remote-user': 'ann',
          'remote-groups': 'USER,EDITOR',
          cookie: 'theme=dark', // of the application itself
        })
        const other = await browser.follow(`https://${hosts.files}/`)
        assert.equal(other.answer.status, 200)
        const [stolen = ''] = [browser.jarAt(hosts.files).get('__Host-gatehouse')]
        assert.notEqual(stolen, browser.jarAt(hosts.wiki).get('__Host-gatehouse'))
        const cookie = `__Host-gatehouse=${stolen}`
        assert.equal((await send('GET /page', { headers: { cookie } })).status, 401)

        const id = browser.jarAt(hosts.gatehouse).get('JSESSIONID')
        const out = await send('POST /logout', {
          host: hosts.gatehouse,
          headers: { cookie: `JSESSIONID=${id}` },
        })
        assert.equal(out.status, 200)
        application.forget()
        for (const host of [hosts.wiki, hosts.files]) {
          assert.equal((await browser.open(`https://${host}/page`)).status, 302, host)
        }
        assert.deepEqual(application.seen, [])
      })

      test('a rule that denies: a page for a person, JSON for a program', async () => {
        application.forget()
        const refused = await send('GET /admin/users', { headers: app.basic(ann) })
        assert.deepEqual(
          [refused.status, JSON.parse(refused.text)],
          [403, { error: 'Access denied' }],
        )
        const page = await send('GET /admin/users', {
          headers: { ...navigation, ...app.basic(ann) },
        })
        assert.equal(page.status, 403)
        assert.match(page.headers['content-type'] ?? '', /^text\/html/)
        assert.match(page.text, /ann/)
        const weak = await send('GET /safe/page', { headers: app.basic(ann) })
        assert.equal(weak.status, 403)
        assert.deepEqual(application.seen, [])
        const allowed = await send('GET /admin/users', { headers: app.basic(app.admin) })
        assert.equal(allowed.status, 200)
        assert.equal(seenOf()['remote-user'], 'admin')
      })

      test('HTTPS alone, for a host and those below it: an application says so itself', async () => {
        const header = 'strict-transport-security'
        const caller = app.basic(ann)
        const answers = [
          ['GET /page', { headers: navigation }, 302],
          ['GET /page', {}, 401],
          ['GET /admin/users', { headers: { ...navigation, ...caller } }, 403],
          ['GET /admin/users', { headers: caller }, 403],
          ['GET /.gatehouse/signout', {}, 303],
          ['GET /.gatehouse/enter?ticket=x', { headers: navigation }, 400],
        ] as const
        for (const [line, sent, status] of answers) {
          const answer = await send(line, sent)
          assert.deepEqual([answer.status, answer.headers[header]], [status, undefined], line)
        }
        const own = await send('GET /strict', { headers: caller })
        assert.equal(own.headers[header], 'max-age=60')
        const home = await send('GET /signin', { host: hosts.gatehouse, headers: navigation })
        assert.equal(home.headers[header], 'max-age=31536000; includeSubDomains')
      })

      test('another host, port or address in the request is not believed', async () => {
        application.forget()
        const open = 'open.example.org'
        const tries = [
          ['GET /page', { Host: open }],
          ['GET /page', { Host: `${hosts.wiki}:8443` }],
          [`GET https://${open}/page`, {}],
          [`GET https://${hosts.wiki}/page`, { Host: open }],
          [`GET http://${open}:80/page`, { Host: hosts.wiki }],
          ['GET /page', { Host: `${hosts.wiki}.` }],
          ['GET /page', { Host: hosts.wiki.toUpperCase() }],
        ] as const
        for (const [line, { Host = hosts.wiki }] of tries as readonly (readonly [
          string,
          { Host?: string },
        ])[]) {
          const bytes = `${line} HTTP/1.1\r\nHost: ${Host}\r\nConnection: close\r\n\r\n`
          const { text } = await exchange(port, bytes, { tls: hosts.wiki })
          assert.deepEqual(application.seen, [], `${line} ${Host}: ${text}`)
        }
        const doubled = ['X-Forwarded-Host: open.example.org', 'X-Forwarded-Host: open.example.org']
        assert.equal((await send('GET /page', { headers: doubled })).status, 401)
        for (const target of [
          '*',
          'page',
          '/a%zz',
          '/a%00b',
          '/public/%2e%2e/page',
          '/public/../page',
        ]) {
          const { status } = await send(`GET ${target}`)
          assert.ok(status >= 400, `${target}: ${status}`)
        }
        const override = { 'X-HTTP-Method-Override': 'DELETE' }
        assert.notEqual((await send('GET /public/page', { headers: override })).status, 200)
        assert.notEqual((await send('GET /public/page?_method=DELETE')).status, 200)
        assert.deepEqual(application.seen, [])
      })

      test('a WebSocket goes through after the question, and not without', async () => {
        application.forget()
        const upgrade = (credential: string) =>
          [
            'GET /socket HTTP/1.1',
            `Host: ${hosts.wiki}`,
            'Connection: Upgrade',
            'Upgrade: websocket',
            'Sec-WebSocket-Version: 13',
            'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
            `Authorization: ${credential}`,
            '\r\n',
          ].join('\r\n')
        const frame = Buffer.from([
          0x81,
          0x85,
          1,
          2,
          3,
          4,
          ...[...'hello'].map((c, at) => c.charCodeAt(0) ^ ((at % 4) + 1)),
        ])
        const { text } = await exchange(port, upgrade(app.basic(ann).authorization ?? ''), {
          tls: hosts.wiki,
          endWhen: (sofar) => sofar.includes('hello'),
          opened: (socket) => {
            socket.once('data', () => socket.write(frame))
          },
        })
        assert.match(text, /^HTTP\/1\.1 101 /)
        assert.match(text, /s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/)
        assert.equal(application.only().isUpgrade, true)
        assert.equal(seenOf()['remote-user'], 'ann')
        application.forget()
        const refused = await exchange(port, upgrade('Bearer x'), {
          tls: hosts.wiki,
          endWhen: (sofar) => sofar.includes('\r\n\r\n'),
        })
        assert.match(refused.text, /^HTTP\/1\.1 401 /)
        assert.deepEqual(application.seen, [])
      })

      test('no other protocol begins inside of HTTP, where requests would come unseen', async () => {
        const credential = `Authorization: ${app.basic(ann).authorization}`
        for (const upgrade of [
          ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'],
          ['Upgrade: h2c, websocket'],
          ['Upgrade: h2c', 'Upgrade: websocket'],
        ]) {
          application.forget()
          const head = ['GET /page HTTP/1.1', `Host: ${hosts.wiki}`, credential]
          const lines = [...head, 'Connection: Upgrade, HTTP2-Settings, close', ...upgrade, '\r\n']
          const { text } = await exchange(port, lines.join('\r\n'), {
            tls: hosts.wiki,
            endWhen: (sofar) => sofar.includes('\r\n\r\n'),
          })
          const seen = application.seen.flatMap(({ headers }) => headers.upgrade ?? [])
          assert.ok(
            seen.every((protocol) => protocol === 'websocket'),
            `${seen} ${text}`,
          )
        }
      })

      test('Connection takes no header away that names the caller', async () => {
        application.forget()
        const head = ['GET /page HTTP/1.1', `Host: ${hosts.wiki}`]
        const lines = [...head, `Authorization: ${app.basic(ann).authorization}`]
        const hop = 'Connection: close, Remote-User, Remote-Groups, X-Forwarded-Uri, Authorization'
        const { text } = await exchange(port, `${[...lines, hop].join('\r\n')}\r\n\r\n`, {
          tls: hosts.wiki,
        })
        assert.match(text, /^HTTP\/1\.1 200 /)
        assert.deepEqual(seenOf(), { 'remote-user': 'ann', 'remote-groups': 'USER,EDITOR' })
      })

      test('an upload of 10 MB arrives as it was sent, and without a caller not at all', async () => {
        application.forget()
        const body = Buffer.alloc(10 * 1024 * 1024)
        for (let at = 0; at < body.length; at += 4096) body.writeUInt32BE(at, at)
        const sha256 = createHash('sha256').update(body).digest('hex')
        const uploaded = await send('POST /upload', { headers: app.basic(ann), body })
        assert.deepEqual(
          [uploaded.status, JSON.parse(uploaded.text)],
          [200, { bytes: body.length, sha256 }],
        )
        assert.equal(seenOf()['remote-user'], 'ann')
        application.forget()
        const refused = await send('POST /upload', { body: 'a small one' })
        assert.equal(refused.status, 401)
        assert.deepEqual(application.seen, [])
      })
    })
  }
})
