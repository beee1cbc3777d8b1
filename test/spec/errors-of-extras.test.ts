import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Call, testApp } from '../app.ts'
import { verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'
import { newWebhook, webhooks } from '../webhooks.ts'

interface Row {
  /** How it is provoked. */
  readonly by: readonly [string, string, Call?]
  readonly status: number
  readonly error: string
}

suite('errors of extras, beside spec 7', async () => {
  const app = await testApp()
  const ann = await app.account('ann')
  await app.account('must', [], { must_change: true })
  const admin = await app.bearer(app.admin)
  const email = 'ann@example.org'
  await verifyAddress(app, ann, email)
  const { body: revoked } = await app.call('POST', '/api/admin/invitations', {
    headers: admin,
    json: { email: 'bob@example.org', roles: [] },
  })
  await app.call('DELETE', `/api/admin/invitations/${revoked.id}`, { headers: admin })
  const testMail = { headers: admin, json: { address: 'post@example.org' } }
  const withdrawn = (await app.call('POST', '/api/admin/mail/test', testMail)).body.id
  await app.call('DELETE', `/api/admin/mail/${withdrawn}`, { headers: admin })
  const disabled = await newWebhook(app, {}, admin)
  await app.call('PUT', `${webhooks}/${disabled.id}`, {
    headers: admin,
    json: { state: 'disabled' },
  })
  const locked = await app.account('locked')
  const lock = { headers: admin, json: { locked: true } }
  await app.call('PUT', `/api/admin/accounts/${locked.username}`, lock)

  const table: Record<string, Row> = {
    'a link of a mail that is none': {
      by: ['POST', '/api/public/verification', { json: { token: 'none' } }],
      ...{ status: 400, error: 'Invalid or expired code' },
    },
    'a sign-up where only administrators make accounts': {
      by: ['POST', '/api/public/sign-up', { json: { email: 'new@example.org' } }],
      ...{ status: 403, error: 'Sign-up is off' },
    },
    'an invitation that there is not': {
      by: ['DELETE', '/api/admin/invitations/999', { headers: admin }],
      ...{ status: 404, error: 'Invitation not found' },
    },
    'an invitation that is over': {
      by: ['DELETE', `/api/admin/invitations/${revoked.id}`, { headers: admin }],
      ...{ status: 409, error: 'Invitation already closed' },
    },
    'a mail that there is not': {
      by: ['DELETE', '/api/admin/mail/none', { headers: admin }],
      ...{ status: 404, error: 'Mail not found' },
    },
    'a mail that is withdrawn': {
      by: ['POST', `/api/admin/mail/${withdrawn}/resend`, { headers: admin }],
      ...{ status: 409, error: 'Mail already closed' },
    },
    'a webhook that there is not': {
      by: ['GET', `${webhooks}/none`, { headers: admin }],
      ...{ status: 404, error: 'Webhook not found' },
    },
    'a delivery of a webhook that there is not': {
      by: ['GET', `${webhooks}/deliveries/999`, { headers: admin }],
      ...{ status: 404, error: 'Webhook delivery not found' },
    },
    'a test of a webhook that is disabled': {
      by: ['POST', `${webhooks}/${disabled.id}/test`, { headers: admin }],
      ...{ status: 409, error: 'Webhook is disabled' },
    },
    'a reset for an account that is locked': {
      by: ['POST', '/api/admin/accounts/locked/reset', { headers: admin }],
      ...{ status: 409, error: 'Account locked or disabled' },
    },
    'an address that an account has verified': {
      by: ['POST', '/api/admin/invitations', { headers: admin, json: { email, roles: [] } }],
      ...{ status: 409, error: 'Email already in use' },
    },
    'an account without a verified address': {
      by: ['DELETE', '/api/admin/accounts/must/email', { headers: admin }],
      ...{ status: 409, error: 'No verified email' },
    },
  }

  for (const [condition, { by, status, error }] of Object.entries(table)) {
    test(`${condition}: its status, its text, and nothing changed`, async () => {
      const before = await app.rows()
      assertRefusal(await app.call(...by), status, error, condition)
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('no mail server: 503 where mail is needed', async () => {
    const silent = await testApp({ NODE_ENV: 'production', TRUST_PROXY: 'none' })
    const headers = await silent.bearer(silent.admin)
    const before = await silent.rows()
    const json = { email: 'bob@example.org', roles: [] }
    for (const [method, path, more] of [
      ['PUT', '/api/account/email', { json }],
      ['POST', '/api/admin/invitations', { json }],
      ['POST', '/api/admin/invitations/1/resend', {}],
    ] as const) {
      const answer = await silent.call(method, path, { headers, ...more })
      assertRefusal(answer, 503, 'Mail is not configured', path)
    }
    assert.deepEqual(await silent.rows(), before)
  })
})
