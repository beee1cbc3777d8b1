// A database makes a difference: what a form changes of the stored values.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, testApp } from '../app.ts'
import { profileFile, writeProfile } from '../profile-file.ts'
import { assertRefusal } from '../refusal.ts'
import { begunSignUp, mailboxOf, person, profileFields, profileOf } from '../registration.ts'

const own = { write: 'owner' }
const properties = {
  motto: { ...own, type: 'string', maxLength: 1000 },
  bio: { ...own, type: 'string', maxLength: 1000 },
  salary: { ...own, type: 'number' },
  size: { ...own, type: 'string', enum: ['S', 'M', 'L'] },
  newsletter: { ...own, type: 'boolean' },
}

suite("the form of one's own profile changes what its owner changed", async () => {
  const path = profileFile(properties)
  const app = await testApp({ PROFILE_FILE: path })
  const admin: Headers = app.basic(app.admin)
  const change = async (fields: object) => {
    writeProfile(path, { properties: fields })
    await app.app.jobs.find(({ name }) => name === 'profile file')?.run()
  }
  let made = 0
  const owner = async (profile: object = {}) => {
    const who = await app.account(`owner${++made}`)
    const url = `/api/admin/accounts/${who.username}/profile`
    const set = (json: object) => app.call('PUT', url, { headers: admin, json: { profile: json } })
    await set(profile)
    const headers = { ...(await app.session(who)), accept: 'text/html' }
    const page = async () => (await app.call('GET', '/account/profile', { headers })).text
    const send = (form: Record<string, string>) =>
      app.call('POST', '/account/profile', { headers, form })
    const values = async () => (await app.call('GET', url, { headers: admin })).body.profile
    return { page, send, set, values }
  }
  const all = { motto: 'Onward', bio: 'Born', salary: 1.5, size: 'M', newsletter: true }

  test('a form of one field leaves the others alone', async () => {
    const { page, send, values } = await owner(all)
    const { csrf_token = '' } = formIn(await page())
    assert.equal((await send({ csrf_token, profile_motto: 'hello' })).status, 303)
    assert.deepEqual(await values(), { ...all, motto: 'hello' })
  })

  test('a page as it was opened changes nothing, nor sets an unset flag', async () => {
    const unset = await owner({ bio: 'Born' })
    assert.equal((await unset.send(formIn(await unset.page()))).status, 303)
    assert.deepEqual(await unset.values(), { bio: 'Born' })
    const full = await owner(all)
    assert.equal((await full.send(formIn(await full.page()))).status, 303)
    assert.deepEqual(await full.values(), all)
  })

  test('a flag is ticked and unticked, a text emptied', async () => {
    const { page, send, values } = await owner({ motto: 'Onward' })
    await send({ ...formIn(await page()), profile_newsletter: '1', profile_motto: ' ' })
    assert.deepEqual(await values(), { newsletter: true })
    const { profile_newsletter: _, ...unticked } = formIn(await page())
    await send(unticked)
    assert.deepEqual(await values(), { newsletter: false })
  })

  test('what changed since the page was opened stays', async () => {
    const { page, send, set, values } = await owner(all)
    const opened = formIn(await page())
    await set({ bio: 'Elsewhere', newsletter: false, size: null })
    assert.equal((await send({ ...opened, profile_motto: 'hello' })).status, 303)
    const { size: _, ...left } = all
    assert.deepEqual(await values(), {
      ...{ ...left, motto: 'hello', bio: 'Elsewhere', newsletter: false },
    })
  })

  test('a page from before a field leaves its value alone, and a refused form too', async () => {
    const { page, send, set, values } = await owner(all)
    const opened = formIn(await page())
    await change({
      ...properties,
      late: { ...own, type: 'string' },
      flag: { ...own, type: 'boolean' },
    })
    await set({ late: 'here', flag: true })
    const refused = await send({ ...opened, profile_salary: 'much' })
    assert.equal(refused.status, 400)
    const again = formIn(refused.text)
    assert.equal(again.shown, opened.shown)
    assert.equal((await send({ ...opened, profile_salary: '2' })).status, 303)
    assert.deepEqual(await values(), { ...all, salary: 2, late: 'here', flag: true })
    await change(properties)
  })

  test('a choice that is not allowed any more stays until another is chosen', async () => {
    const { page, send, values } = await owner(all)
    await change({ ...properties, size: { ...properties.size, enum: ['S', 'L'] } })
    await send({ ...formIn(await page()), profile_size: '' })
    assert.equal((await values()).size, 'M')
    await send({ ...formIn(await page()), profile_size: 'L' })
    assert.equal((await values()).size, 'L')
    await change(properties)
  })

  test('a number is read as it is written, or refused', async () => {
    const { page, send, values } = await owner({ salary: 7 })
    for (const wrong of ['1,000', '0x10', '1e3', 'Infinity']) {
      const answer = await send({ ...formIn(await page()), profile_salary: wrong })
      assert.equal(answer.status, 400, wrong)
      assert.match(answer.text, /salary: This value is not allowed here\./)
    }
    assert.deepEqual(await values(), { salary: 7 })
    await send({ ...formIn(await page()), profile_salary: '-12,75' })
    assert.deepEqual(await values(), { salary: -12.75 })
  })

  test('two long texts of emoji can be saved, and saved again', async () => {
    const { page, send, values } = await owner()
    const long = { motto: '🌻'.repeat(1000), bio: '🦔'.repeat(1000) }
    const typed = { profile_motto: long.motto, profile_bio: long.bio }
    assert.equal((await send({ ...formIn(await page()), ...typed })).status, 303)
    assert.deepEqual(await values(), long)
    assert.equal((await send({ ...formIn(await page()), profile_bio: 'x' })).status, 303)
    assert.deepEqual(await values(), { ...long, bio: 'x' })
  })

  test('a shown part that is no JSON counts as absent', async () => {
    const { page, send, values } = await owner(all)
    for (const shown of ['{', '[]', 'null', '{"profile_newsletter":1,"__proto__":{}}']) {
      const { csrf_token = '' } = formIn(await page())
      assert.equal((await send({ csrf_token, shown, profile_motto: shown })).status, 303)
      assert.equal((await values()).motto, shown)
      assert.equal((await values()).bio, 'Born')
    }
  })
})

