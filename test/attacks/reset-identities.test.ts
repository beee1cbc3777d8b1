// A database makes a difference: a reset removes rows of several tables in one transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, type Someone, testApp } from '../app.ts'
import { confirmationsOf } from '../confirmations.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { mailRows, servicesOf, verifyAddress } from '../mail.ts'
import { waitingMails } from '../notices.ts'
import { testBrowser } from '../test-browser.ts'

const next = 'amber violin thicket, 87 of them'
const day = 86_400

suite('a reset unlinks what a copied session may have linked', async () => {
  const idp = await identityProvider()
  const settings = settingsFor(idp, { OIDC_SIGN_UP: 'on', MAIL_REQUESTS_PER_CLIENT: '0' })
  const app = await testApp(settings, { clock: clockOfToday() })
  const them = await confirmationsOf(app)
  const services = await servicesOf(app)
  const { accounts, identities } = services
  let made = 0

  const owner = async () => {
    const who = await app.account(`owner${++made}`)
    await verifyAddress(app, who, `${who.username}@example.org`)
    return who
  }
  const reset = async ({ username }: Pick<Someone, 'username'>) => {
    app.clock.advance(61)
    const json = { username }
    const { body } = await app.call('POST', '/api/public/reset', { json })
    const { token } = await them.mailed(body.id)
    const done = await app.call('PUT', '/api/public/reset', { json: { token, new_password: next } })
    assert.deepEqual([done.status, done.body], [200, { message: 'Password changed' }])
  }
  const link = async ({ userId }: Pick<Someone, 'userId'>, subject: string) => {
    const account = await accounts.byUserId(userId)
    assert.ok(account)
    await identities.link(account, { issuer: idp.issuer, subject })
    app.clock.advance(1)
  }
  const linked = async ({ userId }: Pick<Someone, 'userId'>) =>
    (await identities.of(userId)).map(({ subject }) => subject)

  test('the identity that a thief links by a copied session does not outlive the reset', async () => {
    const who = await owner()
    const session: Headers = await app.session(who)
    app.clock.advance(60)
    const thief = testBrowser(app)
    thief.cookies.set('JSESSIONID', String(session.cookie).split('=')[1] ?? '')
    idp.person = { sub: 'thief', preferred_username: 'thief', email: 'thief@evil.test' }
    const begun = await thief.call('POST', '/api/account/identities', {
      headers: { 'x-csrf-token': String(session['x-csrf-token']) },
      json: { provider: 'default', current_password: who.password },
    })
    assert.equal(begun.status, 200, begun.text)
    await thief.open(begun.body.url)
    assert.deepEqual(await linked(who), ['thief'])
    const signIn = async () => {
      const browser = testBrowser(app)
      await browser.open('/oauth/login')
      return (await browser.call('GET', '/api/session')).body.username
    }
    assert.equal(await signIn(), who.username)

    await reset(who)
    assert.deepEqual(await linked(who), [])
    assert.equal(await signIn(), 'thief') // an account of its own
    const told = (await mailRows(app)).filter(({ user_id }) => user_id === who.userId)
    assert.ok(told.some(({ message }) => message === 'identity_unlinked'))
  })

  test('what was linked before the last login with the password stays, and the notice names it', async () => {
    const who = await owner()
    await link(who, 'before')
    app.clock.advance(day)
    await app.session(who)
    app.clock.advance(1)
    await link(who, 'since')
    await reset(who)
    assert.deepEqual(await linked(who), ['before'])
    const notice = (await services.notices.of(who.userId)).find(
      ({ type }) => type === 'password_changed',
    )
    assert.deepEqual(notice?.facts.linked, ['default'])
    const mails = await waitingMails(app, services, who)
    const mail = mails.find(({ message }) => message === 'password_changed')
    assert.deepEqual(mail?.facts.linked, ['default'])
  })

  test('a login by a provider or by Basic is no login with the password', async () => {
    const who = await owner()
    await app.session(who)
    app.clock.advance(1)
    idp.person = { sub: 'mine', preferred_username: 'mine', email: 'mine@example.org' }
    await link(who, 'mine')
    await testBrowser(app).open('/oauth/login')
    await app.call('GET', '/api/protected', { headers: app.basic(who) })
    await reset(who)
    assert.deepEqual(await linked(who), [])
  })

  test('the identity that the account was made with stays, and no other without a password login', async () => {
    idp.person = { sub: 'founder', preferred_username: 'founder', email: 'founder@example.org' }
    await testBrowser(app).open('/oauth/login')
    const { body } = await app.call('GET', '/api/admin/accounts/founder', {
      headers: app.basic(app.admin),
    })
    const who = { userId: body.user_id, username: 'founder' }
    await verifyAddress(app, who, 'founder@example.org')
    await link(who, 'at once')
    app.clock.advance(day)
    await link(who, 'later')
    await reset(who)
    assert.deepEqual(await linked(who), ['founder'])
  })

  test('rows of a version before: the identity of the same time as the account made it', async () => {
    const who = await owner()
    await link(who, 'first')
    app.clock.advance(day)
    await link(who, 'second')
    await app.deps.db
      .updateTable('identities')
      .set({ made_account: null })
      .where('user_id', '=', who.userId)
      .execute()
    await reset(who)
    assert.deepEqual(await linked(who), ['first'])
  })

  test('a change of the password by its owner unlinks nothing, and its notice names all', async () => {
    const who = await owner()
    const session = await app.session(who)
    app.clock.advance(1)
    await link(who, 'kept')
    const json = { current_password: who.password, new_password: next }
    const changed = await app.call('PUT', '/api/account/password', { headers: session, json })
    assert.equal(changed.status, 200)
    assert.deepEqual(await linked(who), ['kept'])
    const [notice] = await services.notices.of(who.userId)
    assert.deepEqual([notice?.type, notice?.facts.linked], ['password_changed', ['default']])
  })
})
