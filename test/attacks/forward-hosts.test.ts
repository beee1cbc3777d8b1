// A database makes a difference: races for a ticket, and rows that end with others.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { digest } from '../../src/core/crypto/digest.ts'
import type { Answer } from '../app.ts'
import { forwardFile, writeForward } from '../forward-file.ts'
import {
  atHosts,
  enter,
  files,
  type HostsApp,
  hostBrowser,
  hostCookie,
  hostsApp,
  rulesOfHosts,
  signInPath,
  ways,
  whoIs,
  wiki,
} from '../hosts.ts'
import { pageBrowser } from '../page-browser.ts'
import { assertRefusal } from '../refusal.ts'
import { interruptedReads } from '../watched-database.ts'

const heading = 'The sign-in did not arrive here'

/** A refused ticket: 400, a page that begins nothing by itself, no cookie, no session at a host. */
async function assertRefused(app: HostsApp, answer: Answer, about = '', begin = '/') {
  assert.equal(answer.status, 400, about)
  assert.equal(/<h1>(.*?)<\/h1>/s.exec(answer.text)?.[1], heading, about)
  assert.doesNotMatch(answer.text, /http-equiv/i, about)
  assert.equal(/href="([^"]*)">Start over/.exec(answer.text)?.[1], begin, about)
  assert.deepEqual(answer.cookies, {}, about)
  assert.equal(answer.headers.location, undefined, about)
  const { forward_sessions } = await app.rows()
  assert.deepEqual(forward_sessions, [], about)
}

