// A database makes a difference: what a refused sign-in leaves.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import type { Json } from '../forge.ts'
import { clockOfToday } from '../identity-provider.ts'
import { discordSite, githubSite, settings, wikiSite } from '../presets/oauth2-sites.ts'
import { signInAt, wayBack } from '../presets/sign-in.ts'
import { type Reply, world } from '../presets/world.ts'
import { assertRefusal } from '../refusal.ts'
import { observed, standingTime } from '../standing-time.ts'
import { testBrowser } from '../test-browser.ts'
import { until } from '../until.ts'

const wrong = [502, 'Identity provider error'] as const
const away = [503, 'Service unavailable'] as const
const failed = [400, 'Sign-in failed'] as const
const denied = [403, 'Access denied'] as const

const address = (email: unknown, more: Json = {}) => ({
  email,
  primary: true,
  verified: true,
  ...more,
})
const ann = { login: 'ann', id: 1, addresses: [address('ann@example.org')] }
const zoe = { id: '80351110224678912', username: 'zoe', email: 'z@example.org', verified: true }
const eve = { id: 7, nick: 'eve', mail: 'eve@example.org' }
const json =
  (value: unknown, status = 200): Reply =>
  () => ({ status, json: value })

suite('T83: providers without ID tokens that answer anything', async () => {
  const sites = await world()
  for (const site of [githubSite, discordSite, wikiSite]) sites.add(site(sites))
  const options = { clock: clockOfToday(), deps: { fetch: sites.fetch } }
  const app = await testApp(settings, options)
  const victim = await app.account('victim@example.org')

  async function refused(
    name: string,
    person: Json,
    [status, error]: readonly [number, string],
    about: string,
  ) {
    const before = await app.rows('flows')
    const { answer, browser } = await signInAt(app, sites, name, person)
    assertRefusal(answer, status, error, about)
    assert.equal(browser.cookies.has('JSESSIONID'), false, about)
    assert.deepEqual(await app.rows('flows'), before, about)
  }

  test('a subject that is missing, 0, negative, a fraction, too large, a text or an object', async () => {
    const unsafe = [undefined, null, 0, -1, 1.5, 2 ** 53, true, {}, [], [7], '']
    for (const id of [...unsafe, '1', 'ann']) {
      await refused('hub', { ...ann, id }, wrong, `GitHub ${JSON.stringify(id)}`)
    }
    for (const id of [...unsafe, 7, '0', '07', '1e3', '1'.repeat(21), 'zoe']) {
      await refused('chat', { ...zoe, id }, wrong, `Discord ${JSON.stringify(id)}`)
    }
    for (const id of [...unsafe, '0', 'x'.repeat(256), 'a\0', '\ud800']) {
      await refused('wiki', { ...eve, id }, wrong, `wiki ${JSON.stringify(id)}`)
    }
  })

  test('without an address, or with an unverified one, no account is made', async () => {
    const lists = [
      [],
      [address('a@example.org', { verified: false })],
      [address('a@example.org', { primary: false })],
      [address('a@example.org', { verified: 'true' })],
      [address('a@example.org', { primary: 1 })],
      [address(null)],
      [address({})],
      [address('nowhere')],
      [null, 7, 'a@example.org', []],
    ]
    for (const addresses of lists) {
      const about = JSON.stringify(addresses)
      await refused('hub', { ...ann, email: 'public@example.org', addresses }, denied, about)
    }
    for (const more of [{ verified: false }, { verified: 'true' }, { email: null }, { email: 7 }]) {
      await refused('chat', { ...zoe, ...more }, denied, JSON.stringify(more))
    }
    await refused('wiki', { ...eve, mail: undefined }, denied, 'wiki')
  })

  test("with another person's address a new account is made, and theirs is not touched", async () => {
    const email = 'victim@example.org'
    const people: readonly [string, Json][] = [
      ['hub', { ...ann, id: 666, login: email, addresses: [address(email)] }],
      ['chat', { ...zoe, id: '666', username: email, email }],
      ['wiki', { ...eve, id: 666, nick: email, mail: email }],
    ]
    for (const [name, person] of people) {
      const { browser } = await signInAt(app, sites, name, person)
      const { body } = await browser.call('GET', '/api/session')
      assert.notEqual(Number(body.user_id), victim.userId, name)
      assert.notEqual(body.username, victim.username, name)
    }
    const headers = app.basic(app.admin)
    const path = `/api/admin/accounts/${encodeURIComponent(victim.username)}/identities`
    assert.deepEqual((await app.call('GET', path, { headers })).body, [])
  })

  test('one id at two providers is two people', async () => {
    const of = (nick: string) => ({ ...eve, id: '424242', nick, mail: 'n@example.org' })
    const first = await signInAt(app, sites, 'wiki', of('nina'))
    const second = await signInAt(app, sites, 'hub', {
      ...ann,
      id: 424242,
      login: 'nora',
    })
    for (const [{ browser }, name] of [[first, 'nina'] as const, [second, 'nora'] as const]) {
      assert.equal((await browser.call('GET', '/api/session')).body.username, name)
    }
  })

  const token = 'github.com/login/oauth/access_token'
  const [user, emails] = ['api.github.com/user', 'api.github.com/user/emails']
  const endless: Reply = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    }
    response.on('drain', more)
    more()
    return undefined
  }
  const raw =
    (text: string, type = 'application/json', status = 200): Reply =>
    (_, response) => {
      response.writeHead(status, { 'content-type': type, location: 'https://api.github.com/user' })
      response.end(text)
      return undefined
    }
  const bearer = (more: Json) => json({ access_token: 'a', token_type: 'bearer', ...more })
  const cases: readonly [string, Reply, readonly [number, string]][] = [
    [token, json({ error: 'bad_verification_code' }), failed],
    [token, json({ error: 'incorrect_client_credentials' }), wrong],
    [token, json({ error: { nested: true } }), wrong],
    [token, json({}), wrong],
    [token, json([]), wrong],
    [token, json(null), wrong],
    [token, bearer({ access_token: 7 }), wrong],
    [token, bearer({ token_type: 'mac' }), wrong],
    [token, bearer({ error: 'bad_verification_code' }), failed],
    [token, raw('access_token=a&token_type=bearer', 'application/x-www-form-urlencoded'), wrong],
    [token, raw('<html>'), wrong],
    [token, raw('', 'text/plain', 302), wrong],
    [token, raw('{}', 'application/json', 500), away],
    [token, endless, wrong],
    [user, json({ message: 'Bad credentials' }, 401), wrong],
    [user, json([{ id: 1 }]), wrong],
    [user, json(null), wrong],
    [user, json('1'), wrong],
    [user, raw('{"id":1'), wrong],
    [user, raw('{"id":1,"id":{}}'), wrong],
    [user, raw('<html>', 'text/html'), wrong],
    [user, raw('', 'text/plain', 301), wrong],
    [user, raw('{}', 'application/json', 503), away],
    [user, raw('{}', 'application/json', 429), away],
    [user, endless, wrong],
    [user, (_, response) => void response.destroy(), away],
    [emails, json({ message: 'Not Found' }, 404), wrong],
    [emails, json({ email: 'a@example.org', primary: true, verified: true }), wrong],
    [emails, raw('{}', 'application/json', 502), away],
    [emails, raw('', 'text/plain', 302), wrong],
    [emails, endless, wrong],
  ]
  for (const [index, [path, reply, expected]] of cases.entries()) {
    test(`answer ${index} of ${path} is refused with ${expected[0]}`, async () => {
      sites.instead.set(path, reply)
      await refused('hub', { ...ann, id: 5000 }, expected, path)
      sites.instead.delete(path)
    })
  }

  test('an API that never answers is given up in time', async (t) => {
    const before = await app.rows('flows')
    sites.instead.set(user, () => undefined)
    sites.asked.length = 0
    const browser = testBrowser(app)
    const begun = await browser.call('GET', '/oauth/hub/login')
    const back = wayBack(sites, String(begun.headers.location), ann)
    const time = standingTime(t)
    const call = browser.call('GET', back)
    const asking = observed(call)
    await until(() => sites.asked.includes(user))
    assert.equal(asking.outcome, undefined)
    await time.pass(2400)
    await until(() => asking.outcome !== undefined)
    sites.instead.delete(user)
    const answer = await call
    assertRefusal(answer, ...away)
    assert.equal(answer.headers['retry-after'], '5')
    assert.deepEqual(await app.rows('flows'), before)
  })

  test('a redirect of the API is not followed, and its token is sent nowhere else', async () => {
    sites.asked.length = 0
    sites.instead.set(user, (_, response) => {
      response.writeHead(302, { location: 'https://evil.example/take' }).end()
      return undefined
    })
    await refused('hub', ann, wrong, 'redirect')
    sites.instead.delete(user)
    assert.deepEqual(sites.asked, [token, user])
  })

  test('the callback of another provider, browser, state or issuer', async () => {
    const begin = async () => {
      const browser = testBrowser(app)
      const begun = await browser.call('GET', '/oauth/hub/login')
      return { browser, back: wayBack(sites, String(begun.headers.location), ann) }
    }
    const before = await app.rows('flows')
    const one = await begin()
    const atOther = one.back.replace('/hub/', '/chat/')
    assertRefusal(await one.browser.call('GET', atOther), ...failed)
    assertRefusal(await testBrowser(app).call('GET', one.back), ...failed)
    const two = await begin()
    const unknown = two.back.replace(/state=[^&]+/, `state=${'s'.repeat(43)}`)
    assertRefusal(await two.browser.call('GET', unknown), ...failed)
    const three = await begin()
    const mixed = three.back.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example')
    assertRefusal(await three.browser.call('GET', mixed), ...failed)
    const four = await begin()
    assert.equal((await four.browser.call('GET', four.back)).status, 200)
    const made = await app.rows('flows')
    assertRefusal(await four.browser.call('GET', four.back), ...failed)
    assert.deepEqual(await app.rows('flows'), made)
    assert.notDeepEqual(made, before, 'the fourth has signed in')
  })

  test('a code of another sign-in does not fit the verifier', async () => {
    const [one, two] = [testBrowser(app), testBrowser(app)]
    const begun = await one.call('GET', '/oauth/hub/login')
    const stolen = wayBack(sites, String(begun.headers.location), { ...ann, id: 31 })
    const own = await two.call('GET', '/oauth/hub/login')
    const back = wayBack(sites, String(own.headers.location), ann)
    const code = new URLSearchParams(stolen.split('?')[1]).get('code') ?? ''
    const before = await app.rows('flows')
    assertRefusal(await two.call('GET', back.replace(/code=[^&]+/, `code=${code}`)), ...failed)
    assert.deepEqual(await app.rows('flows'), before)
  })

  test('an identity that is linked to another account is not moved', async () => {
    await signInAt(app, sites, 'hub', { ...ann, id: 77, login: 'gus' })
    const thief = await app.account('thief')
    const headers = app.basic(thief)
    const browser = testBrowser(app)
    const begun = await browser.call('POST', '/api/account/identities', {
      headers,
      json: { provider: 'hub' },
    })
    const back = wayBack(sites, begun.body.url, { ...ann, id: 77 })
    assertRefusal(await browser.call('GET', back), 409, 'Identity already linked')
    assert.deepEqual((await app.call('GET', '/api/account/identities', { headers })).body, [])
  })

  test('a claim named like a method of an object is none', async () => {
    const named = { ...settings, OIDC_WIKI_SUBJECT_FIELD: 'query.me.constructor.name' }
    const service = await testApp(named, options)
    const { answer } = await signInAt(service, sites, 'wiki', eve)
    assertRefusal(answer, ...wrong)
  })

  test('a person of names that are too long or no text', async () => {
    const odd = { login: 'x'.repeat(5000), name: 'n'.repeat(5000) }
    const one = await signInAt(app, sites, 'hub', { ...ann, id: 88, ...odd })
    assert.equal(one.answer.status, 200, one.answer.text)
    const shapes = { login: { a: 1 }, name: ['x'] }
    const two = await signInAt(app, sites, 'hub', { ...ann, id: 89, ...shapes })
    assert.equal(two.answer.status, 200, two.answer.text)
    const { body } = await two.browser.call('GET', '/api/session')
    assert.ok(body.username)
  })
})
