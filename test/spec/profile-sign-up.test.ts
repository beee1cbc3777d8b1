// A database makes a difference: the account and its values are of one transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { profileFile } from '../profile-file.ts'
import { assertRefusal } from '../refusal.ts'
import {
  begunSignUp,
  invited,
  mailboxOf,
  person,
  profileFields,
  profileOf,
} from '../registration.ts'

const properties = {
  team: { type: 'string', maxLength: 10, write: 'owner', labels: { en: 'Your team' } },
  badge: { type: 'integer', unique: true, write: 'owner', signUp: true },
  terms: { type: 'boolean', write: 'owner', signUp: true },
  city: { type: 'string', write: 'owner' },
  department: { type: 'string' },
}
const path = profileFile(properties, ['team'])

suite('profile fields at sign-up', async () => {
  const app = await testApp({ SIGN_UP: 'open', PROFILE_FILE: path })
  const mailbox = await mailboxOf(app)
  const admin = app.basic(app.admin)
  const complete = (json: object) => app.call('POST', '/api/public/sign-up/complete', { json })
  const profileOfAccount = async (username: string) => {
    const url = `/api/admin/accounts/${username}/profile`
    return (await app.call('GET', url, { headers: admin })).body.profile
  }
  const rows = async () => [(await app.rows()).users?.length, (await app.rows()).profile_values]

  test('by the API: required values must come, others may', async () => {
    const { token } = await begunSignUp(app, mailbox, 'ann@example.org')
    const before = await rows()
    const none = await complete({ token, ...profileOf('ann') })
    assert.deepEqual(
      [none.status, none.body.details],
      [400, [{ path: ['profile', 'team'], message: 'is required' }]],
    )
    const wrong = { team: 'Far too long a name', badge: 'x', department: 'Sales', nothing: 1 }
    const refused = await complete({ token, ...profileOf('ann'), profile: wrong, password: 'x' })
    assert.deepEqual(
      refused.body.details.map(({ path }: { path: string[] }) => path.join('.')).toSorted(),
      ['password', 'profile.badge', 'profile.department', 'profile.nothing', 'profile.team'],
    )
    assert.deepEqual(await rows(), before)
    const profile = { team: 'Blue', badge: 7, city: 'Ulm' }
    assert.equal((await complete({ token, ...profileOf('ann'), profile })).status, 201)
    assert.deepEqual(await profileOfAccount('ann'), profile)
  })

  test('a unique value of another account is 409, makes no account, and the proof stays', async () => {
    const { token } = await begunSignUp(app, mailbox, 'bea@example.org')
    const before = await rows()
    const finish = (badge: number) =>
      complete({ token, ...profileOf('bea'), profile: { team: 'Red', badge } })
    assertRefusal(await finish(7), 409, 'Profile value already exists', '', { field: 'badge' })
    assert.deepEqual(await rows(), before)
    assert.equal((await finish(8)).status, 201)
  })

  test('an invitation asks for the same', async () => {
    const { token } = await invited(app, mailbox, { email: 'cleo@example.org', roles: ['USER'] })
    const accept = (more: object) =>
      app.call('POST', '/api/public/invitation', { json: { token, ...profileOf('cleo'), ...more } })
    assertRefusal(await accept({}), 400, 'Validation failed', '', {
      details: [{ path: ['profile', 'team'], message: 'is required' }],
    })
    assert.equal((await accept({ profile: { team: 'Blue' } })).status, 201)
    assert.deepEqual(await profileOfAccount('cleo'), { team: 'Blue' })
  })

  test('the page asks for the fields of sign-up, keeps what was typed, and marks mistakes', async () => {
    app.clock.advance(61)
    const dora = person(app)
    await dora.open('/signup')
    await dora.send({ email: 'dora@example.org' })
    const page = await dora.send({ code: (await mailbox.newest()).code })
    assert.match(page.text, /<label for="profile_team">Your team<\/label>/)
    assert.match(page.text, /id="profile_badge"/)
    assert.match(page.text, /id="profile_terms" name="profile_terms" type="checkbox"/)
    assert.doesNotMatch(page.text, /profile_city|profile_department/)
    const fields = profileFields('dora')
    const wrong = await dora.send({ ...fields, profile_badge: 'seven', profile_team: '' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /href="#profile_team">Your team: Please fill in this field\./)
    assert.match(wrong.text, /href="#profile_badge">badge: This value is not allowed here\./)
    assert.match(wrong.text, /value="seven"/)
    const taken = await dora.send({ ...fields, profile_badge: '7', profile_team: 'Blue' })
    assert.equal(taken.status, 409)
    assert.match(taken.text, /badge: Another account has this value already\./)
    assert.match(taken.text, /value="Blue"/)
    const done = await dora.send({ ...fields, profile_team: 'Blue', profile_terms: '1' })
    assert.deepEqual([done.status, done.headers.location], [303, '/account'])
    assert.deepEqual(await profileOfAccount('dora'), { team: 'Blue', terms: true })
  })

  test('/account/profile: what an administrator sets, and a form of the rest', async () => {
    const emma = await app.account('emma')
    const url = '/api/admin/accounts/emma/profile'
    const json = { profile: { department: 'Sales', team: 'Red' } }
    await app.call('PUT', url, { headers: admin, json })
    const headers = { ...(await app.session(emma)), accept: 'text/html' }
    const overview = await app.call('GET', '/account', { headers })
    assert.match(overview.text, /href="\/account\/profile"/)
    const page = await app.call('GET', '/account/profile', { headers })
    assert.match(page.text, /Sales/)
    assert.match(page.text, /value="Red"/)
    const send = async (form: Record<string, string>) => {
      const csrf_token = /name="csrf_token" value="(.*?)"/.exec(page.text)?.[1] ?? ''
      return app.call('POST', '/account/profile', { headers, form: { csrf_token, ...form } })
    }
    const wrong = await send({ profile_team: '', profile_badge: '7', profile_city: 'Ulm' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /Your team: Please fill in this field\./)
    assert.match(wrong.text, /value="Ulm"/)
    const taken = await send({ profile_team: 'Red', profile_badge: '7' })
    assert.equal(taken.status, 409)
    assert.deepEqual(await profileOfAccount('emma'), { team: 'Red', department: 'Sales' })
    const saved = await send({ profile_team: 'Green', profile_city: 'Ulm', profile_terms: '1' })
    assert.equal(saved.status, 303)
    assert.match(String(saved.headers.location), /^\/account\/profile\?done=profile\./)
    const all = { team: 'Green', terms: true, city: 'Ulm', department: 'Sales' }
    assert.deepEqual(await profileOfAccount('emma'), all)
    const without = await app.call('POST', '/account/profile', {
      headers,
      form: { profile_team: 'Stolen' },
    })
    assert.equal(without.status, 403)
    assert.deepEqual(await profileOfAccount('emma'), all)
  })
})
