import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertDistinctReasons } from '../../src/core/module/registry.ts'
import { loadChecks, rowsByPlace } from '../../src/extras/doctor/all-checks.ts'
import { modules } from '../../src/modules.ts'
import { testApp } from '../app.ts'
import { profileFile } from '../profile-file.ts'

suite('texts of the API for people come in the language that is asked for', async () => {
  const app = await testApp({
    USERS_POLICY: 'open',
    PROFILE_FILE: profileFile({ motto: { type: 'string' } }),
  })
  const admin = await app.bearer(app.admin)
  const ask = (method: string, path: string, language?: string, json?: object) =>
    app.call(method, path, {
      headers: { ...admin, ...(language !== undefined && { 'accept-language': language }) },
      ...(json && { json }),
    })
  const germanOf = Object.fromEntries(
    [...(await assertDistinctReasons(modules))].map(([code, { words }]) => [code, words?.de]),
  )
  const english = [undefined, '*', 'en', 'fr', 'en, de;q=0.5', 'de;q=0', `de,${'x'.repeat(2000)}`]
  const german = ['de', 'de-AT,de;q=0.9,en;q=0.8', 'fr, de;q=0.5']

  test('details of a refusal: English for programs, German on request', async () => {
    const wrong = { name: '', email: 'ann' }
    for (const language of english) {
      const { body, headers, status } = await ask('POST', '/api/v2/users', language, wrong)
      assert.equal(status, 400)
      assert.deepEqual(body, {
        error: 'Validation failed',
        details: [
          { path: ['name'], message: 'must NOT have fewer than 1 characters' },
          { path: ['email'], message: 'must be an e-mail address' },
        ],
      })
      assert.equal(headers.vary, 'Accept-Language')
    }
    for (const language of german) {
      const { body, headers, status } = await ask('POST', '/api/v2/users', language, wrong)
      assert.equal(status, 400)
      assert.deepEqual(body, {
        error: 'Validation failed',
        details: [
          { path: ['name'], message: 'muss mindestens 1 Zeichen haben' },
          { path: ['email'], message: 'muss eine E-Mail-Adresse sein' },
        ],
      })
      assert.equal(headers.vary, 'Accept-Language')
    }
    assert.equal((await ask('GET', '/api/v2/users')).body.total, 1)
  })

  test('details of a rule that a handler checks', async () => {
    const account = { username: 'ann', password: 'gatehouse1234', roles: ['USER'] }
    const body = { ...account, name: 'Ann', email: 'ann@example.org' }
    const inEnglish = await ask('POST', '/api/admin/accounts', undefined, body)
    assert.deepEqual(inEnglish.body, {
      error: 'Validation failed',
      details: [{ path: ['password'], message: 'must not hold the name of this service' }],
    })
    const inGerman = await ask('POST', '/api/admin/accounts', 'de', body)
    assert.equal(inGerman.status, 400)
    assert.deepEqual(inGerman.body, {
      error: 'Validation failed',
      details: [{ path: ['password'], message: 'darf den Namen dieses Dienstes nicht enthalten' }],
    })
    const roles = { ...body, password: 'walnut orbit candle', roles: ['KING'] }
    const { body: ofRoles } = await ask('POST', '/api/admin/accounts', 'de', roles)
    assert.deepEqual(ofRoles.details, [
      { path: ['roles', '0'], message: 'muss eine von diesen sein: USER, EDITOR, ADMIN' },
    ])
  })

  test('details of a field of the profile', async () => {
    const path = `/api/admin/accounts/${app.admin.username}/profile`
    const details = async (language: string | undefined, profile: object) =>
      (await ask('PUT', path, language, { profile })).body.details
    const unknown = { size: 'M' }
    assert.deepEqual(await details(undefined, unknown), [
      { path: ['profile', 'size'], message: 'is not a field of the profile' },
    ])
    assert.deepEqual(await details('de', unknown), [
      { path: ['profile', 'size'], message: 'ist kein Feld des Profils' },
    ])
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, 1]))
    assert.deepEqual(await details('de', many), [
      { path: ['profile'], message: 'darf höchstens 100 Felder haben' },
    ])
  })

  test('a refusal without details is the same in each language', async () => {
    for (const language of [...english, ...german]) {
      const { body, status } = await ask('GET', '/api/v2/users/999', language)
      assert.equal(status, 404)
      assert.deepEqual(body, { error: 'User not found' })
    }
  })

  test('doctor, also for callers who share an examination', async () => {
    const [inEnglish, inGerman] = await Promise.all([
      ask('GET', '/api/admin/doctor'),
      ask('GET', '/api/admin/doctor', 'de'),
    ])
    const of = ({ body }: typeof inEnglish) =>
      body.findings.find(({ check }: { check: string }) => check === 'users_policy')
    assert.equal(inEnglish.headers.vary, 'Accept-Language')
    assert.equal(
      of(inEnglish).why,
      'Anyone may read, change and delete all users without a credential.',
    )
    assert.equal(of(inEnglish).mend.do, 'Choose who may.')
    assert.equal(
      of(inGerman).what,
      'USERS_POLICY ist open: Der Zugriff auf /users verlangt keine Anmeldedaten.',
    )
    assert.equal(
      of(inGerman).why,
      'Jeder kann ohne Anmeldedaten alle Personen lesen, ändern und löschen.',
    )
    assert.equal(of(inGerman).mend.do, 'Legen Sie fest, wer es darf.')
    assert.equal(of(inGerman).mend.setting, of(inEnglish).mend.setting)
  })

  test('explain: the reason, and what each guard asks', async () => {
    const question = { username: app.admin.username, route: 'PUT /users/99' }
    const { body: inEnglish } = await ask('POST', '/api/admin/explain', undefined, question)
    const { body: inGerman } = await ask('POST', '/api/admin/explain', 'de', question)
    const last = ({ checks }: { checks: { asks: string; explanation: string }[] }) => checks.at(-1)
    assert.equal(last(inEnglish)?.asks, 'the resource exists')
    assert.equal(last(inGerman)?.asks, 'die Ressource ist vorhanden')
    assert.equal(inGerman.code, inEnglish.code)
    assert.equal(inEnglish.explanation, 'The resource that the path names does not exist.')
    assert.equal(inGerman.explanation, 'Die Ressource, die der Pfad nennt, gibt es nicht.')

    const refused = await app.call('GET', '/api/me', { headers: { authorization: 'Bearer x' } })
    const id = String(refused.headers['x-request-id'])
    const path = `/api/admin/explain/${id}`
    const { body: reason } = await ask('GET', path, 'de')
    assert.equal(reason.error, 'Invalid token')
    const { body: inEnglishToo } = await ask('GET', path)
    assert.equal(reason.code, inEnglishToo.code)
    assert.equal(reason.explanation, germanOf[reason.code])
    assert.notEqual(reason.explanation, inEnglishToo.explanation)
  })

  test('each check has texts of its own in each language', async () => {
    const { inside, outside } = rowsByPlace(await loadChecks(modules))
    for (const { id, mend, why } of [...inside, ...outside]) {
      for (const { en, de } of [why, mend.do]) {
        assert.ok(en.length > 0 && de.length > 0 && en !== de, `${id}: ${en}`)
      }
    }
  })
})
