import type { IDToken } from 'openid-client'
import { verifyJws } from '../token/jws.ts'
import { isSubject, rolesAt, texts } from './claims.ts'
import { asApiError } from './faults.ts'
import { wrong } from './guarded-fetch.ts'
import type { Person } from './identities.ts'
import { type Client, deadline, type Provider, within } from './provider.ts'

/** What binds an answer to its request: sent along, and compared when it comes back. */
export interface FlowSecrets {
  readonly state: string
  readonly nonce: string
  /** RFC 7636 section 4.1: 43 to 128 characters. */
  readonly verifier: string
}

/**
 * The authorization request. RFC 6749 section 4.1.1, RFC 7636 section 4.3; OpenID Connect Core 3.1.2.1.
 * @throws ApiError identityProvider where the provider names no address for it
 */
export async function authorizationUrl(
  { config }: Provider,
  { library, configuration }: Client,
  { state, nonce, verifier }: FlowSecrets,
  redirectUri = config.client?.redirectUri ?? '',
): Promise<URL> {
  try {
    return library.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: config.client?.scope ?? 'openid',
      state,
      nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
  } catch (error) {
    throw asApiError(error, { wasAsked: () => true })
  }
}

/**
 * From the callback's query to a person: everything that OpenID Connect Core 3.1.3 asks for.
 * @throws ApiError signInFailed, accessDenied, identityProvider, serviceUnavailable
 */
export async function exchange(
  provider: Provider,
  query: URLSearchParams,
  secrets: FlowSecrets,
): Promise<Person> {
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

/** What a browser has come back with, to the address that it was sent to. */
export interface Return {
  readonly client: Client
  readonly url: URL
  readonly secrets: FlowSecrets
  readonly limit: AbortSignal
}

/** The tokens for a code, once all about them is as it must be. @throws ApiError as `exchange` */
export async function exchangeCode(
  provider: Provider,
  { client, url, secrets: { state, nonce, verifier }, limit }: Return,
) {
  try {
    // State, iss (RFC 9207), error answers; then the code; then the claims of the ID token.
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

/** Of clocks that go apart: as much as the library gives `exp` and `nbf`. */
const toleranceSeconds = 30

/**
 * What the library lets pass: any text as `sub`, any number as `iat`. OpenID Connect Core section 2
 * and 3.1.3.7 (10). @throws ApiError identityProvider
 */
function assertAcceptable({ sub, iat }: IDToken, { clock }: Provider): void {
  if (!isSubject(sub)) throw wrong('the ID token has no subject of 1 to 255 characters')
  if (iat > clock.now() / 1000 + toleranceSeconds) {
    throw wrong('the ID token was issued in the future')
  }
}

/**
 * The library trusts the connection to the token endpoint, as section 3.1.3.7 (6) lets it; the
 * signature is looked at as well, by the provider's keys and asymmetric algorithms alone.
 * @throws ApiError identityProvider, serviceUnavailable
 */
async function assertSigned({ keys }: Provider, idToken: string): Promise<void> {
  const verified = await verifyJws(idToken, (kid, { alg }) => keys.find(kid, alg))
  if (!verified) throw wrong('the ID token has no valid signature')
}

/** Asked where the ID token lacks name or e-mail; the library holds its `sub` to that of the token. */
async function userInfo(
  { library, configuration }: Client,
  accessToken: string,
  claims: IDToken,
): Promise<Readonly<Record<string, unknown>>> {
  const { name, email } = texts(claims)
  const isComplete = name !== undefined && email !== undefined
  const hasEndpoint = configuration.serverMetadata().userinfo_endpoint !== undefined
  if (isComplete || !hasEndpoint) return {}
  return library.fetchUserInfo(configuration, accessToken, claims.sub)
}

function personOf({ config }: Provider, claims: IDToken, info: Readonly<Record<string, unknown>>) {
  const { username, email, name } = { ...texts(info), ...texts(claims) }
  return {
    issuer: config.issuer,
    subject: claims.sub,
    username,
    email,
    name,
    roles: rolesAt(claims, config) ?? rolesAt(info, config),
  }
}
