import type { IDToken } from 'openid-client'
import { verifyJws } from '../tokens/jws.ts'
import { isSubject, rolesAt, standardClaims } from './claims.ts'
import { asApiError } from './faults.ts'
import { wrong } from './guarded-fetch.ts'
import { nameParameter } from './hand-on.ts'
import type { IdentityClaims } from './identities.ts'
import { exchangeOauth2, type FlowSecrets, type Return } from './oauth2-grant.ts'
import { textOf } from './presets/answers.ts'
import { isKeyOf, tenantIssuer } from './presets/microsoft.ts'
import { freshParameters, presetOf } from './presets/presets.ts'
import { type Client, deadline, type Provider, within } from './provider.ts'

export interface AuthorizationOptions {
  readonly redirectUri?: string
  /** Forces a new sign-in and requires `auth_time`. */
  readonly isFresh?: boolean
}

/**
 * RFC 6749 section 4.1.1, RFC 7636 section 4.3, OpenID Connect Core 3.1.2.1.
 * @throws ApiError identityProvider without an authorization endpoint
 */
export async function authorizationUrl(
  { config }: Provider,
  { library, configuration }: Client,
  { state, nonce, verifier }: FlowSecrets,
  { redirectUri = config.client?.redirectUri ?? '', isFresh = false }: AuthorizationOptions = {},
): Promise<URL> {
  const { client, kind } = config
  const preset = presetOf(config)
  const challenge = {
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  try {
    return library.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      ...(client?.scope && { scope: client.scope }),
      state,
      ...(kind === 'oidc' && { nonce }),
      ...(preset?.pkce !== 'none' && challenge),
      ...preset?.parameters,
      ...(isFresh && freshParameters(config)),
    })
  } catch (error) {
    throw asApiError(error, { wasAsked: () => true })
  }
}

/**
 * All checks of OpenID Connect Core 3.1.3. @throws ApiError signInFailed, accessDenied,
 * identityProvider, serviceUnavailable
 */
export async function exchange(
  provider: Provider,
  query: URLSearchParams,
  secrets: FlowSecrets,
): Promise<IdentityClaims> {
  const limit = deadline()
  const client = await provider.client(limit)
  const url = new URL(`${provider.config.client?.redirectUri}?${query}`)
  const returned = { client, url, secrets, limit }
  if (provider.config.kind === 'oauth2') return exchangeOauth2(provider, returned)
  const { tokens, claims } = await exchangeCode(provider, returned)
  try {
    const info = await userInfo(client, tokens.access_token, claims)
    return personOf(provider, claims, info, query.get(nameParameter))
  } catch (error) {
    throw asApiError(error, client)
  }
}

/** @throws ApiError as `exchange` */
export async function exchangeCode(
  provider: Provider,
  { client, url, secrets: { state, nonce, verifier }, limit }: Return,
) {
  try {
    // The library checks state, iss (RFC 9207) and the ID token.
    const tokens = await client.library.authorizationCodeGrant(client.configuration, url, {
      expectedState: state,
      expectedNonce: nonce,
      ...(presetOf(provider.config)?.pkce !== 'none' && { pkceCodeVerifier: verifier }),
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims || !tokens.id_token) throw wrong('the answer holds no ID token')
    assertAcceptable(claims, provider)
    await within(limit, assertSigned(provider, tokens.id_token, claims))
    return { tokens, claims }
  } catch (error) {
    throw asApiError(error, client)
  }
}

/** Clock skew, the same as the library's for `exp` and `nbf`. */
const toleranceSeconds = 30

/**
 * The library accepts any `sub` and `iat`. OpenID Connect Core section 2 and 3.1.3.7 (10). @throws
 * ApiError identityProvider
 */
function assertAcceptable({ sub, iat }: IDToken, { clock }: Provider): void {
  if (!isSubject(sub)) throw wrong('the ID token has no subject of 1 to 255 characters')
  if (iat > clock.now() / 1000 + toleranceSeconds) {
    throw wrong('the ID token was issued in the future')
  }
}

/**
 * The library skips the signature, as section 3.1.3.7 (6) allows. @throws ApiError
 * identityProvider, serviceUnavailable
 */
async function assertSigned(
  { config, keys }: Provider,
  idToken: string,
  { iss }: IDToken,
): Promise<void> {
  const isOfIssuer = config.tenants === null ? undefined : (of: unknown) => isKeyOf(of, iss)
  const verified = await verifyJws(idToken, (kid, { alg }) => keys.find(kid, alg, isOfIssuer))
  if (!verified) throw wrong('the ID token has no valid signature')
}

/** If the ID token lacks name or email; the library compares both `sub`. */
async function userInfo(
  { library, configuration }: Client,
  accessToken: string,
  claims: IDToken,
): Promise<Readonly<Record<string, unknown>>> {
  const { name, email } = standardClaims(claims)
  const isComplete = name !== undefined && email !== undefined
  const hasEndpoint = configuration.serverMetadata().userinfo_endpoint !== undefined
  if (isComplete || !hasEndpoint) return {}
  return library.fetchUserInfo(configuration, accessToken, claims.sub)
}

function personOf(
  { clock, config }: Provider,
  claims: IDToken,
  info: Readonly<Record<string, unknown>>,
  sentName: string | null,
): IdentityClaims {
  const { username, email, name } = { ...standardClaims(info), ...standardClaims(claims) }
  const ofEmail = standardClaims(claims).email === undefined ? info : claims
  const { isEmailVerified = isStatedVerified, parameters } = presetOf(config) ?? {}
  // Only a provider that posts states a name by way of the browser.
  const posted = parameters?.response_mode === 'form_post' ? textOf(sentName) : undefined
  return {
    issuer: config.tenants === null ? config.issuer : tenantIssuer(config, claims),
    subject: claims.sub,
    username,
    email,
    isEmailVerified: isEmailVerified(ofEmail),
    name: name ?? posted,
    authTime: authTimeOf(claims, clock.now()),
    // Administrators of any directory give roles of an application.
    roles: config.tenants?.includes('any')
      ? null
      : (rolesAt(claims, config) ?? rolesAt(info, config)),
  }
}

function isStatedVerified({ email_verified }: Readonly<Record<string, unknown>>): boolean {
  return email_verified === true
}

/** Epoch milliseconds. Ignores a future time: otherwise each login would count as recent. */
function authTimeOf({ auth_time }: IDToken, now: number): number | undefined {
  if (typeof auth_time !== 'number' || !Number.isFinite(auth_time) || auth_time <= 0)
    return undefined
  if (auth_time > now / 1000 + toleranceSeconds) return undefined
  return Math.min(auth_time * 1000, now)
}
