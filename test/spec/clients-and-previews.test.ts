import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { sampleSecrets } from '../../src/extras/mail/samples.ts'
import { testApp } from '../app.ts'
import { clientsFile, entry } from '../clients.ts'
import { assertRefusal } from '../refusal.ts'

suite('GET /api/admin/clients', async () => {
  const file = clientsFile([entry('shop'), entry('wiki', { may: ['metrics'], audiences: [] })])
  const app = await testApp({ CLIENTS_FILE: file })
  const headers = await app.bearer(app.admin)
  const look = () => app.call('GET', '/api/admin/clients', { headers })
  const reread = () => app.app.jobs.find(({ name }) => name === 'clients file')?.run()

  test('shows what each may, and no hash', async () => {
    const { body, text } = await look()
    assert.equal(body.configured, true)
    assert.deepEqual(
      body.data.map(({ id, may, secrets }: Record<string, unknown>) => [id, may, secrets]),
      [
        ['shop', entry('shop').may, 1],
        ['wiki', ['metrics'], 1],
      ],
    )
    assert.doesNotMatch(text, /sha256|[0-9a-f]{64}/)
  })

  test('says why a changed file is not used, and forgets it when it is mended', async () => {
    await reread()
    writeFileSync(file, '{"clients": 7}')
    await reread()
    const { body } = await look()
    assert.deepEqual(body.mistakes, ['CLIENTS_FILE must be an object with a list "clients"'])
    assert.equal(body.data.length, 2)
    writeFileSync(file, '{"clients": []}')
    await reread()
    assert.deepEqual((await look()).body, { configured: true, data: [], mistakes: [] })
  })
})

suite('GET /api/admin/mail/previews', async () => {
  const app = await testApp({
    BRAND_NAME: 'Harbour <b>&</b> Co',
    BASE_URL: 'https://id.example.org',
  })
  const headers = await app.bearer(app.admin)
  const path = '/api/admin/mail/previews'
  const get = (rest: string) => app.call('GET', path + rest, { headers })
  const { data } = (await get('')).body

  test('each is there in both languages, with the name and the address of the service', async () => {
    const before = await app.rows()
    assert.ok(data.length > 20)
    for (const { id, message } of data) {
      for (const language of ['en', 'de']) {
        const { body, status } = await get(`/${id}?language=${language}`)
        assert.deepEqual([status, body.message, body.language], [200, message, language], id)
        assert.match(body.html, new RegExp(`lang="${language}"`))
        assert.ok(!body.html.includes('<b>&</b>') && !/<script|<img/.test(body.html), id)
        assert.ok(body.text.includes('https://id.example.org'), id)
        for (const secret of Object.values(sampleSecrets)) assert.ok(!body.subject.includes(secret))
      }
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('a preview that there is not: 404; a language that there is not: 400', async () => {
    for (const id of ['none', '__proto__', 'reset%00']) {
      assertRefusal(await get(`/${id}`), 404, 'Mail not found')
    }
    assert.equal((await get('/reset?language=fr')).status, 400)
    assert.equal((await get('/reset?language=en&language=de')).status, 400)
    assert.equal((await get('/reset')).body.language, 'en')
  })
})
