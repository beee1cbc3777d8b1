// A database makes a difference: tickets and sessions are rows that end with the session's row.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { digest } from '../../src/core/crypto/digest.ts'
import { loadConfig } from '../config.ts'
import { confirmationsOf } from '../confirmations.ts'
import { codeOf } from '../factor.ts'
import {
  atHosts,
  enter,
  files,
  hostBrowser,
  hostCookie,
  hostsApp,
  signInPath,
  ways,
  whoIs,
  wiki,
} from '../hosts.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { pageBrowser } from '../page-browser.ts'
import { assertRefusal } from '../refusal.ts'
import { mailboxOf, profileFields } from '../registration.ts'
import { navigation, testBrowser } from '../test-browser.ts'

const job = (app: Awaited<ReturnType<typeof hostsApp>>, wanted: string) =>
  app.app.jobs.find(({ name }) => name === wanted)?.run()

/** Applications on other hosts behind a proxy: a session is handed over to each of them. */
suite('sessions at the hosts of applications', async () => {
  const app = await hostsApp({ REDIRECT_ORIGINS: 'https://app.example.org' })
  const { clock } = app
  const { db } = app.deps
  const ann = await app.account('ann')
  const tickets = () => db.selectFrom('forward_tickets').selectAll().execute()
  const hosts = () => db.selectFrom('forward_sessions').selectAll().orderBy('origin').execute()

  test('a sign-in leads back by a ticket, which begins a session at the host', async () => {
    const browser = hostBrowser()
    const pages = pageBrowser(app)
    const target = `${wiki}/pages/one?draft=1&q=a%2Fb`
    await pages.open(signInPath(target, browser))
    assert.equal(pages.heading(), 'Sign in')
    const policies = String(pages.page().headers['content-security-policy'])
    assert.match(policies, /form-action 'self' https:\/\/wiki\.example\.org;/)
    await pages.submit({ username: 'ann', password: ann.password })
    const address = pages.elsewhere() ?? ''
    assert.match(address, /^https:\/\/wiki\.example\.org\/\.gatehouse\/enter\?ticket=[\w-]{43}$/)
    const [ticket] = await tickets()
    assert.deepEqual(
      { ...ticket, session_id: '' },
      {
        id: digest(address.slice(-43)),
        session_id: '',
        origin: wiki,
        browser: browser.digest,
        return_to: target,
        expires_at: clock.now() + 10_000,
      },
    )
    const answer = await enter(app, address, browser)
    assert.deepEqual([answer.status, answer.headers.location], [303, target])
    assert.equal(
      answer.headers['set-cookie'],
      `__Host-gatehouse=${hostCookie(answer)}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    )
    assert.deepEqual(await tickets(), [])
    const [session] = await hosts()
    assert.equal(session?.id, digest(hostCookie(answer)))
    assert.equal(await whoIs(app, hostCookie(answer), wiki), 'ann')
    const told = app.log.filter(({ event }) => event === 'forward_session_created')
    assert.deepEqual(
      told.map(({ user_id, origin }) => ({ user_id, origin })),
      [{ user_id: ann.userId, origin: wiki }],
    )
  })

  test('who is signed in is not asked again, at no further host', async () => {
    const here = await atHosts(app, ann)
    const atWiki = await here.sessionAt(wiki)
    const atFiles = await here.sessionAt(files)
    assert.notEqual(atWiki, atFiles)
    assert.equal(await whoIs(app, atWiki, wiki), 'ann')
    assert.equal(await whoIs(app, atFiles, files), 'ann')
  })

  test('a later ticket for a host takes the place of the session there', async () => {
    const here = await atHosts(app, ann)
    const first = await here.sessionAt(wiki)
    const before = (await hosts()).length
    const second = await here.sessionAt(wiki)
    assert.equal((await hosts()).length, before)
    assert.equal(await whoIs(app, first, wiki), null)
    assert.equal(await whoIs(app, second, wiki), 'ann')
  })

  test('of tabs that begin at once, the later ones begin again at the page that was asked for', async () => {
    const here = await atHosts(app, ann)
    const target = `${wiki}/pages/one?a=1&b=%22%3E`
    const begin = (text: string) => /href="([^"]*)">Start over/.exec(text)?.[1]
    const refused = await enter(app, await here.ticketFor(target), hostBrowser('of the last tab'))
    assert.equal(refused.status, 400)
    assert.equal(begin(refused.text), target.replaceAll('&', '&amp;'))
    // At another host it tells nothing of the first one.
    const address = (await here.ticketFor(target)).replace(wiki, files)
    assert.equal(begin((await enter(app, address, here.browser)).text), '/')
  })

  test('activity at a host is activity of the session, and a session has one timeout', async () => {
    const here = await atHosts(app, ann)
    const atWiki = await here.sessionAt(wiki)
    clock.advance(1700)
    assert.equal(await whoIs(app, atWiki, wiki), 'ann')
    clock.advance(1700)
    const own = await app.call('GET', '/api/protected', { headers: here.headers() })
    assert.equal(own.status, 200)
    clock.advance(1700)
    assert.equal(await whoIs(app, atWiki, wiki), 'ann')
    clock.advance(1800)
    assert.equal(await whoIs(app, atWiki, wiki), null)
  })

  test('a session at a host sees the roles and the verified address of now', async () => {
    const bea = await app.account('bea')
    const here = await atHosts(app, bea)
    const secret = await here.sessionAt(wiki)
    const headers = app.basic(app.admin)
    await app.call('PUT', '/api/admin/accounts/bea', { headers, json: { roles: ['EDITOR'] } })
    const { hostSessions } = app.services
    const session = await hostSessions.resume(secret, wiki)
    assert.ok(!('ended' in session))
    assert.deepEqual(session.stored.account.roles, ['EDITOR'])
    assert.equal(session.stored.email, null)
    await db
      .updateTable('accounts')
      .set({ verified_email: 'Bea@example.org', verified_email_key: 'bea@example.org' })
      .where('user_id', '=', bea.userId)
      .execute()
    const later = await hostSessions.resume(secret, wiki)
    assert.ok(!('ended' in later))
    assert.equal(later.stored.email, 'Bea@example.org')
  })

  test('an application of REDIRECT_ORIGINS gets its browser back without a ticket', async () => {
    const pages = pageBrowser(app)
    await pages.open(signInPath('https://app.example.org/inbox', hostBrowser()))
    await pages.submit({ username: 'ann', password: ann.password })
    assert.equal(pages.elsewhere(), 'https://app.example.org/inbox')
  })

  test('the host of the service needs no ticket: its own cookie comes along', async () => {
    const here = await atHosts(app, ann)
    const target = 'https://id.example.org/tool/'
    await here.pages.open(`/signin?return_to=${encodeURIComponent(target)}`)
    assert.equal(here.pages.elsewhere(), target)
    await here.pages.open(signInPath(target, here.browser))
    assert.equal(here.pages.elsewhere(), target)
  })

  test('an address of any length and spelling that a browser is sent back to comes through', async () => {
    const here = await atHosts(app, ann)
    const start = `${wiki}/a%20b;c=d/%25/'()*!~?x[]=%2F%5C%0A&y=`
    const pages = pageBrowser(app)
    for (const target of [start, start.padEnd(2048, '%'), `${wiki}/?#top`, wiki]) {
      await here.ticketFor(target)
      assert.equal((await tickets()).at(-1)?.return_to ?? '', target)
      await db.deleteFrom('forward_tickets').execute()
    }
    await pages.open(signInPath(start.padEnd(2048, '%'), here.browser))
    await pages.submit({ username: 'ann', password: ann.password })
    assert.match(pages.elsewhere() ?? '', /^https:\/\/wiki\.example\.org\/\.gatehouse\/enter/)
    await here.pages.open(signInPath(start.padEnd(2049, '%'), here.browser))
    assert.equal(here.pages.path(), '/account')
  })

  test('another site leads to /signin: the page that looks once more keeps all of the query', async () => {
    const here = await atHosts(app, ann)
    const path = signInPath(`${wiki}/a?b=c`, here.browser, { two_factor: '1', again: '1' })
    const arrival = await here.pages.open(path, { 'sec-fetch-site': 'cross-site', cookie: '' })
    const [, url = ''] = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(arrival.text) ?? []
    const query = new URL(url.replaceAll('&amp;', '&'), 'https://id.example.org').searchParams
    assert.deepEqual(Object.fromEntries(query), {
      return_to: `${wiki}/a?b=c`,
      browser: here.browser.digest,
      two_factor: '1',
      again: '1',
      here: '1',
    })
  })

  test('another site leads to /signout: who is signed in is not told to be signed out', async () => {
    const here = await atHosts(app, ann)
    const arrival = await here.pages.open('/signout', {
      'sec-fetch-site': 'cross-site',
      cookie: '',
    })
    assert.doesNotMatch(arrival.text, /not signed in/)
    const [, url] = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(arrival.text) ?? []
    assert.equal(url, '/signout?here=1')
    // A reload of it goes on telling the browser that another site has led here.
    await here.pages.open('/signout?here=1', { 'sec-fetch-site': 'cross-site' })
    assert.equal(here.pages.heading(), 'Sign out?')
    await here.pages.submit({}, 'action="/signout"')
    assert.equal(here.pages.heading(), 'Signed out')
  })

  test('the sign-out at a host leads back to its application, and to no other address', async () => {
    const from = { 'x-forwarded-host': 'wiki.example.org', 'x-forwarded-proto': 'https' }
    const out = await app.call('GET', '/.gatehouse/signout', { headers: from })
    const address = '/signout?return_to=https%3A%2F%2Fwiki.example.org%2F'
    assert.deepEqual([out.status, out.headers.location], [303, `https://id.example.org${address}`])
    const here = await atHosts(app, ann)
    await here.pages.open(address)
    assert.match(here.pages.page().text, /<a href="https:\/\/wiki\.example\.org\/">Cancel<\/a>/)
    await here.pages.submit({}, 'action="/signout')
    assert.equal(here.pages.heading(), 'Signed out')
    const link = /<a class="button" href="([^"]*)">Back to wiki\.example\.org<\/a>/
    assert.equal(link.exec(here.pages.page().text)?.[1], `${wiki}/`)
    for (const other of [
      ...['https://evil.example/', '//evil.example/', 'https://wiki.example.org@evil.example/'],
      ...['javascript:alert(1)', 'https://wiki.example.org.evil.example/', '/account', ''],
    ]) {
      const query = new URLSearchParams({ done: '1', return_to: other })
      const { status, text } = await app.call('GET', `/signout?${query}`)
      assert.deepEqual([status, /Back to|evil|javascript:/.test(text)], [200, false], other)
    }
    const unknown = { ...from, 'x-forwarded-host': 'other.example.org' }
    const elsewhere = await app.call('GET', '/.gatehouse/signout', { headers: unknown })
    assert.equal(elsewhere.headers.location, 'https://id.example.org/signout')
  })

  test('what is below the prefix: a way to sign out, the files of pages, and nothing else', async () => {
    const out = await app.call('GET', '/.gatehouse/signout')
    assert.deepEqual([out.status, out.headers.location], [303, 'https://id.example.org/signout'])
    const refused = await enter(app, `${wiki}/.gatehouse/enter`, null)
    const [, style = ''] = /<link rel="stylesheet" href="([^"]*)"/.exec(refused.text) ?? []
    assert.match(style, /^\/\.gatehouse\/assets\/[\w-]{16}\/pages\.css$/)
    assert.equal((await app.call('GET', style)).status, 200)
    for (const path of ['/.gatehouse', '/.gatehouse/', '/.gatehouse/account', '/.gatehouse/x/y']) {
      assert.equal((await app.call('GET', path)).status, 404, path)
    }
  })

  test('tickets that were not used are deleted once they are dead', async () => {
    const here = await atHosts(app, ann)
    await db.deleteFrom('forward_tickets').execute()
    await here.ticketFor(`${wiki}/`)
    clock.advance(9.999)
    await job(app, 'forward tickets')
    assert.equal((await tickets()).length, 1)
    clock.advance(0.001)
    await job(app, 'forward tickets')
    assert.deepEqual(await tickets(), [])
  })

  test('a session has so many tickets and hosts: the oldest of more go', async () => {
    const here = await atHosts(app, ann)
    const [row] = await db
      .selectFrom('sessions')
      .select('id')
      .where('id', '=', digest(here.headers().cookie?.split('=')[1] ?? ''))
      .execute()
    const session_id = row?.id ?? ''
    await db
      .insertInto('forward_sessions')
      .values(
        Array.from({ length: 200 }, (_, n) => ({
          ...{ id: `host ${n}`, session_id, origin: `https://${n}.example.org`, created_at: n },
        })),
      )
      .execute()
    await db
      .insertInto('forward_tickets')
      .values(
        Array.from({ length: 100 }, (_, n) => ({
          ...{ id: `ticket ${n}`, session_id, origin: wiki, browser: '', return_to: wiki },
          expires_at: clock.now() + n,
        })),
      )
      .execute()
    const address = await here.ticketFor(`${wiki}/`)
    const left = (await tickets()).map(({ id }) => id)
    assert.deepEqual(
      [left.length, left.includes('ticket 0'), left.includes('ticket 1')],
      [100, false, true],
    )
    await enter(app, address, here.browser)
    const origins = (await hosts()).filter((one) => one.session_id === session_id)
    assert.equal(origins.length, 200)
    assert.ok(!origins.some(({ id }) => id === 'host 0'))
  })
})

