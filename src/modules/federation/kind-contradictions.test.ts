import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { mistakesOf } from '../../../test/mistakes.ts'

const tenant = '7d1e7a0c-7b29-4f6c-9d6e-0a1b2c3d4e5f'
const at = (directory: string) => `https://login.microsoftonline.com/${directory}/v2.0`
const client = { OIDC_CLIENT_ID: 'app', OIDC_CLIENT_SECRET: 'a secret of the tests' }
const pem = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' })
const apple = {
  OIDC_PRESET: 'apple',
  OIDC_CLIENT_ID: 'org.example.web',
  OIDC_TEAM_ID: 'ABCDE12345',
  OIDC_KEY_ID: 'KEY1234567',
  OIDC_PRIVATE_KEY: String(pem('P-256')),
}
const wiki = {
  ...client,
  OIDC_KIND: 'oauth2',
  OIDC_ISSUER: 'https://wiki.example.org',
  OIDC_AUTHORIZATION_ENDPOINT: 'https://wiki.example.org/authorize',
  OIDC_TOKEN_ENDPOINT: 'https://wiki.example.org/token',
  OIDC_USERINFO_ENDPOINT: 'https://wiki.example.org/me',
  OIDC_SUBJECT_FIELD: 'id',
}
const microsoft = { ...client, OIDC_PRESET: 'microsoft' }
const github = { ...client, OIDC_PRESET: 'github' }

