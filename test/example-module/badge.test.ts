// A database makes a difference: a sign-in takes its steps in transactions, and ends a badge by its row.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { languages } from '../../src/core/lib/languages.ts'
import { createServiceMaker } from '../../src/core/module/make.ts'
import { render as renderMail } from '../../src/extras/mail/messages/render.ts'
import { modules as ours } from '../../src/modules.ts'
import { passwordOf, type Someone, testApp } from '../app.ts'
import { enrol } from '../factor.ts'
import { verifyAddress } from '../mail.ts'
import { waitingMails } from '../notices.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'
import { shownExamples } from '../page-examples.ts'
import { assertPage, assertRefusal } from '../refusal.ts'
import { moreIn, totalsOf } from '../statistics.ts'
import { builtPagesOf } from './built-pages.ts'
import { module } from './module.ts'

const modules = [...ours, module]

suite('a way to sign in from outside', async () => {
  const builtPages = await builtPagesOf(modules)
  const settings = { LOGIN_IP_ATTEMPTS: '0', BASE_URL: 'https://id.example.org' }
  const app = await testApp(settings, { modules, builtPages })
  const services = await (await createServiceMaker(app.deps, { modules })).all()
  const admin = app.basic(app.admin)
  const sessionName = app.deps.config.session.cookieName
  const sessionsOf = ({ userId }: Someone) =>
    app.deps.db.selectFrom('sessions').select(['id', 'amr']).where('user_id', '=', userId).execute()
  const eventsOf = (name: string, { userId }: Someone) =>
    app.log.filter(({ event, user_id }) => event === name && user_id === userId)

  const signedIn = async (who: Someone) => {
    const browser = pageBrowser(app)
    await browser.open('/signin')
    await browser.submit({ username: who.username, password: who.password })
    assert.equal(browser.path(), '/account')
    return browser
  }
  /** Makes a badge on the page of the own account; answers its words. */
  const badgeOf = async (who: Someone, browser?: PageBrowser): Promise<string> => {
    const own = browser ?? (await signedIn(who))
    await own.open('/account/badge')
    await own.submit({}, '/account/badge/make')
    assert.match(own.path(), /^\/account\/confirm\?flow=/)
    assert.match(own.page().text, /You want to make a badge\..*href="\/account\/badge">Cancel/s)
    await own.submit({ current_password: passwordOf(who.username) })
    assertPage(own.page(), 200, 'Your badge')
    return /<code id="words">([\w-]{22})<\/code>/.exec(own.page().text)?.[1] ?? assert.fail()
  }
  const at = async (fields: Record<string, string>, path = '/signin?by=badge') => {
    const browser = pageBrowser(app)
    await browser.open(path)
    assert.equal(browser.heading(), 'Sign in with a badge')
    await browser.submit(fields)
    return browser
  }
  const withBadge = async (username: string) => {
    const who = await app.account(username)
    return { who, badge: await badgeOf(who) }
  }

  test('its link is on the first page, and its page loads its script', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin')
    const [, link = ''] =
      /<a class="button quiet" href="([^"]*)">Sign in with a badge/.exec(browser.page().text) ?? []
    assert.match(link, /^\/signin\?flow=[^&]*&amp;by=badge$/)
    assert.ok(!browser.page().text.includes('/notes.js'), 'the first page loads no script more')
    await browser.open(link.replace('&amp;', '&'))
    assertPage(browser.page(), 200, 'Sign in with a badge')
    const [, script = ''] = /src="([^"]*\/notes\.js)"/.exec(browser.page().text) ?? []
    const served = await app.call('GET', script)
    assert.deepEqual(
      [served.status, served.headers['content-type'], served.headers['cache-control']],
      [200, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    )
    assert.equal(served.text, readFileSync(new URL('client/notes.js', builtPages), 'utf8'))
    await browser.open('/signin?by=badge', { 'accept-language': 'de' })
    assert.equal(browser.heading(), 'Mit einem Ausweis anmelden')
  })

  test('a badge is made with a proof of the person, shown once, and stored as a digest', async () => {
    const ann = await app.account('ann')
    const browser = await signedIn(ann)
    const row = /Badge<span class="muted">none<\/span>/
    assert.match((await browser.open('/account')).text, row)
    const badge = await badgeOf(ann, browser)
    assert.ok(browser.page().text.includes(`https://id.example.org/signin?by=badge#ann:${badge}`))
    assert.equal(eventsOf('note_badge_made', ann).length, 1)
    const stored = JSON.stringify(await app.rows())
    assert.ok(stored.includes('"words":'))
    assert.ok(!stored.includes(badge) && !JSON.stringify(app.log).includes(badge))
    assert.match((await browser.open('/account')).text, /Badge<span class="muted">one<\/span>/)
    await browser.open('/account/badge')
    assert.ok(!browser.page().text.includes(badge))
  })

  test('its owner is told by mail and on a page, in the words of its event', async () => {
    const kim = await app.account('kim')
    await verifyAddress(app, kim, 'kim@example.org', 'en')
    const browser = await signedIn(kim)
    await badgeOf(kim, browser)
    const [mail, ...more] = (await waitingMails(app, services, kim)).filter(
      ({ message }) => message !== 'verification',
    )
    assert.deepEqual(more, [])
    assert.deepEqual(
      [mail?.message, mail?.address, mail?.facts.words],
      ['account_event', 'kim@example.org', { en: 'Badge made', de: 'Ausweis erstellt' }],
    )
    const rendered = renderMail('account_event', mail?.facts as never, 'de', {
      name: 'Gatehouse',
      baseUrl: 'https://id.example.org',
    })
    assert.match(rendered.text, /^ +Änderung: Ausweis erstellt$/m)
    const headers = { cookie: `${sessionName}=${browser.cookies.get(sessionName)}` }
    const { body } = await app.call('GET', '/api/account/notices', { headers })
    assert.deepEqual([body[0].type, body[0].facts.event], ['account_event', 'note_badge_made'])
    await browser.open('/account/notices')
    assert.match(browser.page().text, />Badge made</)
  })

  test('the series of the logins count it as a method of its own', async () => {
    const headers = await app.bearer(app.admin)
    const { badge } = await withBadge('lea')
    const before = await totalsOf(app, headers)
    await at({ username: 'lea', badge })
    await at({ username: 'lea', badge: 'wrong' })
    const more = moreIn(before, await totalsOf(app, headers))
    assert.deepEqual([more['logins badge success'], more['logins badge refused']], [1, 1])
    assert.equal(more['logins password refused'], undefined)
  })

  test('it signs in, leads back, and says how', async () => {
    const { who, badge } = await withBadge('bob')
    const before = await sessionsOf(who)
    const path = '/signin?by=badge&return_to=/users'
    const browser = await at({ username: ' BOB ', badge }, path)
    assert.equal(browser.path(), '/users')
    assert.ok(browser.cookies.has(sessionName))
    const added = (await sessionsOf(who)).filter(({ id }) => before.every((one) => one.id !== id))
    assert.deepEqual(
      added.map(({ amr }) => amr),
      ['x-badge'],
    )
    const successes = eventsOf('authn_login_success', who)
    assert.equal(successes.length, 2)
  })

  test('whatever is wrong, it is refused in the same words, and no one is signed in', async () => {
    const { who, badge } = await withBadge('cleo')
    const other = await withBadge('carl')
    const texts = new Set<string>()
    const before = await app.rows('throttle_places', 'accounts')
    for (const sent of [
      { username: 'cleo', badge: '' },
      { username: 'cleo', badge: badge.toLowerCase() },
      { username: 'cleo', badge: other.badge },
      { username: 'cleo', badge: 'x'.repeat(8000) },
    ]) {
      const browser = await at(sent)
      assertPage(browser.page(), 401, 'Sign in with a badge')
      assert.equal(browser.form('name="badge"').fields.badge, '')
      assert.equal(browser.cookies.has(sessionName), false)
      texts.add(/id="problem".*?<\/div>/s.exec(browser.page().text)?.[0] ?? '')
    }
    for (const username of ['nobody', '', '\u0000', 'admin']) {
      const browser = await at({ username, badge })
      assertPage(browser.page(), 401, 'Sign in with a badge')
      texts.add(/id="problem".*?<\/div>/s.exec(browser.page().text)?.[0] ?? '')
    }
    assert.equal(texts.size, 1)
    assert.match([...texts][0] ?? '', /Username and words do not belong together/)
    assert.deepEqual(await app.rows('throttle_places', 'accounts'), before)
    assert.equal(eventsOf('authn_login_success', who).length, 1)
  })

  test('an operator is told why, and the limits of a login count it', async () => {
    const { who, badge } = await withBadge('dora')
    const wrong = await at({ username: 'dora', badge: 'wrong' })
    const id = wrong.page().headers['x-request-id']
    const { body } = await app.call('GET', `/api/admin/explain/${id}`, { headers: admin })
    assert.deepEqual([body.code, body.guard], ['x-note-badge-wrong', 'credential'])
    for (let tries = 0; tries < 4; tries += 1) await at({ username: 'dora', badge: 'wrong' })
    const blocked = await at({ username: 'dora', badge })
    assertPage(blocked.page(), 429, 'Sign in with a badge')
    assert.match(blocked.page().text, /too many attempts/)
    assertRefusal(
      await app.call('POST', '/login', { json: { username: 'dora', password: who.password } }),
      429,
      'Too many login attempts',
    )
  })

  test('the second factor is asked for as after a password', async () => {
    const { who, badge } = await withBadge('eve')
    const device = await enrol(app, await app.session(who))
    app.clock.advance(30)
    const browser = await at({ username: 'eve', badge: await badgeOfNow() })
    assert.equal(browser.heading(), 'Second factor')
    assert.deepEqual(await sessionsOf(who), [])
    await browser.submit({ totp: '000000' })
    assert.equal(browser.page().status, 401)
    await browser.submit({ totp: device.code() })
    assert.equal(browser.path(), '/account')
    assert.deepEqual(
      (await sessionsOf(who)).map(({ amr }) => amr),
      ['x-badge otp mfa'],
    )

    async function badgeOfNow() {
      const { deps } = app
      await deps.db.deleteFrom('sessions').where('user_id', '=', who.userId).execute()
      return badge
    }
  })

  test('its kind of factor has a field where a second factor is asked for', async () => {
    const { who, badge } = await withBadge('nell')
    const note = { name: 'On the fridge', code: 'seven blue geese' }
    const json = { ...note, current_password: who.password }
    const headers = await app.session(who)
    assert.equal((await app.call('POST', '/api/note-factors', { headers, json })).status, 201)
    const browser = await at({ username: 'nell', badge })
    assert.equal(browser.heading(), 'Second factor')
    assert.deepEqual(fieldsOf(browser), ['note_code', 'recovery_code'])
    const before = await sessionsOf(who)
    await browser.submit({ note_code: 'six' })
    assertPage(browser.page(), 401, 'Second factor')
    assert.deepEqual(await sessionsOf(who), before)
    await browser.submit({ note_code: note.code })
    assert.equal(browser.path(), '/account')
    const amrs = (await sessionsOf(who)).map(({ amr }) => amr)
    assert.ok(amrs.includes('x-badge hwk mfa'), String(amrs))

    await browser.open('/account/badge')
    await browser.submit({}, '/account/badge/make')
    assert.deepEqual(fieldsOf(browser), ['current_password', 'note_code', 'recovery_code'])
    await browser.submit({ current_password: who.password, note_code: 'six' })
    assertPage(browser.page(), 401, 'Confirm that it is you')
    await browser.submit({ current_password: who.password, note_code: note.code })
    assertPage(browser.page(), 200, 'Your badge')

    function fieldsOf(page: PageBrowser) {
      const { fields } = page.form()
      return Object.keys(fields).filter((name) => !['csrf_token', 'username'].includes(name))
    }
  })

  test('the requirements of a login hold: a lock, a disabling, a new password that is due', async () => {
    const { who, badge } = await withBadge('fred')
    const change = async (json: object) => {
      const path = '/api/admin/accounts/fred'
      assert.equal((await app.call('PUT', path, { headers: admin, json })).status, 200)
    }
    for (const [flag, refuses] of [
      ['locked', true],
      ['active', false],
    ] as const) {
      await change({ [flag]: refuses })
      assertPage((await at({ username: 'fred', badge })).page(), 401, 'Sign in with a badge')
      await change({ [flag]: !refuses })
    }
    const { db } = app.deps
    await db
      .updateTable('passwords')
      .set({ must_change: 1 })
      .where('account', '=', who.userId)
      .execute()
    const due = await at({ username: 'fred', badge })
    assert.equal(due.heading(), 'Choose a new password')
    assert.equal(due.cookies.has(sessionName), false)
  })

  test('a removed badge, and one that was replaced, sign in no more', async () => {
    const gina = await app.account('gina')
    const browser = await signedIn(gina)
    const old = await badgeOf(gina, browser)
    const now = await badgeOf(gina, browser)
    assertPage((await at({ username: 'gina', badge: old })).page(), 401, 'Sign in with a badge')
    await browser.open('/account/badge')
    await browser.submit({}, '/account/badge/remove')
    assert.match(browser.page().text, /The badge was removed/)
    assert.equal(eventsOf('note_badge_removed', gina).length, 1)
    assertPage((await at({ username: 'gina', badge: now })).page(), 401, 'Sign in with a badge')
  })

  test('a badge that goes between its proof and the commit signs in no one', async () => {
    const { who, badge } = await withBadge('hal')
    const { badges } = services
    await badges.remove(who.userId, undefined)
    await assert.rejects(
      app.deps.db.transaction().execute((trx) => badges.use(trx, who.userId, badge)),
      { message: 'Invalid credentials' },
    )
  })

  test('a badge ends with the keys of the account, and stays after a new password of the owner', async () => {
    const { badge } = await withBadge('ida')
    const ended = { headers: admin, json: {} }
    const password = `another ${passwordOf('ida')}`
    const put = await app.call('PUT', '/api/admin/accounts/ida', {
      headers: admin,
      json: { password },
    })
    assert.equal(put.status, 200)
    const browser = await at({ username: 'ida', badge })
    assert.ok(browser.cookies.has(sessionName))
    const end = await app.call('DELETE', '/api/admin/accounts/ida/sessions', ended)
    assert.ok(end.status < 300, end.text)
  })

  test('who must show that it is the same person is not offered it', async () => {
    const jim = await app.account('jim')
    const browser = await signedIn(jim)
    const badge = await badgeOf(jim, browser)
    await browser.open('/signin?again=1')
    assert.ok(!browser.page().text.includes('by=badge'))
    const before = await sessionsOf(jim)
    await browser.submit({ by: 'badge', badge })
    assert.equal(browser.page().status, 401)
    assert.deepEqual(await sessionsOf(jim), before)
  })

  test('its pages have all texts in each language', async () => {
    const shown = await shownExamples(module.web, builtPages)
    assert.equal(shown.length, 9 * languages.length)
    for (const { name, example, language, text } of shown) {
      assert.ok(!/undefined|\[object/.test(text), `${name}, ${example}, ${language}`)
      assert.ok(text.includes(`<html lang="${language}">`))
    }
  })

  test('a program that was built without the module has none of its pages', async () => {
    const own = await builtPagesOf(ours)
    await assert.rejects(shownExamples(module.web, own))
    assert.throws(() => readFileSync(new URL('client/notes.js', own)), { code: 'ENOENT' })
  })
})
