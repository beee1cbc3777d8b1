// A database makes a difference: nodes notice keys of others by its change feed.
import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose'
import { loadKeySet } from '../../src/modules/keys/key-set.ts'
import { type TestApp, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { fixedClock } from '../clock.ts'
import { deafFeed, heard } from '../database.ts'
import { forge, hs256, payloadOf } from '../forge.ts'
import { until } from '../until.ts'

const rs256 = { TOKEN_ALGORITHM: '' } // the default
const kidOf = (token: string) => decodeProtectedHeader(token).kid
const kidsOf = async (node: TestApp): Promise<string[]> => {
  const { body } = await node.call('GET', '/.well-known/jwks.json')
  return body.keys.map(({ kid }: { kid: string }) => kid)
}
const use = async (node: TestApp, token: string) =>
  (await node.call('GET', '/api/me', { headers: { authorization: `Bearer ${token}` } })).status

/** Jobs run every second; here whenever a test wants. */
async function look(...nodes: readonly TestApp[]): Promise<void> {
  for (const node of nodes) {
    await heard(node)
    await node.app.jobs.find(({ name }) => name === 'keys of other processes')?.run()
  }
}

suite('T19: a key is published before it signs', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const clock = fixedClock()
  const node = (env = {}, more: Parameters<typeof testApp>[1] = {}) =>
    testApp({ ...rs256, ...env }, { directory, clock, ...more })
  const [one, two] = await Promise.all([node({}, { isEmpty: true }), node({}, { isEmpty: true })])

  test('two nodes that start at once on an empty database make one key of each purpose', async () => {
    const { keys } = await one.rows()
    const rows = keys as { usage: string; algorithm: string }[]
    assert.deepEqual(rows.map(({ usage, algorithm }) => `${usage} ${algorithm}`).toSorted(), [
      'data A256GCM',
      'refresh HS256',
      'signing RS256',
    ])
    assert.deepEqual(await kidsOf(one), await kidsOf(two))
    assert.equal(await use(two, await one.token(one.admin)), 200)
    assert.equal(await use(one, await two.token(two.admin)), 200)
  })

  test('a verifier that keeps the keys as Cache-Control says meets no unknown one', async () => {
    const { headers } = await one.call('GET', '/.well-known/jwks.json')
    assert.equal(headers['cache-control'], 'public, max-age=300')
    const { now } = Date
    Date.now = clock.now // by which jose keeps the keys
    try {
      let last = Number.NEGATIVE_INFINITY
      const ages: number[] = []
      const nodes = [one, two] as const
      const verifier = createRemoteJWKSet(new URL('https://gatehouse.example/jwks.json'), {
        cacheMaxAge: 300_000,
        cooldownDuration: 0,
        async [customFetch]() {
          ages.push((clock.now() - last) / 1000)
          last = clock.now()
          const asked = nodes[ages.length % 2] ?? one
          const { text } = await asked.call('GET', '/.well-known/jwks.json')
          return new Response(text, { headers: { 'content-type': 'application/json' } })
        },
      })
      const signed = new Set<unknown>()
      for (let step = 0; step < 40; step += 1) {
        // A moment after the keys were taken: the longest time that they are kept without the new.
        if (step === 4) await gatehouse(directory, 'keys rotate', { clock })
        await look(one, two)
        for (const each of nodes) {
          const token = await each.token(each.admin)
          signed.add(kidOf(token))
          await jwtVerify(token, verifier, {
            issuer: 'http://127.0.0.1:3000',
            audience: 'api',
            algorithms: ['RS256'],
            currentDate: new Date(clock.now()),
          })
        }
        clock.advance(31)
      }
      assert.equal(signed.size, 2, 'the key was replaced meanwhile')
      assert.ok(ages.length >= 4)
      assert.deepEqual(
        ages.filter((age) => age < 300),
        [],
        'asked again for a key that it did not know',
      )
    } finally {
      Date.now = now
    }
  })

  test('a node without a change feed publishes a new key, and signs with none that it has just seen', async () => {
    const deaf = await node({}, { deps: { feed: deafFeed } })
    clock.advance(3600)
    const before = kidOf(await deaf.token(deaf.admin))
    const keys = await loadKeySet(one.deps)
    const { kid } = await keys.rotate({ atOnce: true })
    for (const each of [one, two]) await heard(each)
    // It signs with the new one only once the others publish it, and it was told by the database.
    assert.equal(kidOf(await deaf.token(deaf.admin)), before)
    for (const each of [deaf, one, two]) assert.ok((await kidsOf(each)).includes(kid))
    clock.advance(1.999)
    assert.equal(kidOf(await deaf.token(deaf.admin)), before)
    clock.advance(0.001)
    const token = await deaf.token(deaf.admin)
    assert.equal(kidOf(token), kid)
    for (const each of [deaf, one, two]) assert.equal(await use(each, token), 200)

    // Nor does it sign with one that has ended, or would before its token.
    clock.advance(60)
    const next = await keys.rotate({ atOnce: true })
    clock.advance(3)
    assert.equal(await keys.retire(kid), true)
    const late = deaf.token(deaf.admin)
    await until(() => clock.waits().includes(2)) // for the others: it has just seen the key
    clock.advance(2)
    assert.equal(kidOf(await late), next.kid)
  })

  test('no node signs with a key that another does not publish, while it is being replaced', async () => {
    clock.advance(3600)
    await look(one, two)
    const keys = await loadKeySet(two.deps)
    for (const atOnce of [true, false]) {
      const { kid } = await keys.rotate({ atOnce })
      const seen = new Set<unknown>()
      for (let step = 0; step < 14; step += 1) {
        await heard(two) // in turns the one or the other notices first
        const [signs, publishes] = step % 2 ? [one, two] : [two, one]
        const token = await signs.token(signs.admin)
        seen.add(kidOf(token))
        const published = await kidsOf(publishes)
        assert.ok(published.includes(String(kidOf(token))), `step ${step}`)
        clock.advance(atOnce ? 0.5 : 60)
      }
      assert.ok(seen.has(kid) && seen.size === 2)
    }
  })

  test('refresh tokens are HMAC, and no key of one type verifies the other', async () => {
    const pair = await one.pair(one.admin)
    const header = decodeProtectedHeader(pair.refresh_token)
    assert.equal(header.alg, 'HS256')
    assert.notEqual(header.kid, kidOf(pair.access_token))
    assert.ok(!(await kidsOf(one)).includes(String(header.kid)))
    const refresh = (refresh_token: string) =>
      two.call('POST', '/refresh', { form: { refresh_token } })
    assert.equal((await refresh(pair.refresh_token)).status, 200)
    assert.equal((await refresh(pair.access_token)).status, 401)
    assert.equal(await use(two, pair.refresh_token), 401)

    // T02: what is published is no key of HMAC, whichever kid a token names, or none.
    const [payload, [jwk]] = [
      payloadOf(pair.refresh_token),
      (await one.call('GET', '/.well-known/jwks.json')).body.keys,
    ]
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    const pem = publicKey.export({ format: 'pem', type: 'spki' })
    for (const secret of [pem, JSON.stringify(jwk), Buffer.from(jwk.n, 'base64url')]) {
      for (const kid of [header.kid, jwk.kid, undefined]) {
        const token = forge({ ...header, kid }, payload, hs256(secret))
        assert.equal((await refresh(token)).status, 401, `kid ${kid}`)
      }
    }
  })
})
