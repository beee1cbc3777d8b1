// A database makes a difference: a lock, a guard in the transaction, and rows that all nodes read.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'

const path = '/api/admin/keys'
const secret = 'lamps-harbour-velvet-tuba-ocelot-quarry-41'

interface Shown {
  readonly kid: string
  readonly purpose: string
  readonly state: string
  readonly can_retire: boolean
}

suite('the keys over HTTP, as gatehouse keys has them', async () => {
  const app = await testApp()
  let headers = await app.bearer(app.admin)
  const list = async (): Promise<Shown[]> => (await app.call('GET', path, { headers })).body.data
  const rotate = (json?: object) =>
    app.call('POST', `${path}/rotate`, { headers, ...(json && { json }) })
  const retire = (kid: string) => app.call('POST', `${path}/${kid}/retire`, { headers })
  const stateOf = async (kid: string) => (await list()).find((key) => key.kid === kid)

  test('lists what signs and what encrypts, and no material', async () => {
    const keys = await list()
    assert.deepEqual(
      keys.map(({ purpose, state, can_retire }) => [purpose, state, can_retire]).toSorted(),
      [
        ['data', 'encrypts', false],
        ['refresh', 'signs', false],
        ['signing', 'signs', false],
      ],
    )
    const stored = await app.deps.db.selectFrom('keys').select('sealed').execute()
    const { text } = await app.call('GET', path, { headers })
    for (const { sealed } of stored) assert.ok(!text.includes(sealed))
  })

  test('a new key is published first, and signs in ten minutes', async () => {
    const { body } = await rotate()
    assert.deepEqual([body.purpose, body.signs_from], ['signing', '2026-01-15T12:10:00.000Z'])
    assert.deepEqual(
      [(await stateOf(body.kid))?.state, (await stateOf(body.before))?.state],
      ['published', 'signs'],
    )
    const rows = await app.rows()
    const refused = await retire(body.before)
    assertRefusal(refused, 409, 'Key still signs')
    assertRefusal(await retire(body.kid), 409, 'Key still signs')
    assert.deepEqual((await app.rows()).keys, rows.keys)
    app.clock.advance(601)
    headers = await app.bearer(app.admin)
    const [signer, former] = [await stateOf(body.kid), await stateOf(body.before)]
    assert.deepEqual([signer?.state, signer?.can_retire], ['signs', false])
    assert.deepEqual([former?.state, former?.can_retire], ['verifies', true])
    const retired = await retire(body.before)
    assert.deepEqual([retired.status, retired.body.state], [200, 'ended'])
    assertRefusal(await retire(body.before), 404, 'Key not found')
  })

  test('at once: the token that asks ends with its key', async () => {
    const { body } = await rotate({ at_once: true })
    assert.equal(body.signs_from, null)
    assertRefusal(await retire(body.before), 409, 'Key still signs')
    app.clock.advance(3)
    assert.equal((await stateOf(body.before))?.state, 'verifies')
    assert.equal((await retire(body.before)).status, 200)
    assert.equal((await app.call('GET', path, { headers })).status, 401)
    headers = await app.bearer(app.admin)
    assert.equal((await stateOf(body.kid))?.state, 'signs')
  })

  for (const kid of ['none', '%00', 'a'.repeat(200)]) {
    test(`a key that is not there: ${kid.slice(0, 10)}`, async () => {
      const before = await app.rows()
      assertRefusal(await retire(kid), 404, 'Key not found')
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('the key of stored secrets is never retired', async () => {
    const data = (await list()).find(({ purpose }) => purpose === 'data')
    assertRefusal(await retire(data?.kid ?? ''), 404, 'Key not found')
    assert.equal((await stateOf(data?.kid ?? ''))?.state, 'encrypts')
  })

  test('a purpose that there is not: 400, and nothing changes', async () => {
    const before = await app.rows()
    for (const json of [{ purpose: 'data' }, { purpose: 7 }, { at_once: 'yes' }]) {
      assert.equal((await rotate(json)).status, 400)
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('the key of TOKEN_SECRET is replaced there alone', async () => {
    const own = await testApp({ TOKEN_SECRET: secret })
    const admin = await own.bearer(own.admin)
    const { data } = (await own.call('GET', path, { headers: admin })).body
    const [configured] = data
    assert.deepEqual(
      [configured.configured, configured.state, configured.can_retire],
      [true, 'signs', false],
    )
    const before = await own.rows()
    assertRefusal(
      await own.call('POST', `${path}/rotate`, { headers: admin }),
      409,
      'Key cannot be replaced here',
    )
    const kid = `${path}/${configured.kid}/retire`
    assertRefusal(await own.call('POST', kid, { headers: admin }), 404, 'Key not found')
    assert.deepEqual(await own.rows(), before)
    const refresh = { headers: admin, json: { purpose: 'refresh' } }
    assert.equal((await own.call('POST', `${path}/rotate`, refresh)).status, 200)
  })
})
