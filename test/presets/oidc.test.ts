import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import type { Json } from '../forge.ts'
import { clockOfToday } from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'
import { gitlabSite, googleSite, issuerOf, microsoftSite, settings, tenants } from './oidc-sites.ts'
import { signInAt, wayBack } from './sign-in.ts'
import { world } from './world.ts'

const options = { clock: clockOfToday() }

suite('presets of providers with ID tokens', async () => {
  const sites = await world()
  for (const site of [googleSite, gitlabSite, microsoftSite]) sites.add(site(sites))
  const app = await testApp(settings, { ...options, deps: { fetch: sites.fetch } })
  const usernameAt = async (name: string, person: Json, service = app) => {
    const { answer, browser } = await signInAt(service, sites, name, person)
    assert.equal(answer.status, 200, answer.text)
    return (await browser.call('GET', '/api/session')).body.username
  }
  const identityOf = async (username: string) => {
    const headers = app.basic(app.admin)
    const path = `/api/admin/accounts/${username}/identities`
    const [{ provider, issuer, subject }] = (await app.call('GET', path, { headers })).body
    return [provider, issuer, subject]
  }

  test('the buttons have the names of the presets', async () => {
    const page = await testBrowser(app, 'text/html').call('GET', '/signin')
    for (const label of ['Google', 'GitLab', 'Microsoft', 'Apple']) {
      assert.ok(page.text.includes(label), label)
    }
  })

  test('google: an address is verified by email_verified, and hd is no authorization', async () => {
    const person = { sub: '1', name: 'Ann', email: 'ann@gmail.com', hd: 'example.org' }
    assert.equal(await usernameAt('google', { ...person, email_verified: true }), 'ann@gmail.com')
    assert.deepEqual(await identityOf('ann@gmail.com'), [
      'google',
      'https://accounts.google.com',
      '1',
    ])
    const other = { ...person, sub: '2', email: 'b@gmail.com' }
    for (const email_verified of [false, 'true', 1, undefined]) {
      const username = await usernameAt('google', { ...other, email_verified })
      assert.notEqual(username, 'b@gmail.com')
    }
    const again = await app.call('GET', '/oauth/google/login?again=1')
    const { searchParams } = new URL(String(again.headers.location))
    assert.deepEqual([searchParams.has('prompt'), searchParams.has('max_age')], [false, false])
  })

  test('a name in the callback counts for nothing where the provider posts none', async () => {
    const person = { sub: '9', email: 'nameless@example.org', email_verified: true }
    const browser = testBrowser(app)
    const begun = await browser.call('GET', '/oauth/google/login')
    const back = wayBack(sites, String(begun.headers.location), person)
    assert.equal((await browser.call('GET', `${back}&name=The+Director`)).status, 200)
    const { body } = await browser.call('GET', '/api/session')
    const headers = app.basic(app.admin)
    const made = await app.call('GET', `/users/${body.user_id}`, { headers })
    assert.equal(made.body.name, person.email)
  })

  test('gitlab: one of our own, by its address', async () => {
    const person = { sub: '5', preferred_username: 'gitter', email: 'g@example.org' }
    assert.equal(await usernameAt('git', { ...person, email_verified: true }), 'gitter')
    assert.deepEqual(await identityOf('gitter'), ['git', 'https://git.example.org', '5'])
  })

  test('microsoft: the issuer is that of the directory, and an address is verified by xms_edov', async () => {
    const of = (tenant: string, more: Json = {}): Json => ({
      iss: issuerOf(tenant),
      tid: tenant,
      sub: `m-${tenant}`,
      name: 'Mia',
      email: `mia@${tenant.slice(0, 4)}.example`,
      email_verified: true,
      ...more,
    })
    assert.notEqual(await usernameAt('work', of(tenants.ours)), 'mia@7d1e.example')
    const proven = of(tenants.partner, { xms_edov: true })
    assert.equal(await usernameAt('work', proven), 'mia@1111.example')
    assert.deepEqual(await identityOf('mia@1111.example'), [
      'work',
      issuerOf(tenants.partner),
      `m-${tenants.partner}`,
    ])
  })

  test('microsoft: another directory, or one that the token only claims, signs no one in', async () => {
    const { ours, stranger } = tenants
    const person = { sub: 'x', email: 'x@example.org', preferred_username: 'x' }
    const before = await app.rows('flows')
    const hostile: readonly Json[] = [
      { iss: issuerOf(stranger), tid: stranger },
      { iss: issuerOf(stranger), tid: ours },
      { iss: issuerOf(ours), tid: stranger },
      { iss: issuerOf(ours) },
      { iss: issuerOf(ours), tid: '' },
      { iss: issuerOf(ours), tid: [ours] },
      { iss: issuerOf('{tenantid}'), tid: '{tenantid}' },
      { iss: issuerOf('common'), tid: 'common' },
      { iss: issuerOf(`${ours}/x`), tid: `${ours}/x` },
      { iss: issuerOf(ours.toUpperCase()), tid: ours.toUpperCase() },
    ]
    for (const claims of hostile) {
      const { answer, browser } = await signInAt(app, sites, 'work', { ...person, ...claims })
      assertRefusal(answer, 502, 'Identity provider error', JSON.stringify(claims))
      assert.equal(browser.cookies.has('JSESSIONID'), false)
    }
    assert.deepEqual(await app.rows('flows'), before)
  })

  test('microsoft: a key of one directory signs for no other', async () => {
    const others = await world()
    others.add(microsoftSite(others, { issuer: issuerOf(tenants.stranger) }))
    const service = await testApp(settings, { ...options, deps: { fetch: others.fetch } })
    const person = {
      iss: issuerOf(tenants.ours),
      tid: tenants.ours,
      sub: 'x',
      email: 'x@example.org',
    }
    const { answer } = await signInAt(service, others, 'work', person)
    assertRefusal(answer, 502, 'Identity provider error')
  })

  test('microsoft: with any directory the roles of a token give nothing', async () => {
    const any = { ...settings, OIDC_WORK_TENANTS: 'any' }
    const { stranger } = tenants
    const of = { iss: issuerOf(stranger), tid: stranger, email: 's@example.org', roles: ['ADMIN'] }
    const open = await testApp(any, { ...options, deps: { fetch: sites.fetch } })
    const { browser } = await signInAt(open, sites, 'work', { ...of, sub: 's' })
    assert.deepEqual((await browser.call('GET', '/api/session')).body.roles, ['USER'])
    const listed = await testApp(
      { ...settings, OIDC_WORK_TENANTS: stranger },
      { ...options, deps: { fetch: sites.fetch } },
    )
    const trusted = await signInAt(listed, sites, 'work', { ...of, sub: 's' })
    assert.deepEqual((await trusted.browser.call('GET', '/api/session')).body.roles, ['ADMIN'])
  })
})
