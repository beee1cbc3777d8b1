import type { IDToken } from 'openid-client'
import { verifyJws } from '../tokens/jws.ts'
import { isSubject, rolesAt, standardClaims } from './claims.ts'
import { asApiError } from './faults.ts'
import { wrong } from './guarded-fetch.ts'
import type { IdentityClaims } from './identities.ts'
import { type Client, deadline, type Provider, within } from './provider.ts'

/** Bind the provider's response to its request. */
export interface FlowSecrets {
  readonly state: string
  readonly nonce: string
  /** RFC 7636 section 4.1: 43 to 128 characters. */
  readonly verifier: string
}

export interface AuthorizationOptions {
  readonly redirectUri?: string
  /** Forces a new sign-in and requires `auth_time`. */
  readonly isFresh?: boolean
}

// OpenID Connect Core 3.1.2.1: `max_age` adds `auth_time`.
const fresh = { prompt: 'login', max_age: '300' } as const

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
  try {
    return library.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: config.client?.scope ?? 'openid',
      state,
      nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(isFresh && fresh),
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
  const { tokens, claims } = await exchangeCode(provider, { client, url, secrets, limit })
  try {
    return personOf(provider, claims, await userInfo(client, tokens.access_token, claims))
  } catch (error) {
    throw asApiError(error, client)
  }
}

export interface Return {
  readonly client: Client
  readonly url: URL
  readonly secrets: FlowSecrets
  readonly limit: AbortSignal
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
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims || !tokens.id_token) throw wrong('the answer holds no ID token')
    assertAcceptable(claims, provider)
    await within(limit, assertSigned(provider, tokens.id_token))
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
async function assertSigned({ keys }: Provider, idToken: string): Promise<void> {
  const verified = await verifyJws(idToken, (kid, { alg }) => keys.find(kid, alg))
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
) {
  const { username, email, name } = { ...standardClaims(info), ...standardClaims(claims) }
  const { email_verified } = standardClaims(claims).email === undefined ? info : claims
  return {
    issuer: config.issuer,
    subject: claims.sub,
    username,
    email,
    isEmailVerified: email_verified === true,
    name,
    authTime: authTimeOf(claims, clock.now()),
    roles: rolesAt(claims, config) ?? rolesAt(info, config),
  }
}

/** Epoch milliseconds. Ignores a future time: otherwise each login would count as recent. */
function authTimeOf({ auth_time }: IDToken, now: number): number | undefined {
  if (typeof auth_time !== 'number' || !Number.isFinite(auth_time) || auth_time <= 0)
    return undefined
  if (auth_time > now / 1000 + toleranceSeconds) return undefined
  return Math.min(auth_time * 1000, now)
}
