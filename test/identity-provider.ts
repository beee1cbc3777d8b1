import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Context } from 'oidc-provider'
import { afterwards } from './afterwards.ts'
import { type FixedClock, fixedClock } from './clock.ts'
import { forge, type Json, rs256 } from './forge.ts'

// The library prints warnings about use in production.
const { console: printer } = globalThis
for (const level of ['info', 'warn'] as const) {
  const print = printer[level]
  printer[level] = (...words: unknown[]) => {
    if (!String(words[0]).includes('oidc-provider')) print(...words)
  }
}
const { Provider } = await import('oidc-provider')

/** A user with an account at the provider. */
export interface Person {
  readonly sub: string
  readonly [claim: string]: unknown
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface IdentityProvider {
  readonly issuer: string
  /** The user that the login form answers; null: the login is declined. */
  person: Person | null
  /** The clock for `auth_time`; absent: the clock of the machine. */
  clock?: { now(): number }
  /** Further claims of the provider's access tokens. */
  extra: Json
  /** The algorithm of its access tokens. */
  algorithm: 'RS256' | 'ES256'
  /** Answers by path, in place of those of the provider. */
  readonly instead: Map<string, Handler>
  /** The requests so far, without their queries. */
  readonly asked: string[]
  /** Replaces all keys. */
  rotate(): void
  /** Stops to answer, and answers again. */
  stop(): Promise<void>
  start(): Promise<void>
  /** An access token of its token endpoint, by client credentials. */
  accessToken(): Promise<string>
  /** Signs any claims with its present RSA key. */
  signed(payload: Json, header?: Json): string
  /** The claims of its access token for a user. */
  claims(changes?: Json): Json
}

export const audience = 'https://gatehouse.test/api'
export const clientSecret = 'a client secret of the tests, 0123456789'
const usualBase = 'http://127.0.0.1:3000'

/** Settings of a service that is a client of the provider and accepts its tokens. */
export function settingsFor(provider: IdentityProvider, more: Record<string, string> = {}) {
  return {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'gatehouse',
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_SIGN_UP: 'on',
    OIDC_AUDIENCE: audience,
    ...more,
  }
}

const shared = new Map<string, Promise<IdentityProvider>>()

/** The providers of the examples in a test file: without a name in its addresses, and with one. */
export function exampleProvider(name: 'default' | 'acme' = 'default'): Promise<IdentityProvider> {
  return shared.getOrInsertComputed(name, () => {
    // The provider is closed, and the next file may be in this process.
    afterwards(() => void shared.delete(name))
    return identityProvider()
  })
}

/**
 * The system's time plus the time that a test has added: the client library and the provider read
 * the system's clock.
 */
export function clockOfToday(): FixedClock {
  const clock = fixedClock()
  let addedMs = 0
  return {
    ...clock,
    now: () => Date.now() + addedMs,
    advance(seconds) {
      addedMs += seconds * 1000
      clock.advance(seconds)
    },
  }
}

/**
 * Starts a certified provider on loopback, over real HTTP, for a service at `base`. It is closed when
 * the tests are done.
 */
export async function identityProvider(base = usualBase): Promise<IdentityProvider> {
  let keys = makeKeys()
  let handle: Handler = () => {}
  const instead = new Map<string, Handler>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    asked.push(path)
    const other = instead.get(path)
    if (other) return other(request, response)
    handle(request, response)
  })
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo // it listens on a port
  const issuer = `http://127.0.0.1:${port}`
  const people = new Map<string, Person>()

  const provider: IdentityProvider = {
    issuer,
    person: { sub: 'ann-1', name: 'Ann Lee', email: 'ann@example.org', preferred_username: 'ann' },
    extra: {},
    algorithm: 'RS256',
    instead,
    asked,
    rotate() {
      keys = makeKeys()
      handle = create()
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    start: () => listen(port),
    async accessToken() {
      const authorization = `Basic ${Buffer.from(`gatehouse:${encodeURIComponent(clientSecret)}`).toString('base64')}`
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
      })
      const { access_token } = (await response.json()) as { access_token: string } // RFC 6749
      return access_token
    },
    signed: (payload, header = {}) =>
      forge({ alg: 'RS256', typ: 'at+jwt', kid: keys.kid, ...header }, payload, rs256(keys.rsa)),
    claims(changes = {}) {
      const now = Math.floor(Date.now() / 1000)
      const own = { iss: issuer, sub: 'ann-1', aud: audience, client_id: 'app', roles: ['USER'] }
      return { ...own, iat: now, exp: now + 600, ...changes }
    },
  }
  handle = create()
  afterwards(() => {
    server.close()
    server.closeAllConnections()
  })
  return provider

  function create(): Handler {
    const oidc = new Provider(issuer, configuration())
    const callback = oidc.callback()
    return (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return callback(request, response)
      const { person } = provider
      if (person) people.set(person.sub, person)
      // Consent as well: the provider always asks for it if the client is a native program.
      const result = person
        ? { login: { accountId: person.sub, ts: secondsOf(provider.clock ?? Date) }, consent: {} }
        : { error: 'access_denied' }
      void oidc.interactionFinished(request, response, result)
    }
  }

  function configuration(): object {
    const redirect_uris = [`${base}/oauth/callback`, `${base}/oauth/acme/callback`]
    const client = {
      client_secret: clientSecret,
      redirect_uris,
      post_logout_redirect_uris: [`${base}/`],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    }
    return {
      clients: [
        // It says when a person has signed in; the others do so if they are asked.
        { ...client, client_id: 'gatehouse', require_auth_time: true },
        { ...client, client_id: 'poster', token_endpoint_auth_method: 'client_secret_post' },
        {
          client_id: 'public',
          token_endpoint_auth_method: 'none',
          redirect_uris,
          grant_types: ['authorization_code'],
        },
        {
          client_id: 'native',
          application_type: 'native',
          token_endpoint_auth_method: 'none',
          redirect_uris: ['http://127.0.0.1/callback'],
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
      jwks: { keys: [jwkOf(keys.rsa, keys.kid, 'RS256'), jwkOf(keys.ec, `${keys.kid}e`, 'ES256')] },
      cookies: { keys: ['a cookie key of the tests'] },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      claims: {
        email: ['email', 'email_verified'],
        profile: ['name', 'preferred_username', 'picture'],
        roles: ['roles'],
      },
      scopes: ['openid', 'offline_access', 'profile', 'email', 'roles'],
      findAccount: (_: unknown, sub: string) => ({
        accountId: sub,
        claims: () => people.get(sub) ?? { sub },
      }),
      extraTokenClaims: () => provider.extra,
      loadExistingGrant,
      issueRefreshToken: (_: unknown, client: { grantTypeAllowed(name: string): boolean }) =>
        client.grantTypeAllowed('refresh_token'),
      ttl: {
        AccessToken: 600,
        RefreshToken: 600,
        Interaction: 600,
        ClientCredentials: 600,
        IdToken: 600,
        Grant: 600,
        Session: 600,
      },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        rpInitiatedLogout: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({
            audience,
            scope: 'api.read api.write',
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: provider.algorithm } },
          }),
        },
      },
    }
  }
}

/** Grants all scopes without a question for consent. */
async function loadExistingGrant({ oidc: { client, provider, session } }: Context) {
  const { clientId } = client
  const grant = new provider.Grant({ clientId, accountId: session.accountId })
  grant.addOIDCScope('openid offline_access profile email roles')
  grant.addResourceScope(audience, 'api.read api.write')
  await grant.save()
  return grant
}

let generations = 0

function makeKeys() {
  generations += 1
  return {
    kid: `key-${generations}`,
    rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
    ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  }
}

function jwkOf(key: KeyObject, kid: string, alg: string): Json {
  return { ...key.export({ format: 'jwk' }), kid, alg, use: 'sig' }
}

/** Signs with ES256. */
export function es256(key: KeyObject) {
  return (input: string) => sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
}

function secondsOf({ now }: { now(): number }): number {
  return Math.floor(now() / 1000)
}
