import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { languages } from '../../src/core/config/languages.ts'
import type { MessageFacts, MessageName } from '../../src/extras/mail/message-types.ts'
import { render } from '../../src/extras/mail/messages/render.ts'
import { testApp } from '../app.ts'
import { mailboxes } from '../emails.ts'
import { servicesOf, verifyAddress } from '../mail.ts'
import { waitingMails } from '../notices.ts'

const free = 'your account is closed, call 49 123 or open www.evil.test now'

suite('a username writes nothing into mail to an address that its account has not verified', async () => {
  const app = await testApp()
  const services = await servicesOf(app)
  const { baseUrl, pages } = app.deps.config
  const mailbox = await mailboxes(app)
  const who = await app.account(free)
  const session = await app.session(who)

  /** Everything that the newest mail to an address says, in all languages. */
  async function said(address: string, message: MessageName): Promise<string> {
    const mails = await waitingMails(app, services, who)
    const mail = mails.findLast((one) => one.address === address)
    assert.equal(mail?.message, message)
    const context = { name: pages.name, baseUrl, link: `${baseUrl}/x?token=y`, code: '12345678' }
    return languages
      .map((language) => render(message, mail.facts as MessageFacts['reset'], language, context))
      .flatMap(({ subject, text, html }) => [subject, text.replace(/\s+/g, ' '), html])
      .join('\n')
  }

  test('the mail that an administrator vouches for', async () => {
    const headers = await app.session(app.admin)
    const path = `/api/admin/accounts/${encodeURIComponent(who.username)}/reset`
    const json = { email: 'vouched@example.org' }
    assert.equal((await app.call('POST', path, { headers, json })).status, 202)
    assert.doesNotMatch(await said('vouched@example.org', 'reset'), /evil|closed, call/)
  })

  test('the mail that verifies a first address', async () => {
    await mailbox.ask(session, 'first@example.org')
    assert.doesNotMatch(await said('first@example.org', 'verification'), /evil|closed, call/)
  })

  test('the mail that verifies another address', async () => {
    await verifyAddress(app, who, 'own@example.org')
    await mailbox.ask(session, 'second@example.org')
    assert.doesNotMatch(await said('second@example.org', 'email_change'), /evil|closed, call/)
  })

  test('the verified address is told which account it is', async () => {
    app.clock.advance(3600)
    const json = { email: 'own@example.org' }
    assert.equal((await app.call('POST', '/api/public/reset', { json })).status, 202)
    assert.match(await said('own@example.org', 'reset'), /www\.evil\.test/)
  })
})
