// A database makes a difference: a unique index.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { profileFile } from '../profile-file.ts'
import { assertRefusal } from '../refusal.ts'

suite('the own profile by the API', async () => {
  const idp = await identityProvider()
  const badge = { type: 'string', unique: true, write: 'owner' }
  const env = { ...settingsFor(idp), PROFILE_FILE: profileFile({ badge }) }
  const app = await testApp(env, { clock: clockOfToday() })
  const [ann, bob] = [await app.account('ann'), await app.account('bob')]
  const put = (prefix: string, headers: Record<string, string>, value: string) =>
    app.call('PUT', `${prefix}/profile`, { headers, json: { profile: { badge: value } } })

  for (const prefix of ['/api/account', '/api/user/account']) {
    test(`${prefix}: a unique value of another account is refused, and changes nothing`, async () => {
      assert.equal((await put(prefix, app.basic(ann), prefix)).status, 200)
      const before = await app.rows('profile_values')
      const taken = await put(prefix, app.basic(bob), prefix)
      assertRefusal(taken, 409, 'Profile value already exists', '', { field: 'badge' })
      assert.deepEqual(await app.rows('profile_values'), before)
    })

    test(`${prefix}: a person of a provider without an account has none`, async () => {
      const token = idp.signed(idp.claims({ sub: 'zoe', roles: ['USER'] }))
      const missing = await put(prefix, { authorization: `Bearer ${token}` }, 'z')
      assertRefusal(missing, 404, 'Account not found')
    })
  }
})