suite('from the question of a proxy to the application and back', async () => {
  const app = await hostsApp()
  const ann = await app.account('ann')
  /** What the proxy asks about a visit of an application; `cookie` is that of the host. */
  const visit = (address: string, cookie?: string) => {
    const url = new URL(address)
    return app.call('GET', '/api/authz/forward', {
      headers: {
        ...{ accept: navigation, 'x-forwarded-proto': 'https', 'x-forwarded-host': url.host },
        ...{ 'x-forwarded-uri': url.pathname + url.search, 'x-forwarded-method': 'GET' },
        ...(cookie && { cookie }),
      },
    })
  }

  test('the sign-in, a second host without a question, and one sign-out for all', async () => {
    const pages = pageBrowser(app)
    const atHost = async (address: string, isAsked: boolean) => {
      const first = await visit(address)
      assert.equal(first.status, 302)
      const mark = `__Host-gatehouse-browser=${first.cookies['__Host-gatehouse-browser']}`
      const { origin, pathname, search } = new URL(String(first.headers.location))
      assert.equal(origin, 'https://id.example.org')
      await pages.open(pathname + search)
      if (isAsked) await pages.submit({ username: 'ann', password: ann.password })
      const entered = await enter(app, pages.elsewhere() ?? '', { header: mark })
      assert.deepEqual([entered.status, entered.headers.location], [303, address])
      const cookie = `${mark}; __Host-gatehouse=${hostCookie(entered)}`
      const second = await visit(address, `theme=dark; ${cookie}`)
      assert.equal(second.status, 200)
      assert.equal(second.headers['remote-user'], 'ann')
      assert.equal(second.headers.cookie, 'theme=dark')
      return cookie
    }
    const cookies = {
      [`${wiki}/a?b=c`]: await atHost(`${wiki}/a?b=c`, true),
      [`${files}/`]: await atHost(`${files}/`, false),
    }
    const [ofWiki = '', ofFiles = ''] = Object.values(cookies)
    // Of another host, or beside an Authorization header, it is no credential.
    assert.equal((await visit(`${files}/`, ofWiki)).status, 302)
    assert.equal((await visit(`${wiki}/`, ofFiles)).status, 302)
    const own = `JSESSIONID=${pages.cookies.get('JSESSIONID')}`
    assert.equal((await visit(`${wiki}/`, own)).status, 302)
    assert.equal(
      (await visit(`${wiki}/`, own.replace('JSESSIONID', '__Host-gatehouse'))).status,
      302,
    )
    assert.equal((await visit('https://id.example.org/tool', ofWiki)).status, 302)
    assert.equal((await visit('https://id.example.org/tool', own)).status, 200)
    await pages.open('/signout')
    await pages.submit({}, 'action="/signout"')
    for (const [address, cookie] of Object.entries(cookies)) {
      assert.equal((await visit(address, cookie)).status, 302, address)
    }
    assert.deepEqual((await app.rows()).forward_sessions, [])
  })

  test('a proxy that does not give /.gatehouse/ away: an end, and no circle of tickets', async () => {
    const here = await atHosts(app, ann)
    const secret = await here.sessionAt(wiki)
    const address = await here.ticketFor(`${wiki}/`)
    for (const cookie of [here.browser.header, `__Host-gatehouse=${secret}`]) {
      for (const at of [address, `${wiki}/.gatehouse/signout`, `${wiki}/.gatehouse/`]) {
        const answer = await visit(at, cookie)
        assertRefusal(answer, 400, 'Bad request', at)
        assert.equal(answer.headers.location, undefined)
      }
    }
    const [refusal] = app.log.filter((line) => line.reason === 'forward_own_path')
    assert.ok(refusal, JSON.stringify(app.log.at(-1)))
    assert.equal((await visit(`${wiki}/.gatehouses`)).status, 302)
  })
})