suite('presets of identity providers', () => {
  test('a preset fills in what its provider fixes', () => {
    const [provider] = loadConfig(github).providers
    assert.deepEqual(
      [provider?.kind, provider?.label, provider?.issuer, provider?.client?.auth],
      ['oauth2', 'GitHub', 'https://github.com/login/oauth', 'post'],
    )
    assert.equal(provider?.client?.scope, 'read:user user:email')
    assert.equal(provider?.usesDiscovery, false)
    const [gitlab] = loadConfig({ ...client, OIDC_PRESET: 'gitlab' }).providers
    assert.deepEqual([gitlab?.issuer, gitlab?.usesDiscovery], ['https://gitlab.com', true])
    const shown = loadConfig(github).inForce()
    const issuer = shown.find(({ name }) => name === 'OIDC_ISSUER')
    assert.equal(issuer?.value, 'https://github.com/login/oauth')
  })

  test('two of one preset have the names of their settings', () => {
    const { providers } = loadConfig({
      OIDC_PROVIDERS: 'work,home',
      OIDC_WORK_PRESET: 'gitlab',
      OIDC_WORK_ISSUER: 'https://gitlab.example.org',
      OIDC_WORK_CLIENT_ID: 'w',
      OIDC_HOME_PRESET: 'gitlab',
      OIDC_HOME_CLIENT_ID: 'h',
    })
    assert.deepEqual(
      providers.map(({ label }) => label),
      ['work', 'home'],
    )
  })

  const accepted: Record<string, Record<string, string>> = {
    apple,
    wiki,
    github,
    'the value that the preset has': { ...github, OIDC_SCOPE: 'read:user user:email' },
    google: { ...client, OIDC_PRESET: 'google' },
    'one directory': { ...microsoft, OIDC_ISSUER: at(tenant) },
    'tokens of one directory': { ...microsoft, OIDC_ISSUER: at(tenant), OIDC_AUDIENCE: 'api' },
    'some directories': { ...microsoft, OIDC_ISSUER: at('common'), OIDC_TENANTS: tenant },
    'everyone, by consent': { ...microsoft, OIDC_ISSUER: at('common'), OIDC_TENANTS: 'any' },
  }
  for (const [name, env] of Object.entries(accepted)) {
    test(`accepted: ${name}`, () => assert.deepEqual(mistakesOf(env), []))
  }

  const ids = 'holds "contoso": the id of a directory has 32 hexadecimal digits'
  const directory =
    'must be https://login.microsoftonline.com/<directory id>/v2.0, or with common or organizations in place of the id'
  const consent =
    'must be set: the ids of the directories whose people may sign in, or any for everyone who has an account at Microsoft'
  const noIdToken = 'must not be set: a provider of the kind oauth2 has no ID tokens'
  const ofSecret = 'must not be set: TEAM_ID, KEY_ID and PRIVATE_KEY make the secret'
  const fieldsAlone = 'must not be set: it is for OIDC_KIND=oauth2 alone'
  const refused: readonly [Record<string, string>, ...string[]][] = [
    [
      { ...client, OIDC_PRESET: 'facebook' },
      'OIDC_PRESET must be one of github, discord, gitlab, google, microsoft, apple',
    ],
    [
      { OIDC_PRESET: 'github', OIDC_CLIENT_ID: 'app' },
      'OIDC_CLIENT_SECRET must be set with OIDC_PRESET=github',
    ],
    [
      { ...github, OIDC_ISSUER: 'https://github.com' },
      'OIDC_ISSUER must not be set: with OIDC_PRESET=github it is https://github.com/login/oauth',
    ],
    [
      { ...github, OIDC_SCOPE: 'repo' },
      'OIDC_SCOPE must not be set: with OIDC_PRESET=github it is read:user user:email',
    ],
    [
      { ...github, OIDC_KIND: 'oidc' },
      'OIDC_KIND must not be set: with OIDC_PRESET=github it is oauth2',
    ],
    [{ ...github, OIDC_AUDIENCE: 'api' }, `OIDC_AUDIENCE ${noIdToken}`],
    [{ ...github, OIDC_ROLES_CLAIM: 'type' }, `OIDC_ROLES_CLAIM ${noIdToken}`],
    [
      { ...github, OIDC_SUBJECT_FIELD: 'login' },
      'OIDC_SUBJECT_FIELD must not be set with OIDC_PRESET=github',
    ],
    [
      { ...github, OIDC_TENANTS: 'any' },
      'OIDC_TENANTS must not be set: it is for OIDC_PRESET=microsoft alone',
    ],
    [
      { ...client, OIDC_PRESET: 'google', OIDC_TOKEN_ENDPOINT: 'https://evil.example' },
      'OIDC_TOKEN_ENDPOINT must not be set with OIDC_PRESET=google',
    ],
    [{ ...client, OIDC_PRESET: 'google', OIDC_SCOPE: 'email' }, 'OIDC_SCOPE must hold openid'],
    [
      { ...client, OIDC_ISSUER: 'https://idp.example', OIDC_SUBJECT_FIELD: 'id' },
      `OIDC_SUBJECT_FIELD ${fieldsAlone}`,
    ],
    [microsoft, 'OIDC_ISSUER must be set with OIDC_PRESET=microsoft'],
    [{ ...microsoft, OIDC_ISSUER: at('contoso.onmicrosoft.com') }, `OIDC_ISSUER ${directory}`],
    [{ ...microsoft, OIDC_ISSUER: at('consumers') }, `OIDC_ISSUER ${directory}`],
    [{ ...microsoft, OIDC_ISSUER: at('common') }, `OIDC_TENANTS ${consent}`],
    [{ ...microsoft, OIDC_ISSUER: at('organizations') }, `OIDC_TENANTS ${consent}`],
    [{ ...microsoft, OIDC_ISSUER: at('common'), OIDC_TENANTS: 'contoso' }, `OIDC_TENANTS ${ids}`],
    [
      { ...microsoft, OIDC_ISSUER: at('common'), OIDC_TENANTS: `any,${tenant}` },
      'OIDC_TENANTS must be any, or ids',
    ],
    [
      { ...microsoft, OIDC_ISSUER: at(tenant), OIDC_TENANTS: 'any' },
      'OIDC_TENANTS must not be set: the issuer is that of one directory',
    ],
    [
      { ...microsoft, OIDC_ISSUER: at('common'), OIDC_TENANTS: tenant, OIDC_AUDIENCE: 'api' },
      'OIDC_AUDIENCE must not be set: bearer tokens need the issuer of one directory',
    ],
    [{ ...apple, OIDC_CLIENT_SECRET: 'x' }, `OIDC_CLIENT_SECRET ${ofSecret}`],
    [{ ...apple, OIDC_PRIVATE_KEY: '' }, 'OIDC_PRIVATE_KEY must be set with OIDC_PRESET=apple'],
    [
      { ...apple, OIDC_PRIVATE_KEY: 'secret-looking text' },
      'OIDC_PRIVATE_KEY must be the text of a P-256 key in PEM (.p8)',
    ],
    [
      { ...apple, OIDC_PRIVATE_KEY: String(pem('P-384')) },
      'OIDC_PRIVATE_KEY must be the text of a P-256 key in PEM (.p8)',
    ],
    [{ ...apple, OIDC_TEAM_ID: 'team' }, 'OIDC_TEAM_ID must be 10 capital letters and digits'],
    [{ ...wiki, OIDC_SCOPE: 'openid' }, 'OIDC_SCOPE must not hold openid with OIDC_KIND=oauth2'],
    [{ ...wiki, OIDC_SUBJECT_FIELD: '' }, 'OIDC_SUBJECT_FIELD must be set with OIDC_KIND=oauth2'],
    [
      { ...wiki, OIDC_SUBJECT_FIELD: 'a..b' },
      'OIDC_SUBJECT_FIELD must be a name, or names with dots',
    ],
    [
      { ...wiki, OIDC_USERINFO_ENDPOINT: '' },
      'OIDC_USERINFO_ENDPOINT must be set with OIDC_KIND=oauth2',
    ],
  ]
  for (const [env, ...mistakes] of refused) {
    test(`refused: ${mistakes.join('; ')}`, () => assert.deepEqual(mistakesOf(env), mistakes))
  }
})