suite('attacks on the ticket to a host of an application', async () => {
  const app = await hostsApp({ SESSION_ABSOLUTE_SECONDS: '600' })
  const other = await hostsApp(
    { SESSION_ABSOLUTE_SECONDS: '600' },
    { directory: app.directory, clock: app.clock },
  )
  const { db } = app.deps
  const ann = await app.account('ann')
  const eve = await app.account('eve')
  const tickets = async () => (await app.rows()).forward_tickets
  const json = (path: string, more: Record<string, string>) =>
    app.call('GET', path, {
      headers: { 'x-forwarded-host': 'wiki.example.org', 'x-forwarded-proto': 'https', ...more },
    })

  test('used twice: the second time it is unknown, and the session of the first goes on', async () => {
    const here = await atHosts(app, ann)
    const address = await here.ticketFor(`${wiki}/`)
    const secret = hostCookie(await enter(app, address, here.browser))
    const again = await enter(other, address, here.browser)
    assert.equal(again.status, 400)
    assert.deepEqual(again.cookies, {})
    assert.equal(await whoIs(app, secret, wiki), 'ann')
    assert.equal((await app.rows()).forward_sessions?.length, 1)
    await db.deleteFrom('forward_sessions').execute()
  })

  test('used at once at two nodes: one session begins', async () => {
    const here = await atHosts(app, ann)
    const address = await here.ticketFor(`${wiki}/`)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => enter(n % 2 ? other : app, address, here.browser)),
    )
    const won = answers.filter(({ status }) => status === 303)
    assert.equal(won.length, 1)
    assert.equal(answers.filter(({ status }) => status === 400).length, 19)
    assert.equal((await app.rows()).forward_sessions?.length, 1)
    assert.equal(await whoIs(other, hostCookie(won[0] as Answer), wiki), 'ann')
    await db.deleteFrom('forward_sessions').execute()
  })

  test('two tickets of a session for one host, at once at two nodes: one session is left', async () => {
    const here = await atHosts(app, ann)
    const addresses: string[] = []
    for (let n = 0; n < 8; n += 1) addresses.push(await here.ticketFor(`${wiki}/`))
    const answers = await Promise.all(
      addresses.map((address, n) => enter(n % 2 ? other : app, address, here.browser)),
    )
    const names = await Promise.all(answers.map((answer) => whoIs(app, hostCookie(answer), wiki)))
    assert.equal(names.filter((name) => name === 'ann').length, 1)
    assert.equal((await app.rows()).forward_sessions?.length, 1)
    await db.deleteFrom('forward_sessions').execute()
  })

  test('a flood of tickets of a session at two nodes: none fails, and the newest are left', async () => {
    const here = await atHosts(app, ann)
    const id = digest(here.headers().cookie?.split('=')[1] ?? '')
    const to = { origin: wiki, browser: here.browser.digest, returnTo: `${wiki}/` }
    const issue = (_: unknown, n: number) =>
      (n % 2 ? other : app).services.hostSessions.issueTicket(id, to)
    const issued = await Promise.all(Array.from({ length: 150 }, issue))
    assert.equal(new Set(issued).size, 150)
    assert.equal((await tickets())?.length, 100)
    await db.deleteFrom('forward_tickets').execute()
  })

  const misuses: Record<
    string,
    (address: string, browser: ReturnType<typeof hostBrowser>) => Promise<Answer>
  > = {
    'on another host': (address, browser) => enter(app, address.replace(wiki, files), browser),
    'on a host by another scheme': (address, browser) =>
      enter(app, address.replace('https:', 'http:'), browser),
    'on another port': (address, browser) =>
      enter(app, address.replace('.org/', '.org:8443/'), browser),
    'in another browser': (address) => enter(app, address, hostBrowser('of another')),
    'in a browser without the cookie': (address) => enter(app, address, null),
    'with the digest for a cookie': (address, { digest: header }) =>
      enter(app, address, { header: `__Host-gatehouse-browser=${header}` }),
    'at ten seconds': (address, browser) => {
      app.clock.advance(10)
      return enter(app, address, browser)
    },
    'after its session has come to its timeout': async (address, browser) => {
      const session = await db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()
      await db
        .updateTable('sessions')
        .set({ created_at: session.created_at - 600_000 })
        .execute()
      return enter(app, address, browser)
    },
  }
  for (const [how, misuse] of Object.entries(misuses)) {
    test(`${how}: refused, and the ticket is gone where it was looked at`, async () => {
      await db.deleteFrom('sessions').execute()
      const here = await atHosts(app, ann)
      const address = await here.ticketFor(`${wiki}/`)
      const begin = how.startsWith('on ') ? '/' : `${wiki}/`
      await assertRefused(app, await misuse(address, here.browser), how, begin)
      if (how.includes('scheme') || how.includes('port')) return // of no host of the rules
      assert.deepEqual(await tickets(), [])
      app.clock.advance(-10)
      await assertRefused(app, await enter(app, address, here.browser), 'a second try')
      app.clock.advance(10)
    })
  }

  test('a millisecond before ten seconds it is good', async () => {
    const here = await atHosts(app, ann)
    const address = await here.ticketFor(`${wiki}/`)
    app.clock.advance(9.999)
    assert.equal((await enter(app, address, here.browser)).status, 303)
    await db.deleteFrom('forward_sessions').execute()
  })

  test('guessed, empty, doubled, in pieces, or none at all: refused', async () => {
    const here = await atHosts(app, ann)
    const address = await here.ticketFor(`${wiki}/`)
    const ticket = address.slice(-43)
    const before = await tickets()
    const queries = [
      '',
      '?ticket=',
      '?ticket',
      `?ticket=${digest('guess')}`,
      `?ticket=${digest(ticket)}`,
      `?ticket=${ticket}&ticket=${ticket}`,
      `?ticket=${ticket}%00`,
      `?ticket=${ticket}=`,
      `?ticket=${ticket.slice(1)}`,
      `?ticket=%20${ticket}`,
      `?ticket[]=${ticket}`,
      `?Ticket=${ticket}`,
      `?ticket=${'a'.repeat(5000)}`,
    ]
    for (const query of queries) {
      const path = `${wiki}/.gatehouse/enter${query}`
      await assertRefused(app, await enter(app, path, here.browser), query)
    }
    assert.deepEqual(await tickets(), before)
    assertRefusal(
      await json(`/.gatehouse/enter?ticket=${digest('x')}`, { cookie: here.browser.header }),
      400,
      'Sign-in failed',
    )
  })

  test('HEAD uses nothing up, and other methods find nothing', async () => {
    const here = await atHosts(app, ann)
    const address = new URL(await here.ticketFor(`${wiki}/`))
    const before = await tickets()
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await app.call(method, address.pathname + address.search, {
        headers: {
          'x-forwarded-host': 'wiki.example.org',
          'x-forwarded-proto': 'https',
          cookie: here.browser.header,
        },
      })
      assert.equal(answer.status, 404, method)
    }
    assert.deepEqual(await tickets(), before)
  })

  test('from a peer that is no proxy, or without its headers: 400, and the ticket stays', async () => {
    const here = await atHosts(app, ann)
    const { pathname, search } = new URL(await here.ticketFor(`${wiki}/`))
    const before = await tickets()
    const proxied = { 'x-forwarded-host': 'wiki.example.org', 'x-forwarded-proto': 'https' }
    const cookie = here.browser.header
    const calls: readonly [string, Record<string, string | string[]>][] = [
      ['198.51.100.7', proxied],
      ['127.0.0.1', {}],
      ['127.0.0.1', { 'x-forwarded-host': 'wiki.example.org' }],
      ['127.0.0.1', { ...proxied, 'x-forwarded-host': 'wiki.example.org, files.example.org' }],
      ['127.0.0.1', { ...proxied, 'x-forwarded-host': ['wiki.example.org', 'wiki.example.org'] }],
      ['127.0.0.1', { ...proxied, 'x-forwarded-host': 'wiki.example.org@evil.example' }],
      ['127.0.0.1', { ...proxied, 'x-forwarded-proto': 'https,http' }],
      ['127.0.0.1', { host: 'wiki.example.org', 'x-forwarded-proto': 'https' }],
    ]
    for (const [from, headers] of calls) {
      const path = pathname + search
      const answer = await app.call('GET', path, { from, headers: { cookie, ...headers } })
      assertRefusal(answer, 400, 'Bad request', JSON.stringify(headers))
    }
    assert.deepEqual(await tickets(), before)
  })

  test('too many requests are told as that, not as a bad ticket, in a frame of this host', async () => {
    const limited = await hostsApp({ RATE_LIMIT_MAX: '1' })
    const path = `${wiki}/.gatehouse/enter?ticket=${digest('guess')}`
    assert.equal((await enter(limited, path, null)).status, 400)
    const answer = await enter(limited, path, null)
    assert.equal(answer.status, 429)
    assert.match(answer.text, /<h1>You have asked too often</)
    assert.match(answer.text, /<link rel="stylesheet" href="\/\.gatehouse\/assets\//)
  })

  test('login CSRF: a ticket of the attacker in the browser of another person', async () => {
    await db.deleteFrom('sessions').execute()
    const attacker = await atHosts(app, eve, 'of the attacker')
    const address = await attacker.ticketFor(`${wiki}/`)
    const first = await enter(app, address, hostBrowser('of the person'))
    await assertRefused(app, first, 'the person', `${wiki}/`)
    // Nor does the attacker get in by it any more.
    await assertRefused(app, await enter(app, address, attacker.browser))
  })

  test('login CSRF: a link with the browser of the attacker, opened by a person who is signed in', async () => {
    await db.deleteFrom('sessions').execute()
    const person = await atHosts(app, ann, 'of the person')
    const attacker = hostBrowser('of the attacker')
    await person.pages.open(signInPath(`${wiki}/`, attacker))
    const address = person.pages.elsewhere() ?? ''
    // The browser of the person goes there at once, and uses the ticket up.
    const first = await enter(app, address, person.browser)
    await assertRefused(app, first, 'the person', `${wiki}/`)
    await assertRefused(app, await enter(app, address, attacker))
  })

  test('after a sign-out, the ticket is unknown', async () => {
    await db.deleteFrom('sessions').execute()
    const here = await atHosts(app, ann)
    const address = await here.ticketFor(`${wiki}/`)
    await app.call('POST', '/logout', { headers: here.headers() })
    assert.deepEqual(await tickets(), [])
    await assertRefused(app, await enter(app, address, here.browser))
  })

  test('the path that issues tickets gives none without a session of this service', async () => {
    await db.deleteFrom('sessions').execute()
    const here = await atHosts(app, ann)
    const secret = await here.sessionAt(wiki)
    const query = signInPath(`${wiki}/`, here.browser).split('?')[1]
    const path = `/signin/application?${query}`
    const cookies = [
      '',
      `JSESSIONID=${secret}`,
      `__Host-gatehouse=${secret}`,
      `JSESSIONID=${digest(here.pages.cookies.get('JSESSIONID') ?? '')}`,
    ]
    for (const cookie of cookies) {
      const answer = await app.call('GET', path, { headers: { cookie } })
      assert.equal(answer.status, 303)
      assert.match(String(answer.headers.location), /^\/signin\?return_to=/)
      assert.deepEqual(await tickets(), [])
    }
    assert.equal((await app.call('HEAD', path, { headers: here.headers() })).status, 404)
    await db.deleteFrom('forward_sessions').execute()
  })

  test('open redirects: only addresses of hosts that a rule names, as a browser writes them', async () => {
    const here = await atHosts(app, ann)
    const bad = [
      '//wiki.example.org/',
      '/\\wiki.example.org/',
      'https://wiki.example.org@evil.example/',
      'https://user@wiki.example.org/',
      'https://user:password@wiki.example.org/',
      'https://wiki.example.org:8443/',
      'https://wiki.example.org:443/',
      'http://wiki.example.org/',
      'https://evil.example/',
      'https://wiki.example.org.evil.example/',
      'https://WIKI.example.org/',
      'https://wiki.example.org./',
      'https:wiki.example.org/',
      'https:\\\\wiki.example.org/',
      'https://wiki.example.org\\@evil.example/',
      ' https://wiki.example.org/',
      'https://wiki.example.org/\n',
      'javascript://wiki.example.org/%0aalert(1)',
      'data:text/html,x',
      'blob:https://wiki.example.org/x',
      'https://%77iki.example.org/',
    ]
    const wrap = (address: string) => `/signin/application?return_to=${address}`
    const wrapped = [
      'https://evil.example/',
      '//evil.example',
      'https://wiki.example.org@evil.example/',
      encodeURIComponent('https://evil.example/'),
      wrap('https://evil.example/'),
    ].map(wrap)
    for (const address of [...bad, ...wrapped]) {
      for (const path of ['/signin', '/signin/application']) {
        const query = new URLSearchParams({ return_to: address, browser: here.browser.digest })
        const pages = await here.pages.open(`${path}?${query}`)
        assert.equal(here.pages.elsewhere(), null, address)
        assert.equal(here.pages.path(), '/account', address)
        assert.equal(pages.status, 200)
      }
    }
    const twice = `/signin?return_to=${wiki}/&return_to=https://evil.example/&browser=${here.browser.digest}`
    await here.pages.open(twice)
    assert.equal(here.pages.path(), '/account')
    assert.deepEqual(await tickets(), [])
    // No such address comes into the policy of a form either.
    for (const address of wrapped) {
      const page = await pageBrowser(app).open(
        `/signin?${new URLSearchParams({ return_to: address })}`,
      )
      assert.match(String(page.headers['content-security-policy']), /form-action 'self';/)
    }
  })

  test('a browser that is not well formed gets no ticket', async () => {
    const here = await atHosts(app, ann)
    for (const browser of ['', 'x', `${here.browser.digest}=`, `${here.browser.digest}a`]) {
      await here.pages.open(`/signin?${new URLSearchParams({ return_to: `${wiki}/`, browser })}`)
      assert.equal(here.pages.elsewhere(), `${wiki}/`)
    }
    const { digest: D } = here.browser
    await here.pages.open(`/signin?return_to=${wiki}/&browser=${D}&browser=${D}`)
    assert.equal(here.pages.elsewhere(), `${wiki}/`)
    assert.deepEqual(await tickets(), [])
  })

  test('a host that the rules name no more: neither a ticket, nor a session by one', async () => {
    const file = forwardFile(rulesOfHosts)
    const changed = await hostsApp({ FORWARD_AUTH_FILE: file })
    const bob = await changed.account('bob')
    const here = await atHosts(changed, bob)
    const address = await here.ticketFor(`${wiki}/`)
    writeForward(file, [{ hosts: ['files.example.org'], policy: 'one_factor' }])
    await changed.app.jobs.find(({ name }) => name === 'forward file')?.run()
    await assertRefused(changed, await enter(changed, address, here.browser))
    await here.pages.open(signInPath(`${wiki}/`, here.browser))
    assert.deepEqual([here.pages.elsewhere(), here.pages.path()], [null, '/account'])
    await here.ticketFor(`${files}/`)
  })
})

