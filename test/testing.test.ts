import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { after, suite, test } from 'node:test'
import { startForTests } from '../src/testing.ts'

const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('gatehouse-test-'))

/** Several at once, and from the package: `node tools/try-package.ts`. */
suite('startForTests', () => {
  test('starts a service that knows its address, and leaves no files', async () => {
    process.env.ADMIN_USERNAME = 'other' // the environment takes no part
    after(() => delete process.env.ADMIN_USERNAME)
    const before = folders()
    const { baseUrl, admin, stop } = await startForTests({
      settings: { LOGIN_TOKEN_SECONDS: '60' },
    })
    assert.match(baseUrl, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
    assert.equal(admin.username, 'admin')
    assert.equal(folders().length, before.length + 1)
    const body = new URLSearchParams({ ...admin, mode: 'token' })
    const login = await fetch(`${baseUrl}/login`, { method: 'POST', body })
    const { token, expires_in } = (await login.json()) as { token: string; expires_in: number }
    assert.deepEqual([login.status, expires_in], [200, 60])
    const [, payload = ''] = token.split('.')
    assert.equal(JSON.parse(Buffer.from(payload, 'base64url').toString()).iss, baseUrl)
    await Promise.all([stop(), stop()])
    await assert.rejects(fetch(baseUrl))
    assert.deepEqual(folders(), before)
  })

  const refused: readonly [Record<string, string>, RegExp][] = [
    [{ HOST: '0.0.0.0' }, /^startForTests sets HOST itself$/],
    [{ DATABASE_URL: 'postgres://localhost/real' }, /^startForTests sets DATABASE_URL itself$/],
    [{ DATABASE_URL_FILE: 'x' }, /^startForTests sets DATABASE_URL_FILE itself$/],
    [{ DATA_DIR: './data' }, /^startForTests sets DATA_DIR itself$/],
    [
      { PASSWORD_ARGON2_MEMORY_KIB: '64' },
      /PASSWORD_ARGON2_MEMORY_KIB must be a whole number from/,
    ],
    [{ ADMIN_PASSWORD: 'password1234' }, /^ADMIN_PASSWORD /],
  ]
  for (const [settings, reason] of refused) {
    test(`refuses ${JSON.stringify(settings)}, and leaves no files`, async () => {
      const before = folders()
      await assert.rejects(startForTests({ settings }), (error: Error) =>
        reason.test(error.message),
      )
      assert.deepEqual(folders(), before)
    })
  }
})
