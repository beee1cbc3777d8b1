// A database makes a difference: a mailed code is a row that one request uses up.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { confirmationsOf } from '../confirmations.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'

suite('an account without a password and without a provider confirms by a mailed code', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0', LOGIN_IP_ATTEMPTS: '0' })
  const confirmations = await confirmationsOf(app)
  let made = 0

  async function person({ hasAddress = true } = {}) {
    const who = await app.account(`mailed${++made}`)
    if (hasAddress) await verifyAddress(app, who, `${who.username}@example.org`)
    const session = await app.session(who)
    await app.deps.db.deleteFrom('passwords').where('account', '=', who.userId).execute()
    const cookies = new Map([session.cookie.split('=') as [string, string]])
    const headers = () => ({
      cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
      'x-csrf-token': session['x-csrf-token'],
      accept: 'text/html',
    })
    const send = async (path: string, fields: Record<string, string>) => {
      const form = { csrf_token: session['x-csrf-token'], ...fields }
      const answer = await app.call('POST', path, { headers: headers(), form })
      for (const [name, value] of Object.entries(answer.cookies)) cookies.set(name, value)
      return answer
    }
    const begin = () => app.call('POST', '/api/account/totp', { headers: headers() })
    return {
      who,
      send,
      begin,
      open: (path: string) => app.call('GET', path, { headers: headers() }),
    }
  }

  const confirm_url = `${app.deps.config.baseUrl}/account/confirm?for=factor`
  const missing = { proofs: ['email'], confirm_url }

  test('the code counts once, in the flow that asked, and for this change', async () => {
    const one = await person()
    assertRefusal(await one.begin(), 401, 'Confirmation required', '', missing)
    const asked = await one.send('/account/confirm?for=factor', { by: 'mail' })
    const path = String(asked.headers.location)
    assert.match(`${asked.status} ${path}`, /^303 \/account\/confirm\?flow=/, asked.text)
    assert.match((await one.open(path)).text, /We have sent a code to/)
    const mail = (await mailRows(app)).find(
      ({ message, user_id }) => message === 'proof' && user_id === one.who.userId,
    )
    const { code } = await confirmations.mailed(mail?.confirmation ?? '')
    const wrong = await one.send(path, { code: code === '00000000' ? '11111111' : '00000000' })
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /The code is wrong, or has ended\./)
    const other = await one.send('/account/confirm?for=factor', { by: 'mail' })
    const elsewhere = await one.send(String(other.headers.location), { code: '' })
    assert.equal(elsewhere.status, 401)
    assertRefusal(await one.begin(), 401, 'Confirmation required', 'nothing is confirmed', missing)
    const again = await confirmations.mailed(mail?.confirmation ?? '')
    const done = await one.send(String(other.headers.location), { code: again.code })
    assert.match(String(done.headers.location), /^\/account\/second-factor\?done=confirmed/)
    assert.equal((await one.begin()).status, 201)
    assertRefusal(await one.begin(), 401, 'Confirmation required', 'used', missing)
  })

  test('without a verified address nothing can be confirmed, and the page says so', async () => {
    const one = await person({ hasAddress: false })
    const page = await one.open('/account/confirm?for=factor')
    assert.match(page.text, /you cannot confirm this change\. Ask your administrator\./)
    const before = await app.rows('sessions', 'refusals', 'flows')
    const asked = await one.send('/account/confirm?for=factor', { by: 'mail' })
    assert.equal(asked.status, 409, asked.text)
    const empty = await one.send('/account/confirm?for=factor', {})
    assert.equal(empty.status, 401)
    assert.deepEqual(await app.rows('sessions', 'refusals', 'flows'), before)
  })
})
