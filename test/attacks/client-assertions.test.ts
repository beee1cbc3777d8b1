import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { SignJWT } from 'jose'
import type { Answer } from '../app.ts'
import { issuer, providerApp, publicApplication } from '../provider/application.ts'
import { parameters } from '../provider/pages.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const robot = {
  ...{ id: 'robot', type: 'machine', client_auth: 'private_key_jwt' },
  jwks: { keys: [publicKey.export({ format: 'jwk' })] },
}

suite('a program that signs its requests (private_key_jwt)', async () => {
  const app = await providerApp([robot, publicApplication('open')])
  const seconds = () => Math.floor(app.clock.now() / 1000)
  const assertion = (claims: object = {}) => {
    const usual = {
      iss: 'robot',
      sub: 'robot',
      aud: issuer,
      jti: randomUUID(),
      exp: seconds() + 60,
    }
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKey)
  }
  const ask = (client_assertion: string) =>
    app.call('POST', '/oauth/token', {
      form: {
        ...{ grant_type: 'client_credentials', client_id: 'robot', client_assertion },
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      },
    })
  const tokens = async () => {
    const rows = await app.deps.db
      .selectFrom('provider_artifacts')
      .select('id')
      .where('kind', '=', 'ClientCredentials')
      .execute()
    return rows.length
  }
  const assertRefused = ({ status, body }: Answer) => {
    const error_description = 'client authentication failed'
    assert.deepEqual([status, body], [401, { error: 'invalid_client', error_description }])
  }

  test('uses each assertion once, of requests at once too', async () => {
    const one = await assertion()
    const before = await tokens()
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(one)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.ok(answers.every(({ status }) => status === 200 || status === 400 || status === 401))
    assert.equal(await tokens(), before + 1)
    assertRefused(await ask(one))
  })

  test('may write parts of seconds', async () => {
    assert.equal((await ask(await assertion({ exp: seconds() + 60.1234567 }))).status, 200)
  })

  test('proofs of nobody are bounded for an address', async () => {
    const { db, clock } = app.deps
    const expires_at = clock.now() + 60_000
    const row = {
      kind: 'ReplayDetection',
      client: '',
      address: '203.0.113.9',
      sealed: '',
      expires_at,
    }
    for (let from = 0; from < 10_000; from += 500) {
      const ids = Array.from({ length: 500 }, (_, index) => `row ${from + index}`)
      await db
        .insertInto('provider_artifacts')
        .values(ids.map((id) => ({ ...row, id })))
        .execute()
    }
    const jwk = publicKey.export({ format: 'jwk' })
    const dpop = await new SignJWT({ htm: 'POST', htu: `${issuer}/oauth/par`, jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt(seconds())
      .sign(privateKey)
    const form = { ...parameters, client_id: 'open' }
    const pushed = await app.call('POST', '/oauth/par', {
      ...{ headers: { dpop }, form, from: '203.0.113.9' },
    })
    assert.equal(pushed.status, 201)
    const rows = (await app.rows()).provider_artifacts ?? []
    const kept = JSON.stringify(rows).split('ReplayDetection').length - 1
    const others = await tokens() // each has an assertion, of another address
    assert.equal(kept - others, 10_000)
  })

  for (const [name, claims] of [
    ['for another service', { aud: 'https://other.example.org' }],
    ['of another program', { iss: 'other' }],
    ['that lives for years', { exp: 9e15 }],
    ['that never ends', { exp: 1e300 }],
    ['whose end is no number', { exp: 'soon' }],
    ['without an id', { jti: undefined }],
  ] as const) {
    test(`gets nothing for an assertion ${name}`, async () => {
      const before = await app.rows()
      assertRefused(await ask(await assertion(claims)))
      assert.deepEqual(await app.rows(), before)
    })
  }
})
