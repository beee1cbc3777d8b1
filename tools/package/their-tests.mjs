// Tests of another project, in plain JavaScript: tools/try-package.ts puts them where the package is.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { startForTests } from 'gatehouse/testing'

test('two services at once, each with its own administrator and keys', async () => {
  const settings = { ADMIN_USERNAME: 'root', LOGIN_TOKEN_SECONDS: '60' }
  const services = await Promise.all([startForTests(), startForTests({ settings })])
  const tokens = await Promise.all(
    services.map(async ({ baseUrl, admin }) => {
      const body = new URLSearchParams({ ...admin, mode: 'token' })
      const login = await fetch(`${baseUrl}/login`, { method: 'POST', body })
      assert.equal(login.status, 200)
      const answer = await login.json()
      assert.equal(answer.expires_in, admin.username === 'root' ? 60 : 3600)
      return answer.token
    }),
  )
  const ask = async ({ baseUrl }, token) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${baseUrl}/api/me`, { headers })).status
  }
  const [one, other] = services
  assert.deepEqual([await ask(one, tokens[0]), await ask(other, tokens[1])], [200, 200])
  assert.equal(await ask(one, tokens[1]), 401)
  const [, payload] = tokens[0].split('.')
  assert.equal(JSON.parse(Buffer.from(payload, 'base64url')).iss, one.baseUrl)
  const page = await (await fetch(`${one.baseUrl}/signin`)).text()
  assert.match(page, /autocomplete="current-password"/)
  const [, style] = /rel="stylesheet" href="([^"]+)"/.exec(page)
  assert.equal((await fetch(one.baseUrl + style)).status, 200)
  await Promise.all([one.stop(), other.stop(), one.stop()])
  await assert.rejects(fetch(one.baseUrl))
})

test('it stays on loopback, with its own data, and leaves nothing', async () => {
  for (const name of ['HOST', 'PORT', 'DATA_DIR', 'DATABASE_URL']) {
    await assert.rejects(startForTests({ settings: { [name]: '1' } }), {
      message: `startForTests sets ${name} itself`,
    })
  }
  await assert.rejects(
    startForTests({ settings: { LOGIN_TOKEN_SECONDS: 'x' } }),
    /LOGIN_TOKEN_SECONDS must be a whole number/,
  )
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('gatehouse-test-')),
    [],
  )
})
