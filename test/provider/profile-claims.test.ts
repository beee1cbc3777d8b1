import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { profileFile, writeProfile } from '../profile-file.ts'
import {
  application,
  issuer,
  providerApp,
  relyingParty,
  signedIn,
  userinfo,
} from './application.ts'

const all = ['access_token', 'id_token', 'userinfo']
const properties = {
  department: { type: 'string', maxLength: 20, claims: all },
  shift: { type: 'integer', claims: ['userinfo'] },
  remote: { type: 'boolean', claims: ['id_token'] },
  badge: { type: 'string' },
}
const file = profileFile(properties)

function payloadOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

suite('profile fields as claims', async () => {
  const app = await providerApp(
    [
      application('notes', { consent: 'none' }),
      application('quiet', { consent: 'none', claims: { id_token: [], userinfo: ['shift'] } }),
    ],
    { PROFILE_FILE: file },
  )
  const ann = await app.account('ann')
  const bea = await app.account('bea')
  const json = { profile: { department: 'Sales', shift: 3, remote: true, badge: 'B-7' } }
  await app.call('PUT', '/api/admin/accounts/ann/profile', {
    headers: app.basic(app.admin),
    json,
  })
  const chosen = ({ department, shift, remote, badge }: Record<string, unknown>) => ({
    ...{ department, shift, remote, badge },
  })
  const none = { department: undefined, shift: undefined, remote: undefined, badge: undefined }

  test('access tokens have the claims of their place, with the value of their type', async () => {
    const login = { username: 'ann', password: ann.password }
    const { body } = await app.call('POST', '/login', { json: { ...login, mode: 'pair' } })
    const claims = payloadOf(body.access_token)
    assert.deepEqual(chosen(claims), { ...none, department: 'Sales' })
    assert.equal(claims.sub, String(ann.userId))
    assert.deepEqual(Object.keys(payloadOf(body.refresh_token)).toSorted(), [
      ...['exp', 'iat', 'iss', 'sub', 'type'],
    ])
    const { refresh_token } = body
    const next = await app.call('POST', '/refresh', { json: { refresh_token } })
    assert.deepEqual(chosen(payloadOf(next.body.access_token)), { ...none, department: 'Sales' })
    const headers = { authorization: `Bearer ${next.body.access_token}` }
    assert.equal((await app.call('GET', '/api/me', { headers })).status, 200)
    const other = await app.call('POST', '/login', {
      json: { username: 'bea', password: bea.password },
    })
    assert.deepEqual(chosen(payloadOf(other.body.token)), none)
  })

  test('the scope profile gives the claims of ID token and userinfo', async () => {
    const rp = await relyingParty(app, 'notes')
    const { tokens } = await signedIn(app, rp, ann)
    assert.deepEqual(chosen({ ...tokens.claims() }), {
      ...none,
      ...{ department: 'Sales', remote: true },
    })
    const { body } = await userinfo(app, tokens.access_token)
    assert.deepEqual(chosen(body), { ...none, department: 'Sales', shift: 3 })
    const { tokens: narrow } = await signedIn(app, rp, ann, { scope: 'openid email' })
    assert.deepEqual(chosen({ ...narrow.claims() }), none)
    assert.deepEqual(chosen((await userinfo(app, narrow.access_token)).body), none)
  })

  test('the entry of an application narrows them', async () => {
    const { tokens } = await signedIn(app, await relyingParty(app, 'quiet'), ann)
    assert.deepEqual(chosen({ ...tokens.claims() }), none)
    assert.deepEqual(chosen((await userinfo(app, tokens.access_token)).body), { ...none, shift: 3 })
  })

  test('a claim of a changed file is released without a restart', async () => {
    const discovered = async () => {
      const { body } = await app.call('GET', '/.well-known/openid-configuration')
      return body.claims_supported
    }
    assert.ok((await discovered()).includes('shift') && !(await discovered()).includes('badge'))
    writeProfile(file, {
      properties: { ...properties, badge: { type: 'string', claims: ['userinfo'] } },
    })
    await app.app.jobs.find(({ name }) => name === 'profile file')?.run()
    assert.ok((await discovered()).includes('badge'))
    const { tokens } = await signedIn(app, await relyingParty(app, 'notes'), ann)
    assert.equal(tokens.claims()?.iss, issuer)
    assert.equal((await userinfo(app, tokens.access_token)).body.badge, 'B-7')
  })
})