test('the session cookie has no name of a cookie at the hosts of applications', () => {
  for (const name of ['__Host-gatehouse', '__Host-gatehouse-browser']) {
    const settings = { ADMIN_PASSWORD: 'x'.repeat(20), SESSION_COOKIE_NAME: name }
    assert.throws(
      () => loadConfig(settings),
      /SESSION_COOKIE_NAME is the name of a cookie at the hosts of applications/,
    )
  }
})

/** Rules that ask for two factors send a browser to the sign-in with `two_factor=1`. */
suite('a sign-in that must have two factors', async () => {
  const baseUrl = 'https://id.example.org'
  const idp = await identityProvider(baseUrl)
  const app = await hostsApp(
    {
      ...settingsFor(idp),
      EMAIL_SIGN_IN: 'on',
      SIGN_UP: 'open',
      NODE_ENV: 'development',
    },
    { clock: clockOfToday() },
  )
  const confirmations = await confirmationsOf(app)
  const { db } = app.deps
  const amrOf = async (userId: number) =>
    (await db.selectFrom('sessions').select('amr').where('user_id', '=', userId).execute()).map(
      ({ amr }) => amr,
    )
  const two = { again: '1', two_factor: '1' }

  test('an account without a factor sets one up, and then goes on to the application', async () => {
    const dan = await app.account('dan')
    const browser = hostBrowser()
    const pages = pageBrowser(app)
    await pages.open(signInPath(`${wiki}/`, browser, two))
    await pages.submit({ username: 'dan', password: dan.password })
    const [, secret = ''] = /<code[^>]*>([A-Z2-7 ]{32,})<\/code>/.exec(pages.page().text) ?? []
    assert.ok(secret, pages.page().text)
    assert.deepEqual(await amrOf(dan.userId), [])
    await pages.submit({ totp: codeOf(app, secret.replaceAll(' ', '')) })
    assert.equal(pages.heading(), 'Your recovery codes')
    await pages.submit()
    assert.deepEqual(await amrOf(dan.userId), ['pwd otp mfa'])
    const secretAtHost = hostCookie(await enter(app, pages.elsewhere() ?? '', browser))
    const session = await app.services.hostSessions.resume(secretAtHost, wiki)
    assert.ok(!('ended' in session) && session.stored.amr.includes('mfa'))
    // With two factors already, none is asked for again, whatever the proxy thought.
    const there = ways(app, pages, browser)
    await there.pages.open(signInPath(`${files}/`, browser, two))
    assert.match(
      there.pages.elsewhere() ?? '',
      /^https:\/\/files\.example\.org\/\.gatehouse\/enter/,
    )
  })

  /** Sets up the factor that the page asks for; answers the address to which that leads. */
  async function setUp(pages: ReturnType<typeof pageBrowser>): Promise<string> {
    assert.equal(pages.heading(), 'Set up a second factor')
    const [, secret = ''] = /id="secret">([A-Z2-7 ]+)</.exec(pages.page().text) ?? []
    await pages.submit({ totp: codeOf(app, secret.replaceAll(' ', '')) })
    assert.equal(pages.heading(), 'Your recovery codes')
    await pages.submit()
    return pages.elsewhere() ?? ''
  }
  const mailed = async () => {
    const row = (await mailRows(app)).at(-1)
    return confirmations.mailed(row?.confirmation ?? '')
  }

  test('after a mailed code as well, and after the link, which leads to the application itself', async () => {
    for (const way of ['code', 'link'] as const) {
      const who = await app.account(`mail-${way}`)
      await verifyAddress(app, who, `${way}@example.org`)
      const browser = hostBrowser()
      const pages = pageBrowser(app)
      await pages.open(signInPath(`${wiki}/x`, browser, two))
      await pages.open(`${pages.form().action}&by=mail`)
      await pages.submit({ email: `${way}@example.org` })
      if (way === 'code') {
        const row = (await mailRows(app)).at(-1)
        const { code } = await confirmations.mailed(row?.confirmation ?? '')
        await pages.submit({ code: code ?? '' })
      } else {
        await pages.open(`/signin?token=${(await mailed()).token}`)
        await pages.submit()
      }
      const address = await setUp(pages)
      assert.deepEqual(await amrOf(who.userId), ['email otp mfa'])
      if (way === 'code') assert.equal((await enter(app, address, browser)).status, 303)
      // A link may be opened in another browser: the application sends that one here once more.
      else assert.equal(address, `${wiki}/x`)
    }
  })

  test('after a sign-in at a provider as well', async () => {
    idp.person = { sub: 'ina', preferred_username: 'ina', email: 'ina@example.org' }
    const browser = hostBrowser()
    const pages = pageBrowser(app)
    await pages.open(signInPath(`${wiki}/`, browser, two))
    const [, login = ''] = /href="(\/oauth\/login[^"]*)"/.exec(pages.page().text) ?? []
    const there = testBrowser(app, navigation)
    const answer = await there.open(login.replaceAll('&amp;', '&'))
    assert.match(answer.text, /<h1>Set up a second factor</)
    for (const [name, value] of there.cookies) pages.cookies.set(name, value)
    const { pathname, search } = new URL(there.seen.at(-1) ?? '', baseUrl)
    await pages.open(pathname + search)
    const address = await setUp(pages)
    assert.equal((await enter(app, address, browser)).status, 303)
    const { user_id } = await db
      .selectFrom('accounts')
      .select('user_id')
      .where('username', '=', 'ina')
      .executeTakeFirstOrThrow()
    assert.deepEqual(await amrOf(user_id), ['fed otp mfa'])
  })

  test('after a sign-up as well, whose link in another browser leads to the application itself', async () => {
    const mailbox = await mailboxOf(app)
    for (const way of ['code', 'link'] as const) {
      const browser = hostBrowser()
      const pages = pageBrowser(app)
      await pages.open(signInPath(`${wiki}/y`, browser, { two_factor: '1' }))
      const [, path = ''] = /href="(\/signup[^"]*)"/.exec(pages.page().text) ?? []
      await pages.open(path.replaceAll('&amp;', '&'))
      await pages.submit({ email: `new-${way}@example.org` })
      const { code, token } = await mailbox.newest()
      const other = way === 'code' ? pages : pageBrowser(app)
      if (way === 'code') await pages.submit({ code: code ?? '' })
      else await other.open(`/signup?token=${token}`)
      const policies = String(other.page().headers['content-security-policy'])
      assert.match(policies, /form-action 'self' https:\/\/wiki\.example\.org/)
      await other.submit(profileFields(`new-${way}`))
      const address = await setUp(other)
      if (way === 'link') assert.equal(address, `${wiki}/y`)
      else assert.equal((await enter(app, address, browser)).headers.location, `${wiki}/y`)
      app.clock.advance(61)
    }
  })

  test('who is signed in with one factor is asked, and gets no ticket before', async () => {
    const eli = await app.account('eli')
    await db.deleteFrom('forward_tickets').execute()
    const here = await atHosts(app, eli)
    await here.pages.open(signInPath(`${wiki}/`, here.browser, two))
    assert.equal(here.pages.heading(), 'Confirm that it is you')
    const path = `/signin/application?${signInPath(`${wiki}/`, here.browser, two).split('?')[1]}`
    await here.pages.open(path)
    assert.equal(here.pages.heading(), 'Confirm that it is you')
    assert.deepEqual(await db.selectFrom('forward_tickets').select('id').execute(), [])
  })
})
