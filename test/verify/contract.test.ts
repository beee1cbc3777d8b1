// A database makes a difference: counts, order and races of a whole run.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { notCheckable } from '../../src/extras/verify/not-checkable.ts'
import { testApp } from '../app.ts'
import { peopleAndDoings, verified } from './verified.ts'

/** Checks that need another setting than the default. */
const ofSettings = [
  '4.5-origin',
  '4.5-preflight-methods',
  '4.5-preflight-headers',
  '4.4-authorization-request',
  '4.4-authorization-client',
  '4.4-discovery',
  '4.3-posts-delete-owner',
  '4.1-login-form-token',
  '8-captcha-after-3',
  '8-rate-limit',
]
/** Checks whose requests or answers are others with other settings. */
const changed = [
  ...['4.5-', '4.4-', '4.3-posts-delete', '4.1-login', '3.1-idle', '3.2-', '2.5-pair', '8-captcha'],
  ...['5.2-', '3.3-blocked', 'd-session-read'],
]
const never = notCheckable.map(({ id }) => id)
/** Five hundred requests, one after another: seconds on a quiet machine. */
const slow = { timeout: 300_000 }
const everything = '--profile decisions --wait 700000'

suite('gatehouse verify at this service', async () => {
  test('every row holds, with all times waited for, and nothing is left', slow, async () => {
    const app = await testApp()
    const { url } = await app.listen()
    const before = await peopleAndDoings(app)
    const { code, failed, notChecked, report, stderr } = await verified(app, url, everything)
    assert.deepEqual([failed, report.left, stderr, code], [[], [], '', 0])
    assert.deepEqual(notChecked.toSorted(), [...ofSettings, ...never].toSorted())
    assert.ok(report.passed > 190)
    assert.deepEqual(await peopleAndDoings(app), before)
  })

  test('the rows that need a setting hold with the setting', async () => {
    const settings = {
      CORS_ORIGINS: 'https://app.example.org',
      POSTS_DELETE_POLICY: 'owner',
      LOGIN_FORM_MODE: 'token',
      OIDC_CLIENT_ID: 'gatehouse',
      PROVIDER: 'on',
      LOGIN_PROOF_OF_WORK_AFTER: '3',
      SESSION_COOKIE_NAME: '__Host-JSESSIONID',
      LOGIN_TOKEN_SECONDS: '60',
      ACCESS_TOKEN_SECONDS: '30',
      SESSION_IDLE_SECONDS: '120',
    }
    const issuer = 'http://127.0.0.1:9'
    const app = await testApp({
      ...settings,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_SECRET: 'a secret of the identity provider',
      OIDC_AUTHORIZATION_ENDPOINT: `${issuer}/authorize`,
      OIDC_JWKS_URI: `${issuer}/keys`,
    })
    const { url } = await app.listen()
    const words = [
      ...Object.entries(settings).map(([name, value]) => `--setting ${name}=${value}`),
      ...changed.map((id) => `--only ${id}`),
    ]
    const ran = await verified(app, url, [...words, everything].join(' '))
    assert.deepEqual([ran.failed, ran.report.left, ran.stderr, ran.code], [[], [], '', 0])
    assert.deepEqual(ran.notChecked, [
      ...['4.3-posts-delete-author', '4.1-login-form-session', '3.3-blocked', '3.2-early'],
      '4.4-token-exchange',
    ])
  })

  test('the general limit is checked alone', async () => {
    const app = await testApp({ RATE_LIMIT_MAX: '100' })
    const { url } = await app.listen()
    const words = '--setting RATE_LIMIT_MAX=100 --only 8-rate-limit'
    const { code, report, stderr } = await verified(app, url, words)
    assert.deepEqual([report.passed, report.checks.length, stderr, code], [1, 1, '', 0])
  })

  test('a setting that is not said is a difference to the contract', async () => {
    const app = await testApp({ LOGIN_TOKEN_SECONDS: '60' })
    const { url } = await app.listen()
    const { code, failed, stderr } = await verified(app, url, '--only 4.1-login-token --only 2.4-c')
    assert.deepEqual([failed, code], [['4.1-login-token', '2.4-claims'], 1])
    assert.equal(stderr, 'error: the service differs from the contract: see the report\n')
  })
})