suite('a required flag must be ticked', async () => {
  const path = profileFile({ terms: { ...own, type: 'boolean', title: 'Terms' } }, ['terms'])
  const app = await testApp({ SIGN_UP: 'open', PROFILE_FILE: path })
  const mailbox = await mailboxOf(app)
  const details = [{ path: ['profile', 'terms'], message: 'is required' }]

  test('by the API', async () => {
    const { token } = await begunSignUp(app, mailbox, 'ann@example.org')
    const complete = (profile: object) => {
      const json = { token, ...profileOf('ann'), profile }
      return app.call('POST', '/api/public/sign-up/complete', { json })
    }
    const before = await app.rows()
    for (const profile of [{}, { terms: false }, { terms: null }]) {
      assertRefusal(await complete(profile), 400, 'Validation failed', '', { details })
    }
    assert.deepEqual((await app.rows()).accounts, before.accounts)
    assert.equal((await complete({ terms: true })).status, 201)
  })

  test('by the pages; an administrator may take it back, its owner may not', async () => {
    app.clock.advance(61)
    const bea = person(app)
    await bea.open('/signup')
    await bea.send({ email: 'bea@example.org' })
    await bea.send({ code: (await mailbox.newest()).code })
    const refused = await bea.send(profileFields('bea'))
    assert.equal(refused.status, 400)
    assert.match(refused.text, /href="#profile_terms">Terms: Please fill in this field\./)
    assert.match(refused.text, /id="profile_terms-problem"/)
    const done = await bea.send({ ...profileFields('bea'), profile_terms: '1' })
    assert.equal(done.status, 303)

    const headers = { ...(await app.session(await app.account('cleo'))), accept: 'text/html' }
    const url = '/api/admin/accounts/cleo/profile'
    const set = (terms: boolean) =>
      app.call('PUT', url, { headers: app.basic(app.admin), json: { profile: { terms } } })
    assert.equal((await set(true)).status, 200)
    const page = await app.call('GET', '/account/profile', { headers })
    const { profile_terms: _, ...form } = formIn(page.text)
    const unticked = await app.call('POST', '/account/profile', { headers, form })
    assert.equal(unticked.status, 400)
    assert.match(unticked.text, /id="profile_terms-problem"/)
    assert.deepEqual((await set(true)).body.profile, { terms: true })
    assert.deepEqual((await set(false)).body.profile, { terms: false })
  })
})

/** What a browser sends of the form of the page. */
function formIn(page: string): Record<string, string> {
  const plain = (text = '') => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const inputs = [...page.matchAll(/<input ([^>]*)>/g)].map(([, marks = '']) => marks)
  const sent = inputs.flatMap((marks) => {
    const name = /name="(.*?)"/.exec(marks)?.[1] ?? ''
    const isSent = !marks.includes('type="checkbox"') || /\bchecked\b/.test(marks)
    return isSent && name ? [[name, plain(/value="(.*?)"/.exec(marks)?.[1])]] : []
  })
  const selects = [...page.matchAll(/<select [^>]*name="(profile_.*?)"[^>]*>(.*?)<\/select>/gs)]
  const chosen = selects.map(([, name = '', options = '']) => {
    const selected = /<option[^>]*\bselected\b[^>]*>/.exec(options)?.[0] ?? ''
    return [name, plain(/value="(.*?)"/.exec(selected)?.[1])]
  })
  return Object.fromEntries([...sent, ...chosen])
}
