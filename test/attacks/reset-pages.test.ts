// A database makes a difference: steps of flows race, and tries are counted under refusals.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, testApp } from '../app.ts'
import { confirmationsOf, newestMail, otherCode } from '../confirmations.ts'
import { countedDatabase } from '../counted-database.ts'
import { refuseChanges } from '../database.ts'
import { enrolled } from '../factor.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { formOf, pageVisitor, readPage } from '../page-forms.ts'
import { assertPage, assertRefusal } from '../refusal.ts'
import { navigation } from '../test-browser.ts'

const next = 'amber violin thicket, 87 of them'
const passwords = { new_password: next, new_password_again: next }

suite('the pages of a reset against strangers', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0' })
  const them = await confirmationsOf(app)
  let number = 0
  const victim = async () => {
    number += 1
    app.clock.advance(61)
    const who = await app.account(`victim-${number}`)
    const email = `victim-${number}@example.org`
    await verifyAddress(app, who, email)
    return { ...who, email }
  }
  const mailed = async () => (await newestMail(app, them, 'reset')) ?? assert.fail('no mail')
  const linkOf = async (username: string) => {
    await app.call('POST', '/api/public/reset', { json: { username } })
    return (await mailed()).token
  }
  const isOpen = async (token: string) => (await them.open(token, ['reset'])) !== null
  const hashes = async () => (await app.rows()).passwords

  test('4: HEAD, GET and prefetch of a link use nothing up, however often', async () => {
    const who = await victim()
    const token = await linkOf(who.username)
    const [row] = await app.deps.db
      .selectFrom('confirmations')
      .selectAll()
      .orderBy('created_at', 'desc')
      .execute()
    const before = await hashes()
    for (const page of ['reset', 'verify']) {
      for (let time = 0; time < 10; time += 1) {
        await app.call('GET', `/${page}?token=${token}`, { headers: { accept: navigation } })
      }
      for (const headers of [
        { 'sec-purpose': 'prefetch' },
        { purpose: 'preview', 'x-moz': 'prefetch' },
      ]) {
        await app.call('GET', `/${page}?token=${token}`, { headers })
      }
      assert.equal((await app.call('HEAD', `/${page}?token=${token}`)).status, 404)
    }
    const [after] = await app.deps.db
      .selectFrom('confirmations')
      .selectAll()
      .orderBy('created_at', 'desc')
      .execute()
    assert.deepEqual(after, row)
    assert.deepEqual(await hashes(), before)
    assert.ok(await isOpen(token))
    // Also one that renders the page, as scanners with a browser do.
    const scanner = pageVisitor(app)
    await scanner.open(`/reset?token=${token}`)
    await scanner.open(scanner.at())
    assert.ok(await isOpen(token))
  })

  test('2: a field that is sent as a list, or twice, names no account', async () => {
    const who = await victim()
    const visitor = pageVisitor(app)
    await visitor.open('/reset')
    const { action, hidden } = formOf(visitor.page())
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: navigation }
    const before = (await mailRows(app)).length
    const csrf = `csrf_token=${hidden.csrf_token}`
    const list = await visitor.call('POST', action, {
      headers,
      body: `${csrf}&username[]=${who.email}&username[]=evil@example.org`,
    })
    assertPage(list, 400, 'Forgot your password?')
    const json = { csrf_token: hidden.csrf_token, username: [who.email, 'evil@example.org'] }
    const array = await visitor.call('POST', action, { json, headers: { accept: navigation } })
    assertPage(array, 400, 'Forgot your password?')
    assert.equal((await mailRows(app)).length, before)
    // Of a field that is sent twice the last one counts, for the check and for the mail.
    const body = `${csrf}&username=${who.email}&username=evil@example.org`
    const twice = await visitor.call('POST', action, { headers, body })
    assert.equal(twice.status, 303)
    const rows = (await mailRows(app)).filter(({ created_at }) => created_at === app.clock.now())
    assert.deepEqual(
      rows.map(({ user_id, state }) => [user_id, state]),
      [[null, 'dropped']],
    )
  })

  test('10: a flow has five guesses, the mails of an hour bound the flows, and the link counts on', async () => {
    const who = await victim()
    const codes: string[] = []
    const owner = pageVisitor(app)
    await owner.open('/reset')
    await owner.press({ username: who.email })
    const own = (await mailed()).code
    for (let flow = 0; flow < 5; flow += 1) {
      app.clock.advance(61)
      const visitor = pageVisitor(app)
      await visitor.open('/reset')
      await visitor.press({ username: who.email })
      const { code } = await mailed()
      codes.push(code)
      for (let by = 1; by <= 5; by += 1) {
        assert.equal((await visitor.send({ code: otherCode(code, by) })).status, 400)
      }
      assert.equal((await visitor.send({ code })).status, 400) // the right one
    }
    assert.equal(new Set(codes).size, 5)
    // One more flow gets no mail, and no code counts in it.
    app.clock.advance(61)
    const late = pageVisitor(app)
    await late.open('/reset')
    await late.press({ username: who.email })
    const last = await app.deps.db
      .selectFrom('mails')
      .select(['confirmation', 'flow', 'state'])
      .where('user_id', '=', who.userId)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    assert.equal(last.state, 'dropped')
    const unmailed = await them.mailed(last.confirmation ?? '', last.flow)
    assert.equal((await late.send({ code: unmailed.code })).status, 400)
    assert.ok(await isOpen((await mailed()).token))
    // None of them has used up the code of the owner.
    assert.equal((await owner.send({ code: own })).status, 303)
  })

  test('10: a code that was mailed for another browser is none here', async () => {
    const who = await victim()
    const [owner, stranger] = [pageVisitor(app), pageVisitor(app)]
    await owner.open('/reset')
    await owner.press({ username: who.username })
    const { code } = await mailed()
    await stranger.open('/reset')
    await stranger.press({ username: who.username })
    assert.equal((await stranger.press({ code })).status, 400)
    assertPage(await owner.press({ code }), 200, 'Choose a new password')
  })

  test('15: with a second factor the password cannot be sent before it, by any form', async () => {
    const { who } = await enrolled(app, 'careful')
    await verifyAddress(app, who, 'careful@example.org')
    app.clock.advance(61)
    const token = await linkOf('careful')
    const visitor = pageVisitor(app)
    await visitor.open(`/reset?token=${token}`)
    const before = await hashes()
    for (const fields of [passwords, { ...passwords, step: 'password', totp: '' }]) {
      const answer = await visitor.send(fields)
      assertPage(answer, 401, 'Second factor')
    }
    assert.deepEqual(await hashes(), before)
    assert.ok(await isOpen(token))
  })

  test('25: no step is taken but the one at which the flow is', async () => {
    const who = await victim()
    const visitor = pageVisitor(app)
    await visitor.open('/reset')
    const before = await hashes()
    // At the question: neither a code nor a password means anything.
    assert.equal((await visitor.send({ code: '12345678', ...passwords })).status, 400)
    await visitor.press({ username: who.username })
    const stale = visitor.page()
    assert.equal((await visitor.send(passwords)).status, 400)
    assert.deepEqual(await hashes(), before)
    const { code } = await mailed()
    await visitor.press({ code })
    // A second press of the form before is taken as that of the step now.
    const { action, hidden } = formOf(stale)
    const again = await visitor.call('POST', action, {
      form: { ...hidden, code },
      headers: { accept: navigation },
    })
    assertPage(again, 400, 'Choose a new password')
    assert.deepEqual(await hashes(), before)
  })

  test('21: a link that a stranger sends names the account, and does nothing by itself', async () => {
    const attacker = await victim()
    const owner = await victim()
    const token = await linkOf(attacker.username)
    const browser = pageVisitor(app)
    const session = await app.session(owner)
    const headers = { cookie: session.cookie }
    const arrived = await browser.call('GET', `/reset?token=${token}`, { headers })
    assert.ok(!('JSESSIONID' in arrived.cookies))
    const page = await browser.open(String(arrived.headers.location))
    assert.ok(readPage(page).text.includes(attacker.username))
    assert.ok(!readPage(page).text.includes(owner.username))
    assert.equal((await app.call('GET', '/api/protected', { headers: session })).status, 200)
    assertPage(await browser.press(passwords), 200, 'Your password is changed')
    assert.ok(!browser.cookies.has('JSESSIONID'))
  })

  const pages = {
    reset: async (visitor: ReturnType<typeof pageVisitor>, username: string) => {
      await visitor.open(`/reset?token=${await linkOf(username)}`)
      return passwords
    },
    verify: async (visitor: ReturnType<typeof pageVisitor>, username: string) => {
      const account = await app.deps.db
        .selectFrom('accounts')
        .innerJoin('token_versions', 'token_versions.user_id', 'accounts.user_id')
        .select(['accounts.user_id', 'refresh_version'])
        .where('username', '=', username)
        .executeTakeFirstOrThrow()
      const address = { address: 'new@example.org', key: 'new@example.org' }
      const { id } = await them.begin({
        purpose: 'email_change',
        userId: account.user_id,
        version: account.refresh_version,
        address,
        facts: { from: `${username}@example.org` },
      })
      await visitor.open(`/verify?token=${(await them.mailed(id)).token}`)
      return {}
    },
  }
  for (const [name, arrive] of Object.entries(pages)) {
    test(`22: a form of ${name} that another page sends does nothing`, async () => {
      const who = await victim()
      const visitor = pageVisitor(app)
      const fields = await arrive(visitor, who.username)
      const before = await app.rows('refusals')
      const { hidden } = formOf(visitor.page())
      const json = { accept: 'application/json' }
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: 'null', 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site', origin: 'https://sub.localhost' },
      ]) {
        assertRefusal(await visitor.send(fields, { ...headers, ...json }), 403, 'Access denied')
      }
      for (const csrf_token of ['', 'x', `${hidden.csrf_token}x`]) {
        const answer = await visitor.send({ ...fields, csrf_token }, json)
        assertRefusal(answer, 403, 'CSRF token invalid')
      }
      // Of the same form, but in a browser without the cookie, or with one of its own.
      const other = pageVisitor(app)
      await other.open('/reset')
      const { action } = formOf(visitor.page())
      const elsewhere = await other.call('POST', action, {
        form: { ...hidden, ...fields },
        headers: json,
      })
      assertRefusal(elsewhere, 400, 'Sign-in failed')
      const without = await app.call('POST', action, {
        form: { ...hidden, ...fields },
        headers: json,
      })
      assertRefusal(without, 400, 'Sign-in failed')
      assert.deepEqual(await app.rows('refusals', 'flows'), omit(before, 'flows'))
      assert.ok((await visitor.send(fields)).status === 303)
    })
  }

  test('5: of presses at once in one browser one sets the password', async () => {
    const who = await victim()
    const visitor = pageVisitor(app)
    await visitor.open(`/reset?token=${await linkOf(who.username)}`)
    const before = app.log.length
    const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.send(passwords)))
    for (const { status, headers } of answers) {
      assert.equal(status, 303)
      assert.match(String(headers.location), /^\/reset\?(flow=|link=invalid|ended=1)/)
    }
    const told = app.log.slice(before).filter(({ event }) => event === 'password_reset')
    assert.equal(told.length, 1)
    assert.equal(
      (await app.call('POST', '/login', { json: { username: who.username, password: next } }))
        .status,
      200,
    )
  })

  test('9: a page that stood open sets no password after the account was locked', async () => {
    const who = await victim()
    const visitor = pageVisitor(app)
    await visitor.open(`/reset?token=${await linkOf(who.username)}`)
    await app.call('PUT', `/api/admin/accounts/${who.username}`, {
      headers: app.basic(app.admin),
      json: { locked: true },
    })
    const before = await hashes()
    const answer = await visitor.press(passwords)
    assert.match(readPage(answer).text, /This link is no longer valid/)
    assert.deepEqual(await hashes(), before)
  })

  for (const change of ['insert on flows', 'update on passwords', 'update on confirmations']) {
    test(`a database that refuses "${change}" leaves password, link and step as they were`, async () => {
      const who = await victim()
      const token = await linkOf(who.username)
      const visitor = pageVisitor(app)
      await visitor.open(`/reset?token=${token}`)
      const before = await hashes()
      const allow = await refuseChanges(app, change)
      const answer = await visitor.send(passwords)
      await allow()
      assert.ok(answer.status >= 500, `${answer.status}`)
      assert.deepEqual(await hashes(), before)
      assert.ok(await isOpen(token))
      assertPage(await visitor.press(passwords), 200, 'Your password is changed')
    })
  }

  test('29: no token stands in an address, a page, a cookie or the log', async () => {
    const who = await victim()
    const token = await linkOf(who.username)
    const secret = token.split('.')[1] ?? ''
    const visitor = pageVisitor(app)
    const arrived = await visitor.call('GET', `/reset?token=${token}`)
    const page = await visitor.open(String(arrived.headers.location))
    await visitor.press({ new_password: 'short', new_password_again: 'short' })
    const { code } = await mailed()
    const shown = [
      JSON.stringify([
        arrived.headers,
        arrived.text,
        page.headers,
        page.text,
        [...visitor.cookies],
      ]),
      JSON.stringify(app.log),
      JSON.stringify(await app.rows('accounts')),
    ]
    for (const text of shown) {
      for (const wrong of [token, secret, code, who.email]) assert.ok(!text.includes(wrong), wrong)
    }
    assert.equal(page.headers['referrer-policy'], 'same-origin')
  })

  test('11: other spellings of the address are no way around the route', async () => {
    for (const path of ['//reset', '/reset/', '/%72eset/', '/RESET', '/reset%2f', '/.//reset']) {
      const answer = await app.call('POST', path, { form: { username: 'ann' } })
      assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`)
    }
  })
})

suite('10: a page shows no account', async () => {
  const counted = await countedDatabase()
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0' }, counted.options)
  for (const name of ['known', 'locked', 'disabled', 'limited', 'unverified']) {
    const who = await app.account(name)
    if (name !== 'unverified') await verifyAddress(app, who, `${name}@example.org`)
  }
  const change = (name: string, json: object) =>
    app.call('PUT', `/api/admin/accounts/${name}`, { headers: app.basic(app.admin), json })
  await change('locked', { locked: true })
  await change('disabled', { active: false })
  await app.call('POST', '/api/public/reset', { json: { username: 'limited' } })

  test('in what it answers, in what follows, and in its statements', async () => {
    const looks = new Map<string, object>()
    for (const name of ['unknown', 'known', 'locked', 'disabled', 'unverified', 'limited']) {
      const visitor = pageVisitor(app)
      await visitor.open('/reset')
      const asked = await counted.during(() => visitor.send({ username: name }))
      const page = await visitor.open(String(asked.result.headers.location))
      const guess = await counted.during(() => visitor.send({ code: '00000000' }))
      const seen = ({ status, headers }: Answer) => [status, Object.keys(headers)]
      const plain = (answer: Answer) =>
        answer.text
          .replaceAll(name, 'NAME')
          .replaceAll(/flow=[\w-]+|value="[\w-]{43}"/g, '')
          .replaceAll(/<time.*?<\/time>/g, '')
      looks.set(name, {
        asked: [...seen(asked.result), asked.count],
        page: [...seen(page), plain(page)],
        guess: [...seen(guess.result), plain(guess.result), guess.count],
      })
    }
    for (const [name, look] of looks) assert.deepEqual(look, looks.get('unknown'), name)
  })
})

function omit<T extends object>(all: T, name: keyof T & string) {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key !== name))
}