suite('attacks with the cookies of hosts', async () => {
  const app = await hostsApp()
  const { hostSessions } = app.services
  const ann = await app.account('ann', ['USER', 'ADMIN'])
  const here = await atHosts(app, ann)
  const secret = await here.sessionAt(wiki)
  const own = here.pages.cookies.get('JSESSIONID') ?? ''

  test('a cookie of a host is void at the API, in whatever place it is sent', async () => {
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    const sent: Record<string, string>[] = [
      { cookie: `__Host-gatehouse=${secret}` },
      { cookie: `JSESSIONID=${secret}` },
      { cookie: `JSESSIONID=${digest(secret)}` },
      { authorization: `Bearer ${secret}` },
      { authorization: basic(`ann:${secret}`) },
      { authorization: basic(`${secret}:`) },
      { authorization: secret },
    ]
    const routes: readonly [string, string][] = [
      ['GET', '/api/protected'],
      ['GET', '/api/session'],
      ['GET', '/api/me'],
      ['GET', '/api/account'],
      ['GET', '/users'],
      ['GET', '/api/user/x'],
      ['GET', '/api/admin/accounts'],
      ['POST', '/api/transfer'],
      ['POST', '/oauth/introspect'],
    ]
    const before = await app.rows('throttle_places', 'refusals')
    for (const headers of sent) {
      for (const [method, path] of routes) {
        const answer = await app.call(method, path, { headers })
        assert.equal(answer.status, 401, `${method} ${path} ${JSON.stringify(headers)}`)
      }
      const page = await app.call('GET', '/account', {
        headers: { ...headers, accept: 'text/html' },
      })
      assert.equal(page.status, 303)
      assert.match(String(page.headers.location), /^\/signin/)
    }
    const { accounts: was, ...others } = before
    const { accounts: is, ...now } = await app.rows('throttle_places', 'refusals')
    assert.deepEqual(now, others)
    assert.equal(is?.length, was?.length)
    assert.equal(await whoIs(app, secret, wiki), 'ann')
  })

  test('a cookie of the session, of another host or of a form of its own is void at a host', async () => {
    const atFiles = await here.sessionAt(files)
    const [session] = await app.deps.db.selectFrom('sessions').select('id').execute()
    const [row] = await app.deps.db.selectFrom('forward_sessions').select('id').execute()
    const worthless: readonly [string, string][] = [
      [own, wiki],
      [session?.id ?? '', wiki],
      [row?.id ?? '', wiki],
      [secret, files],
      [atFiles, wiki],
      [secret, 'http://wiki.example.org'],
      [secret, 'https://wiki.example.org:8443'],
      [secret, 'https://id.example.org'],
      [secret, ''],
      [`${secret} `, wiki],
      [`${secret}=`, wiki],
      ['', wiki],
      [secret.toLowerCase(), wiki],
    ]
    for (const [value, origin] of worthless) {
      const resumed = await hostSessions.resume(value, origin)
      assert.ok('ended' in resumed, `${value} at ${origin}`)
      assert.match(resumed.ended.code, /^forward_session_(malformed|unknown|other_host)$/)
    }
    assert.equal(await whoIs(app, secret, wiki), 'ann')
  })

  test('what a copy of the database holds opens nothing', async () => {
    await here.ticketFor(`${wiki}/`)
    const rows = await app.rows()
    const held = [...(rows.forward_tickets ?? []), ...(rows.forward_sessions ?? [])].flatMap(
      (row) => Object.values(row as object).map(String),
    )
    assert.ok(held.length >= 10)
    const { length } = (await app.rows()).forward_sessions ?? []
    for (const value of held) {
      const address = `${wiki}/.gatehouse/enter?ticket=${encodeURIComponent(value)}`
      for (const header of [here.browser.header, `__Host-gatehouse-browser=${value}`]) {
        assert.equal((await enter(app, address, { header })).status, 400)
      }
      assert.ok('ended' in (await hostSessions.resume(value, wiki)))
    }
    assert.equal((await app.rows()).forward_sessions?.length, length)
    const text = JSON.stringify(await app.rows())
    for (const one of [secret, own, here.browser.cookie]) assert.ok(!text.includes(one))
  })

  test('no cookie and no ticket stands in the log', () => {
    const text = JSON.stringify(app.log)
    for (const one of [secret, own, here.browser.cookie]) assert.ok(!text.includes(one))
    assert.doesNotMatch(text, /ticket=[\w-]{43}/)
  })
})

