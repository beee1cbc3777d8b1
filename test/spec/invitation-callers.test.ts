import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { invited, mailboxOf, profileOf } from '../registration.ts'

suite('who invites and who accepts', async () => {
  const idp = await identityProvider()
  const app = await testApp(settingsFor(idp), { clock: clockOfToday() })
  const mailbox = await mailboxOf(app)

  for (const [username, chosen, language] of [
    ['anna', {}, 'de'],
    ['bill', { language: 'en' }, 'en'],
  ] as const) {
    test(`${username} has the language ${language}: of the form, or else of the invitation`, async () => {
      const wanted = { email: `${username}@example.org`, roles: ['USER'], language: 'de' }
      const { token } = await invited(app, mailbox, wanted)
      const json = { token, ...profileOf(username), ...chosen }
      const { status, body } = await app.call('POST', '/api/public/invitation', { json })
      assert.equal(status, 201)
      const account = await app.deps.db
        .selectFrom('accounts')
        .select('language')
        .where('user_id', '=', body.user_id)
        .executeTakeFirst()
      assert.deepEqual(account, { language })
    })
  }

  test('an administrator without an account invites none: its role cannot be checked later', async () => {
    const { id } = await invited(app, mailbox, { email: 'cleo@example.org', roles: ['USER'] })
    const token = idp.signed(idp.claims({ email: 'boss@example.org', roles: ['ADMIN'] }))
    const headers = { authorization: `Bearer ${token}` }
    const path = '/api/admin/invitations'
    assert.equal((await app.call('GET', path, { headers })).status, 200)
    const before = await app.rows()
    const json = { email: 'dora@example.org', roles: ['USER'] }
    assertRefusal(await app.call('POST', path, { headers, json }), 403, 'Access denied')
    const resent = await app.call('POST', `${path}/${id}/resend`, { headers })
    assertRefusal(resent, 403, 'Access denied')
    assert.deepEqual(await app.rows(), before)
    assert.ok(app.log.some(({ reason }) => reason === 'inviter_without_account'))
  })
})
