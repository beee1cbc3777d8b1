import type { IDToken } from 'openid-client'
import type { Account } from '../accounts/account.ts'
import type { Database } from '../database/connect.ts'
import type { Clock } from '../kernel/clock.ts'
import { digest } from '../kernel/digest.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Random, randomText } from '../kernel/random.ts'
import type { KeySet } from '../keys/key-set.ts'
import { seal, unseal } from '../keys/seal.ts'
import { verifyJws } from '../token/jws.ts'
import { rolesAt, texts } from './claims.ts'
import { asApiError } from './faults.ts'
import { flowStore, reapFlows, type StoredFlow } from './flow-store.ts'
import { wrong } from './guarded-fetch.ts'
import type { Person } from './identities.ts'
import { type Client, deadline, type Provider, within } from './provider.ts'

/**
 * The authorization code flow with PKCE, from our side. OpenID Connect Core section 3.1; RFC 7636,
 * RFC 9207. What a flow knows lies in the database, so that any process can finish it.
 */
export interface Flows {
  /** Where to send the browser. @throws ApiError serviceUnavailable, identityProvider */
  begin(provider: Provider, beginning: Beginning): Promise<URL>
  /**
   * Who came back, by the query of the callback. The flow is used up by it, whatever comes of it.
   * @throws ApiError signInFailed, accessDenied, identityProvider, serviceUnavailable
   */
  finish(provider: Provider, query: URLSearchParams, browser: string): Promise<Finished>
  /** Keeps a sign-in that a second factor must confirm; answers the ticket for it. */
  suspend(account: Account, finished: Pick<Finished, 'provider' | 'returnTo'>): Promise<string>
  /** The sign-in that a ticket waits for. @throws ApiError signInFailed where it has ended */
  waiting(ticket: string | undefined): Promise<Waiting>
  /** Uses the ticket up. @throws ApiError signInFailed for all but the first of many at once */
  resume(ticket: string, waiting: Waiting): Promise<void>
  reap(most: number): Promise<number>
}

export interface Beginning {
  readonly returnTo: string
  /** The value of the cookie that binds the flow to its browser. */
  readonly browser: string
  /** Whose account the identity shall be linked to; absent: this is a sign-in. */
  readonly account?: Account
}

export interface Finished {
  readonly provider: string
  readonly person: Person
  readonly returnTo: string
  /** The account as it was when the linking began; null for a sign-in. */
  readonly linkTo: AccountThen | null
}

/** An account that must not have ended its logins since. */
export interface AccountThen {
  readonly userId: number
  readonly refreshVersion: number
}

export interface Waiting extends AccountThen {
  readonly provider: string
  readonly returnTo: string
}

export interface FlowsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly keys: Pick<KeySet, 'dataKey'>
}

/** What only we may know of a flow. */
interface Secrets {
  readonly issuer: string
  readonly nonce: string
  readonly verifier: string
  readonly refreshVersion: number
}

export const flowSeconds = 600
const secretBytes = 32 // 43 characters of base64url, the shortest PKCE verifier: RFC 7636 section 4.1

