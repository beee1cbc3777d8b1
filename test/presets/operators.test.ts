import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checks } from '../../src/modules/federation/checks.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { settings } from './oauth2-sites.ts'
import { settings as oidc } from './oidc-sites.ts'

suite('presets, as operators see them', async () => {
  const app = await testApp(settings)

  test('the doctor asks nothing of a provider that has neither metadata nor keys', async () => {
    const asked: string[] = []
    const context = {
      ...app.deps,
      fetch: async (url: unknown) => {
        asked.push(String(url))
        throw new Error('nobody answers')
      },
    }
    const [check] = checks.offline ?? []
    assert.deepEqual(await check?.find(context as never), []) // it needs these parts alone
    assert.deepEqual(asked, [])
  })

  test('the command line shows the endpoints of a preset', async () => {
    const words = 'oidc discover --provider hub --json'
    const { code, stdout } = await gatehouse(app.directory, words, { env: settings })
    assert.equal(code, 0)
    const rows: { name: string; value: string }[] = JSON.parse(stdout)
    const issuer = rows.find(({ name }) => name === 'issuer')
    assert.equal(issuer?.value, 'https://github.com/login/oauth')
  })

  test('a sign-in of the command line needs ID tokens', async () => {
    const words = 'oidc login --provider hub'
    const { code, stderr } = await gatehouse(app.directory, words, { env: settings })
    assert.equal(code, 1)
    assert.match(stderr, /the provider has no ID tokens: it signs in at the pages alone/)
  })

  test('the key of Apple is shown nowhere', async () => {
    const own = await testApp(oidc)
    const shown = JSON.stringify([own.deps.config.inForce(), own.deps.config.providers])
    assert.ok(!shown.includes('PRIVATE KEY-----'))
  })
})
