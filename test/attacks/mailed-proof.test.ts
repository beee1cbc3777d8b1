// A database makes a difference: a proof is a row that each step compares and sets.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { enrol } from '../factor.ts'
import { servicesOf, verifyAddress } from '../mail.ts'
import { headersOf } from '../proofs.ts'
import { assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'

suite('an account without a password and without a provider', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0' })
  const { db } = app.deps
  const { confirmations } = await servicesOf(app)
  let made = 0

  /** A person with a mailbox, who is signed in; the password is gone since. */
  async function person(hasFactor = false) {
    const who = await app.account(`mailbox${++made}`)
    await verifyAddress(app, who, `${who.username}@example.org`)
    const session = await app.session(who)
    const device = hasFactor ? await enrol(app, session) : undefined
    if (device) app.clock.advance(30)
    await db.deleteFrom('passwords').where('account', '=', who.userId).execute()
    const browser = testBrowser(app, 'text/html')
    const [name = '', value = ''] = session.cookie.split('=')
    browser.cookies.set(name, value)
    const send = (path: string, form: Record<string, string>) =>
      browser.call('POST', path, { form: { csrf_token: session['x-csrf-token'], ...form } })
    return { who, session, device, browser, send }
  }

  /** The code of the mail that was sent last to an account. */
  async function mailedCode(userId: number): Promise<string> {
    const row = await db
      .selectFrom('confirmations')
      .select('id')
      .where('user_id', '=', userId)
      .where('purpose', '=', 'proof')
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow()
    return (await confirmations.secretsOf(row.id, null))?.code ?? ''
  }

  test('a mailed code goes on with the form that has asked', async () => {
    const { who, browser, send } = await person()
    const asked = await send('/account/second-factor/set-up', {})
    const confirm = String(asked.headers.location)
    assert.match(`${asked.status} ${confirm}`, /^303 \/account\/confirm\?flow=/)
    assert.equal((await send(confirm, { by: 'mail' })).status, 303)
    assert.match((await browser.call('GET', confirm)).text, /name="code"/)
    const done = await send(confirm, { code: await mailedCode(who.userId) })
    assert.match(
      `${done.status} ${done.headers.location}`,
      /^303 \/account\/second-factor\/set-up\?flow=/,
      done.text,
    )
  })
  test('a mailed code counts once, and a wrong code of the app beside it keeps it', async () => {
    const { who, device, send } = await person(true)
    const asked = await send('/account/recovery-codes', {})
    const confirm = String(asked.headers.location)
    assert.equal((await send(confirm, { by: 'mail' })).status, 303)
    const code = await mailedCode(who.userId)
    const wrong = await send(confirm, { code, totp: '000000' })
    assert.equal(wrong.status, 401, wrong.text)
    assert.doesNotMatch(wrong.text, /name="code"/)
    const other = await send('/account/second-factor/remove', {})
    const reused = await send(String(other.headers.location), { code, totp: device?.code() ?? '' })
    assert.equal(reused.status, 401, reused.text)
    const done = await send(confirm, { totp: device?.code() ?? '' })
    assert.match(
      `${done.status} ${done.headers.location}`,
      /^303 \/account\/recovery-codes\?flow=/,
      done.text,
    )
  })

  test('the API takes the proof of the page in its session and browser, and names the page', async () => {
    const { who, browser, send, session } = await person()
    const path = '/api/account/password'
    const json = { new_password: 'a quieter melon rolls' }
    const confirm_url = `${app.deps.config.baseUrl}/account/confirm?for=password`
    const extra = { proofs: ['email'], confirm_url }
    const refused = await app.call('PUT', path, { headers: session, json })
    assertRefusal(refused, 401, 'Confirmation required', '', extra)
    const begun = await send('/account/confirm?for=password', { by: 'mail' })
    const confirm = String(begun.headers.location)
    const wrong = await send(confirm, { code: '00000000' })
    assert.equal(wrong.status, 401)
    const done = await send(confirm, { code: await mailedCode(who.userId) })
    assert.match(String(done.headers.location), /^\/account\/password\?done=confirmed/)
    const without = await app.call('PUT', path, { headers: session, json })
    assertRefusal(without, 401, 'Confirmation required', 'another browser', extra)
    const headers = await headersOf(browser)
    assert.equal((await app.call('PUT', path, { headers, json })).status, 200)
  })
})
