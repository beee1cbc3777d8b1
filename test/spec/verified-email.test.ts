import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readDoc } from '../../tools/docs.ts'
import { testApp } from '../app.ts'
import { verifyAddress } from '../mail.ts'

suite('after PUT /users/{own} tokens carry the verified address', async () => {
  const app = await testApp()
  const verified = 'ann@example.org'
  const shown = 'other@example.org'
  const ann = await app.account('ann', ['USER'], { email: verified })
  await verifyAddress(app, ann, verified)
  const before = await app.bearer(ann)
  const changed = await app.call('PUT', `/users/${ann.userId}`, {
    headers: before,
    json: { email: shown },
  })
  const emailOf = async (headers: Record<string, string>) =>
    (await app.call('GET', '/api/me', { headers })).body.email
  const claimsOf = ({ authorization = '' }: Record<string, string>) =>
    JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString())

  test('the user shows the new one', async () => {
    assert.deepEqual([changed.status, changed.body.email], [200, shown])
    const account = await app.call('GET', '/api/account', { headers: before })
    assert.equal(account.body.user.email, shown)
  })

  test('the token of before, a new one, and that of a refresh carry the verified one', async () => {
    const pair = await app.pair(ann)
    const refreshed = await app.call('POST', '/refresh', {
      form: { refresh_token: pair.refresh_token },
    })
    for (const headers of [
      before,
      await app.bearer(ann),
      { authorization: `Bearer ${refreshed.body.access_token}` },
    ]) {
      assert.equal(await emailOf(headers), verified)
      const { email, email_verified } = claimsOf(headers)
      assert.deepEqual([email, email_verified], [verified, true])
    }
  })

  test('without a verified address a token has none, and /api/me shows that of the user', async () => {
    const bob = await app.account('bob', ['USER'], { email: verified })
    const headers = await app.bearer(bob)
    await app.call('PUT', `/users/${bob.userId}`, { headers, json: { email: shown } })
    assert.equal(claimsOf(headers).email, undefined)
    assert.equal(await emailOf(headers), shown)
  })

  test('the documents say so', () => {
    const told = 'tokens keep the verified address of the account'
    assert.ok(readDoc('openapi.json').includes(told))
    assert.match(readDoc('use-it.md'), /PUT \/users\/\{id\} changes the `email`/)
  })
})