suite('each way in which a session ends ends its sessions at hosts', async () => {
  const app = await hostsApp({ SESSIONS_PER_ACCOUNT: '2' })
  const other = await hostsApp(
    { SESSIONS_PER_ACCOUNT: '2' },
    { directory: app.directory, clock: app.clock },
  )
  const admin = app.basic(app.admin)
  type Here = Awaited<ReturnType<typeof atHosts>>
  const change = (json: object) => async (_here: Here, name: string) => {
    const path = `/api/admin/accounts/${name}`
    assert.equal((await app.call('PUT', path, { headers: admin, json })).status, 200)
  }

  const ends: Record<string, (here: Here, name: string) => Promise<unknown>> = {
    'POST /logout': (here) => app.call('POST', '/logout', { headers: here.headers() }),
    'the page /signout': async (here) => {
      await here.pages.open('/signout')
      await here.pages.submit({}, 'action="/signout"')
    },
    'the owner ends it': async (_here, name) => {
      const someone = { userId: 0, username: name, password: (await of(name)).password }
      const headers = await app.session(someone)
      const list = await app.call('GET', '/api/account/sessions', { headers })
      const { id } = list.body.find(({ current }: { current: boolean }) => !current)
      const path = `/api/account/sessions/${id}`
      assert.equal((await app.call('DELETE', path, { headers })).status, 200)
    },
    'the owner signs out everywhere': async (_here, name) => {
      const headers = app.basic({ userId: 0, username: name, password: (await of(name)).password })
      const answer = await app.call('DELETE', '/api/account/sessions', { headers })
      assert.equal(answer.status, 200)
    },
    'a new login in the same browser': async (here, name) => {
      const { password } = await of(name)
      await here.pages.open('/signin?again=1')
      await here.pages.submit({ password })
    },
    'a new password': async (_here, name) => {
      const { password } = await of(name)
      const answer = await app.call('PUT', '/api/account/password', {
        headers: app.basic({ userId: 0, username: name, password }),
        json: { current_password: password, new_password: `a new ${password}` },
      })
      assert.equal(answer.status, 200, answer.text)
    },
    'a lock': change({ locked: true }),
    'a disabled account': change({ active: false }),
    'the deletion of the account': (_here, name) =>
      app.call('DELETE', `/api/admin/accounts/${name}`, { headers: admin }),
    'the deletion of the user': async (_here, name) =>
      app.call('DELETE', `/users/${(await of(name)).userId}`, { headers: admin }),
    'the limit of sessions': async (_here, name) => {
      app.clock.advance(1)
      const someone = { ...(await of(name)), username: name }
      for (let n = 0; n < 2; n += 1) await app.session(someone)
    },
    'the idle timeout': async () => app.clock.advance(1800),
    'the idle timeout, and the job that deletes what has ended': async () => {
      app.clock.advance(1811)
      await app.app.jobs.find(({ name }) => name === 'ended sessions')?.run()
      assert.deepEqual((await app.rows()).forward_sessions, [])
    },
    // Versions before this one know nothing of these tables, and end sessions by this statement.
    'a version before, on the same database': async () => {
      await app.deps.db.deleteFrom('sessions').execute()
    },
  }
  const people = new Map<string, { userId: number; password: string }>()
  const of = async (name: string) => {
    const known = people.get(name)
    if (!known) throw new Error(name)
    return known
  }

  for (const [index, [how, end]] of Object.entries(ends).entries()) {
    test(`${how}: at the next request, at each node`, async () => {
      const name = `person${index}`
      const someone = await app.account(name)
      people.set(name, someone)
      const here = await atHosts(app, someone)
      const atWiki = await here.sessionAt(wiki)
      const atFiles = await here.sessionAt(files)
      const address = await here.ticketFor(`${wiki}/`)
      for (const node of [app, other]) {
        assert.equal(await whoIs(node, atWiki, wiki), name)
        assert.equal(await whoIs(node, atFiles, files), name)
      }
      await end(here, name)
      for (const node of [other, app]) {
        assert.equal(await whoIs(node, atWiki, wiki), null)
        assert.equal(await whoIs(node, atFiles, files), null)
      }
      assert.equal((await enter(other, address, here.browser)).status, 400)
      if (how.startsWith('the idle timeout')) return // the row goes by a job
      const left = await app.deps.db
        .selectFrom('forward_sessions')
        .innerJoin('sessions', 'sessions.id', 'forward_sessions.session_id')
        .select('forward_sessions.id')
        .where('sessions.user_id', '=', someone.userId)
        .execute()
      assert.deepEqual(left, [])
    })
  }

  test('a session that is not enough gets no ticket, but a sign-in', async () => {
    const strict = await hostsApp({ ROLES: 'BILLING', REQUIRE_SECOND_FACTOR: 'BILLING' })
    const someone = await strict.account('kay')
    const here = await atHosts(strict, someone)
    const ask = async (more: Record<string, string>) => {
      const query = new URLSearchParams({
        return_to: `${wiki}/`,
        browser: here.browser.digest,
        ...more,
      })
      const answer = await here.pages.open(`/signin/application?${query}`)
      return { answer, tickets: (await strict.rows()).forward_tickets?.length }
    }
    assert.equal((await ask({})).tickets, 1)
    assert.equal((await ask({ two_factor: '1' })).tickets, 1)
    assert.match(here.pages.path(), /^\/signin\?/)
    await strict.deps.db
      .insertInto('role_assignments')
      .values({ account: someone.userId, role: 'BILLING' })
      .execute()
    assert.equal((await ask({})).tickets, 1)
    assert.match(here.pages.path(), /^\/signin\?/)
  })

  test('no row is left without its session', async () => {
    const here = await atHosts(app, await app.account('hal'))
    await here.sessionAt(wiki)
    await here.ticketFor(`${wiki}/`)
    const there = await app.rows()
    const ids = new Set((there.sessions ?? []).map((row) => (row as { id: string }).id))
    const { forward_sessions = [], forward_tickets = [] } = there
    assert.ok(forward_sessions.length > 0 && forward_tickets.length > 0)
    for (const row of [...forward_sessions, ...forward_tickets]) {
      assert.ok(ids.has((row as { session_id: string }).session_id))
    }
    await app.deps.db.deleteFrom('sessions').execute()
    const left = await app.rows()
    assert.deepEqual([left.forward_sessions, left.forward_tickets], [[], []])
  })

  test('a session that ends while it is read is in no memory after that', async () => {
    const reads = await interruptedReads('sessions')
    const node = await hostsApp({}, reads.options)
    const here = await atHosts(node, await node.account('ivy'))
    const secret = await here.sessionAt(wiki)
    reads.atNextRead(async () => {
      await node.deps.db.deleteFrom('sessions').execute()
      // Another request has seen that something has changed, before the first one has its row.
      await node.account('jan')
      assert.equal(await whoIs(node, secret, wiki), null)
    })
    await whoIs(node, secret, wiki)
    assert.equal(reads.isWaiting(), false)
    assert.equal(await whoIs(node, secret, wiki), null)
  })

  test('the second person at a browser gets sessions of their own', async () => {
    const fay = await app.account('fay')
    const gus = await app.account('gus')
    const here = await atHosts(app, fay)
    const first = await here.sessionAt(wiki)
    await here.pages.open('/signout')
    await here.pages.submit({}, 'action="/signout"')
    await here.pages.open('/signin')
    await here.pages.submit({ username: 'gus', password: gus.password })
    const second = await ways(app, here.pages, here.browser).sessionAt(wiki)
    assert.equal(await whoIs(app, first, wiki), null)
    assert.equal(await whoIs(app, second, wiki), 'gus')
  })
})