export function createFlows({ db, clock, random, keys }: FlowsDeps): Flows {
  const store = flowStore(db)

  return {
    async begin(provider, { returnTo, browser, account }) {
      const { name, issuer } = provider.config
      const [state, nonce, verifier] = [secret(), secret(), secret()]
      const client = await provider.client(deadline())
      const url = await authorizationUrl(provider, client, { state, nonce, verifier })
      await keep(
        { state, browser, provider: name, returnTo },
        { issuer, nonce, verifier, refreshVersion: account?.refreshVersion ?? 0 },
        account ? { purpose: 'link', userId: account.userId } : { purpose: 'sign_in' },
      )
      return url
    },

    async finish(provider, query, browser) {
      const { name, issuer } = provider.config
      const state = query.get('state') ?? ''
      const keyOf = { id: digest(state), browser: digest(browser) }
      const flow = await store.take(keyOf, { provider: name, now: clock.now() })
      if (!flow || flow.purpose === 'second_factor') throw new ApiError('signInFailed')
      const secrets = open(flow)
      // The provider may have been configured anew meanwhile.
      if (secrets.issuer !== issuer) throw new ApiError('signInFailed')
      const person = await exchange(provider, query, { ...secrets, state })
      const { userId, returnTo } = flow
      const { refreshVersion } = secrets
      return {
        provider: name,
        person,
        returnTo,
        linkTo: userId === null ? null : { userId, refreshVersion },
      }
    },

    async suspend({ userId, refreshVersion }, { provider, returnTo }) {
      const ticket = secret()
      await keep(
        { state: ticket, browser: ticket, provider, returnTo },
        { issuer: '', nonce: '', verifier: '', refreshVersion },
        { purpose: 'second_factor', userId },
      )
      return ticket
    },

    async waiting(ticket) {
      const key = { id: digest(ticket ?? ''), browser: digest(ticket ?? '') }
      const flow = await store.waiting(key, clock.now())
      if (flow?.userId == null) throw new ApiError('signInFailed')
      const { provider, userId, returnTo } = flow
      return { provider, userId, returnTo, refreshVersion: open(flow).refreshVersion }
    },

    async resume(ticket, { provider }) {
      const key = { id: digest(ticket), browser: digest(ticket) }
      if (!(await store.take(key, { provider, now: clock.now() }))) {
        throw new ApiError('signInFailed')
      }
    },

    reap: (most) => reapFlows(db, clock.now(), most),
  }

  function secret(): string {
    return randomText(random, secretBytes)
  }

  async function keep(
    flow: { state: string; browser: string; provider: string; returnTo: string },
    secrets: Secrets,
    about: { purpose: StoredFlow['purpose']; userId?: number },
  ): Promise<void> {
    const id = digest(flow.state)
    await store.insert({
      id,
      browser: digest(flow.browser),
      purpose: about.purpose,
      provider: flow.provider,
      userId: about.userId ?? null,
      sealed: seal(random, keys.dataKey, contextOf(id), Buffer.from(JSON.stringify(secrets))),
      returnTo: flow.returnTo,
      expiresAt: clock.now() + flowSeconds * 1000,
    })
  }

  function open({ id, sealed }: StoredFlow): Secrets {
    return JSON.parse(unseal(keys.dataKey, contextOf(id), sealed).toString()) // as `keep` wrote it
  }
}

/**
 * The authorization request. RFC 6749 section 4.1.1, RFC 7636 section 4.3; OpenID Connect Core 3.1.2.1.
 * @throws ApiError identityProvider where the provider names no address for it
 */
export async function authorizationUrl(
  { config }: Provider,
  { library, configuration }: Client,
  { state, nonce, verifier }: Pick<Secrets, 'nonce' | 'verifier'> & { readonly state: string },
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

/** A flow's secrets opened in another row would bind one browser's code to another's verifier. */
function contextOf(id: string): string {
  return `flow:${id}`
}

/** From the callback's query to a person: everything that OpenID Connect Core 3.1.3 asks for. */
async function exchange(
  provider: Provider,
  query: URLSearchParams,
  { state, nonce, verifier }: Secrets & { readonly state: string },
): Promise<Person> {
  const limit = deadline()
  const client = await provider.client(limit)
  const { library, configuration } = client
  try {
    const url = new URL(`${provider.config.client?.redirectUri}?${query}`)
    // State, iss (RFC 9207), error answers; then the code; then the claims of the ID token.
    const tokens = await library.authorizationCodeGrant(configuration, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims || !tokens.id_token) throw wrong('the answer holds no ID token')
    await within(limit, assertSigned(provider, tokens.id_token))
    return personOf(provider, claims, await userInfo(client, tokens.access_token, claims))
  } catch (error) {
    throw asApiError(error, client)
  }
}

/**
 * The library trusts the connection to the token endpoint, as section 3.1.3.7 (6) lets it; the
 * signature is looked at as well, by the provider's keys and asymmetric algorithms alone.
 * @throws ApiError identityProvider, serviceUnavailable
 */
export async function assertSigned({ keys }: Provider, idToken: string): Promise<void> {
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
    roles: rolesAt(claims, config.rolesClaim) ?? rolesAt(info, config.rolesClaim),
  }
}
