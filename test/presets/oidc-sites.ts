import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { forge, type Json, rs256 } from '../forge.ts'
import { secret } from './oauth2-sites.ts'
import type { Reply, Site, World } from './world.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = createPublicKey(privateKey).export({ format: 'jwk' })

/** The key that signs the client secret of Apple. */
export const appleKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

interface OidcSite {
  /** Host and path. */
  readonly at: string
  /** In the discovery document. */
  readonly issuer: string
  readonly token: string
  readonly isClient: (form: URLSearchParams) => boolean
  /** Changes to the claims of ID tokens, which are those of the person otherwise. */
  readonly claims?: Json
  /** Members of the key. */
  readonly key?: Json
}

/** A provider with discovery, ID tokens and keys. */
function oidcSite({ take, tokenOf }: World, site: OidcSite): Site {
  const { at, issuer, token, isClient, claims = {}, key = {} } = site
  const answer: Reply = ({ form }) => {
    if (!isClient(form)) return { status: 400, json: { error: 'invalid_client' } }
    const grant = take(form)
    if (!grant) return { status: 400, json: { error: 'invalid_grant' } }
    const now = Math.floor(Date.now() / 1000)
    const { nonce, client_id: aud } = grant.parameters
    const own = { iss: issuer, aud, nonce, iat: now, exp: now + 600 }
    const header = { alg: 'RS256', typ: 'JWT', kid: 'key-1' }
    const id_token = forge(header, { ...own, ...claims, ...grant.person }, rs256(privateKey))
    const access_token = tokenOf(grant.person)
    return { json: { access_token, id_token, token_type: 'Bearer', expires_in: 3599 } }
  }
  return {
    paths: {
      [`${at}/.well-known/openid-configuration`]: () => ({
        json: {
          issuer,
          authorization_endpoint: `https://${at}/authorize`,
          token_endpoint: `https://${token}`,
          jwks_uri: `https://${at}/keys`,
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: ['RS256'],
        },
      }),
      [token]: answer,
      [`${at}/keys`]: () => ({
        json: { keys: [{ ...jwk, kid: 'key-1', alg: 'RS256', use: 'sig', ...key }] },
      }),
    },
  }
}

const hasSecret = (form: URLSearchParams) => form.get('client_secret') === secret

export const googleSite = (world: World) =>
  oidcSite(world, {
    at: 'accounts.google.com',
    issuer: 'https://accounts.google.com',
    token: 'oauth2.googleapis.com/token',
    isClient: hasSecret,
  })

export const gitlabSite = (world: World) =>
  oidcSite(world, {
    at: 'git.example.org',
    issuer: 'https://git.example.org',
    token: 'git.example.org/oauth/token',
    isClient: hasSecret,
  })

export const tenants = {
  ours: '7d1e7a0c-7b29-4f6c-9d6e-0a1b2c3d4e5f',
  partner: '11111111-2222-4333-8444-555555555555',
  stranger: '99999999-2222-4333-8444-555555555555',
}
export const issuerOf = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`

/** Of `common`: the document names a template, as the keys do. */
export const microsoftSite = (world: World, key: Json = { issuer: issuerOf('{tenantid}') }) =>
  oidcSite(world, {
    at: 'login.microsoftonline.com/common/v2.0',
    issuer: issuerOf('{tenantid}'),
    token: 'login.microsoftonline.com/common/oauth2/v2.0/token',
    isClient: hasSecret,
    key,
  })

/** The secret is a JWT of the team, of at most six months. */
function isAppleSecret(form: URLSearchParams): boolean {
  const [head = '', payload = '', signature = ''] = (form.get('client_secret') ?? '').split('.')
  const partOf = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())
  const { iss, sub, aud, iat, exp } = partOf(payload)
  const now = Date.now() / 1000
  return (
    verify(
      'sha256',
      Buffer.from(`${head}.${payload}`),
      { key: appleKeys.publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    ) &&
    JSON.stringify(partOf(head)) === '{"alg":"ES256","kid":"KEY1234567"}' &&
    [iss, sub, aud].join(' ') === 'ABCDE12345 org.example.web https://appleid.apple.com' &&
    Math.abs(iat - now) < 60 &&
    exp > now &&
    exp - iat < 15_777_000 &&
    form.get('client_id') === 'org.example.web'
  )
}

export const appleSite = (world: World) =>
  oidcSite(world, {
    at: 'appleid.apple.com',
    issuer: 'https://appleid.apple.com',
    token: 'appleid.apple.com/auth/token',
    isClient: isAppleSecret,
  })

export const settings = {
  OIDC_PROVIDERS: 'google,git,work,fruit',
  OIDC_GOOGLE_PRESET: 'google',
  OIDC_GOOGLE_CLIENT_ID: 'google-id',
  OIDC_GOOGLE_CLIENT_SECRET: secret,
  OIDC_GOOGLE_SIGN_UP: 'on',
  OIDC_GIT_PRESET: 'gitlab',
  OIDC_GIT_ISSUER: 'https://git.example.org',
  OIDC_GIT_CLIENT_ID: 'git-id',
  OIDC_GIT_CLIENT_SECRET: secret,
  OIDC_GIT_SIGN_UP: 'on',
  OIDC_WORK_PRESET: 'microsoft',
  OIDC_WORK_ISSUER: issuerOf('common'),
  OIDC_WORK_TENANTS: `${tenants.ours},${tenants.partner}`,
  OIDC_WORK_CLIENT_ID: 'work-id',
  OIDC_WORK_CLIENT_SECRET: secret,
  OIDC_WORK_SIGN_UP: 'on',
  OIDC_FRUIT_PRESET: 'apple',
  OIDC_FRUIT_CLIENT_ID: 'org.example.web',
  OIDC_FRUIT_TEAM_ID: 'ABCDE12345',
  OIDC_FRUIT_KEY_ID: 'KEY1234567',
  OIDC_FRUIT_PRIVATE_KEY: String(appleKeys.privateKey.export({ type: 'pkcs8', format: 'pem' })),
  OIDC_FRUIT_SIGN_UP: 'on',
}
