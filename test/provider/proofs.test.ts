// A database makes a difference: of two transactions with the same proof, one commits.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { suite, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { testApp } from '../app.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { heard } from '../database.ts'
import { pageBrowser } from '../page-browser.ts'
import { allow, application, callback, issuer, open, providerApp, signIn } from './application.ts'
import { authorize, code_verifier } from './pages.ts'

const { privateKey, publicKey } = await generateKeyPair('ES256')
const jwk = await exportJWK(publicKey)
const keyed = { client_auth: 'private_key_jwt', jwks: { keys: [jwk] }, secret_hash: undefined }
const machine = { type: 'machine', redirect_uris: undefined }
const clients = [
  application('notes', keyed),
  application('batch', { ...machine, ...keyed }),
  { ...application('robot', machine), secret_hash: entry('robot').secret_hash },
  application('plain', { consent: 'none' }),
]

const now = () => Math.floor(Date.now() / 1000)
let made = 0

async function assertion(client_id: string): Promise<Record<string, string>> {
  made += 1
  const claims = { iss: client_id, sub: client_id, aud: issuer, jti: `${made}`, exp: now() + 60 }
  const client_assertion = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256' })
    .sign(privateKey)
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  return { client_assertion, client_assertion_type }
}

function proof(htm: string, path: string, more: object = {}): Promise<string> {
  made += 1
  return new SignJWT({ jti: `${made}`, htm, htu: `${issuer}${path}`, iat: now(), ...more })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
    .sign(privateKey)
}

suite('what a program proves itself with counts once', async () => {
  const one = await providerApp(clients)
  const env = { PROVIDER: 'on', CLIENTS_FILE: clientsFile(clients) }
  const two = await testApp(env, { directory: one.directory, clock: one.clock })
  const ann = await one.account('ann')
  await heard(two)
  const ask = (app: typeof one, form: Record<string, string>, headers = {}) =>
    app.call('POST', '/oauth/token', { headers, form })
  const credentials = { grant_type: 'client_credentials' }

  test('an assertion that both nodes get at once', async () => {
    const form = { ...(await assertion('batch')), ...credentials }
    const answers = await Promise.all([ask(one, form), ask(two, form), ask(one, form)])
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 2)
    for (const { status, body } of [...refused, await ask(two, form)]) {
      const error_description = 'client authentication failed'
      assert.deepEqual([status, body], [401, { error: 'invalid_client', error_description }])
    }
  })

  test('an assertion whose request loses a race for a code', async () => {
    const browser = pageBrowser(one)
    assert.equal(await open(browser, authorize), null)
    await signIn(browser, ann)
    const code = new URL((await allow(browser)) ?? '').searchParams.get('code') ?? ''
    const grant = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier }
    const proofs = await Promise.all(Array.from({ length: 4 }, () => assertion('notes')))
    const answers = await Promise.all(
      proofs.map((sent, index) => ask(index % 2 ? one : two, { ...sent, ...grant })),
    )
    assert.ok(answers.filter(({ status }) => status === 200).length <= 1)
    for (const sent of proofs) {
      const form = { ...sent, grant_type: 'refresh_token', refresh_token: 'x' }
      const { status, body } = await ask(one, form)
      assert.deepEqual([status, body.error], [401, 'invalid_client'])
    }
  })

  test('a DPoP proof that both nodes get at once', async () => {
    const headers = { ...asClient('robot'), dpop: await proof('POST', '/oauth/token') }
    const send = (app: typeof one) => ask(app, credentials, headers)
    const answers = await Promise.all([send(one), send(two)])
    const before = (await one.rows()).provider_artifacts
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    for (const { body } of [...answers.filter(({ status }) => status === 400), await send(two)]) {
      const error_description = 'DPoP proof JWT Replay detected'
      assert.deepEqual(body, { error: 'invalid_dpop_proof', error_description })
    }
    assert.deepEqual((await one.rows()).provider_artifacts, before)
  })

  test('a DPoP proof at userinfo', async () => {
    const browser = pageBrowser(one)
    await open(browser, authorize.replace('notes&', 'plain&'))
    const at = new URL((await signIn(browser, ann)) ?? '')
    const code = at.searchParams.get('code') ?? ''
    const grant = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier }
    const headers = { ...asClient('plain'), dpop: await proof('POST', '/oauth/token') }
    const { body } = await ask(one, grant, headers)
    assert.equal(body.token_type, 'DPoP')
    const ath = hash('sha256', body.access_token, 'base64url')
    const authorization = `DPoP ${body.access_token}`
    const dpop = await proof('GET', '/oauth/userinfo', { ath })
    const asked = () => one.call('GET', '/oauth/userinfo', { headers: { authorization, dpop } })
    assert.equal((await asked()).status, 200)
    const again = await asked()
    assert.deepEqual([again.status, again.body.error], [401, 'invalid_dpop_proof'])
    assert.match(String(again.headers['www-authenticate']), /^DPoP .*error="invalid_dpop_proof"/)
  })
})
