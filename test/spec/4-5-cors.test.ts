import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { assertHeaders } from '../refusal.ts'

const page = 'https://app.example'
const other = 'https://other.example:8443'
const foreign = 'https://evil.example'

suite('spec 4.5: cross-origin behaviour', async () => {
  const app = await testApp({ CORS_ORIGINS: `${page},${other}` })
  const preflight = (origin: string, path = '/users') =>
    app.call('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      },
    })
  const items = (value: unknown) => String(value).split(/ *, */)

  test('each configured origin is allowed, with credentials', async () => {
    for (const origin of [page, other]) {
      for (const answer of [
        await preflight(origin),
        await app.call('GET', '/health/live', { headers: { origin } }),
        await app.call('GET', '/users', { headers: { origin } }), // 401
      ]) {
        assert.equal(answer.headers['access-control-allow-origin'], origin)
        assert.equal(answer.headers['access-control-allow-credentials'], 'true')
        assert.ok(items(answer.headers.vary).includes('Origin'))
      }
    }
  })

  test('any other origin is allowed nothing', async () => {
    for (const origin of [foreign, 'null', `${page}.evil.example`, 'http://app.example']) {
      for (const answer of [
        await preflight(origin),
        await app.call('GET', '/health/live', { headers: { origin } }),
      ]) {
        assert.equal(answer.headers['access-control-allow-origin'], undefined, origin)
      }
    }
  })

  test('allowed methods are GET, POST, PUT and DELETE', async () => {
    const { headers } = await preflight(page)
    assert.deepEqual(items(headers['access-control-allow-methods']), [
      'GET',
      'POST',
      'PUT',
      'DELETE',
    ])
  })

  test('allowed request headers are Content-Type, Authorization and those of the service', async () => {
    const { headers } = await preflight(page)
    assert.deepEqual(items(headers['access-control-allow-headers']), [
      'Content-Type',
      'Authorization',
      'X-CSRF-Token',
      'If-Match',
      'Idempotency-Key',
    ])
  })

  test('ETag, Retry-After, X-Total-Count and X-Request-Id can be read by a page', async () => {
    const { headers } = await app.call('GET', '/health/live', { headers: { origin: page } })
    assert.deepEqual(items(headers['access-control-expose-headers']), [
      'ETag',
      'Retry-After',
      'X-Total-Count',
      'X-Request-Id',
    ])
  })

  test('a preflight needs no credentials on any path', async () => {
    for (const path of ['/users', '/users/1', '/login', '/api/admin/accounts', '/api/v2/users']) {
      const answer = await preflight(page, path)
      assert.deepEqual([answer.status, answer.text], [204, ''], path)
      assertHeaders(answer, path)
    }
  })
})

suite('spec 4.5: other settings', async () => {
  test('without CORS_ORIGINS no origin is allowed', async () => {
    const app = await testApp()
    const answer = await app.call('GET', '/health/live', { headers: { origin: page } })
    assert.equal(answer.headers['access-control-allow-origin'], undefined)
  })

  test('a wildcard, for development only, allows every origin', async () => {
    const app = await testApp({ CORS_ORIGINS: '*', NODE_ENV: 'development' })
    const answer = await app.call('GET', '/health/live', { headers: { origin: foreign } })
    assert.equal(answer.headers['access-control-allow-origin'], foreign)
    const production = { NODE_ENV: 'production', TRUST_PROXY: 'none' }
    await assert.rejects(
      testApp({ ...production, CORS_ORIGINS: '*' }),
      /CORS_ORIGINS must not be \* in production/,
    )
  })
})
