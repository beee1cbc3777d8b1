import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client'
import type { ProviderConfig } from '../../core/config/load.ts'
import { ApiError } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import { identityProviderFail } from './events.ts'
import { fetchJson, fetchObject, guardedFetch, unreachable, wrong } from './guarded-fetch.ts'
import { appleSecret } from './presets/apple.ts'
import { issuerTemplate } from './presets/microsoft.ts'
import type { Ask } from './presets/preset.ts'
import { asymmetricAlgorithms, createProviderKeys, type ProviderKeys } from './provider-keys.ts'
import { staleWhileRevalidate } from './stale-while-revalidate.ts'

/** Spec 4.4, 5.4. */
export interface Provider {
  readonly config: ProviderConfig
  readonly keys: ProviderKeys
  readonly clock: Clock
  /** @throws ApiError serviceUnavailable, identityProvider */
  metadata(): Promise<ServerMetadata>
  /** @throws ApiError as `metadata`; routeNotFound if not configured for sign-in */
  client(deadline: AbortSignal): Promise<Client>
}

export type ClientLibrary = typeof import('openid-client')

export interface Client {
  readonly library: ClientLibrary
  readonly configuration: Configuration
  /** An API of the provider. */
  readonly ask: Ask
  /** Until a request is sent, a failure is the caller's fault. */
  wasAsked(): boolean
}

export interface ProviderDeps extends Pick<Deps, 'clock' | 'fetch'> {
  readonly events: Events
}

/** With all requests. */
const operationMs = 2400
const metadataFreshMs = 3_600_000
const metadataCoolDownMs = 30_000
const metadataKeptMs = 7 * 86_400_000
const endpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'end_session_endpoint',
  'jwks_uri',
] as const

export function deadline(): AbortSignal {
  return AbortSignal.timeout(operationMs)
}

/** Sends no request: the service starts without its providers. */
export function createProvider(config: ProviderConfig, deps: ProviderDeps): Provider {
  const { clock, events } = deps
  const { name, issuer, client: settings, usesDiscovery } = config
  const allowsHttp = issuer.startsWith('http:')
  const fetch = guardedFetch(deps.fetch, { allowsHttp })
  const discovered = staleWhileRevalidate({
    clock,
    load: () => recorded(discover),
    freshMs: metadataFreshMs,
    coolDownMs: metadataCoolDownMs,
    keptMs: metadataKeptMs,
  })

  async function metadata(): Promise<ServerMetadata> {
    return usesDiscovery ? { ...(await discovered.get()), ...overrides(config) } : explicit(config)
  }

  return {
    config,
    clock,
    metadata,
    keys: createProviderKeys({ clock, load: () => recorded(loadKeys) }),

    async client(signal) {
      if (!settings) {
        throw new ApiError('routeNotFound', { reason: { code: 'no_such_provider' } })
      }
      // Imported at first use: takes 30 ms.
      const library = await import('openid-client')
      const configuration = await configured(library, await within(signal, metadata()), settings.id)
      let asked = false
      configuration[library.customFetch] = async (url, { body, ...init }) => {
        asked = true
        const response = await fetch(url, { ...init, signal, ...(body !== undefined && { body }) })
        return config.kind === 'oauth2' ? withStatusOfError(response) : response
      }
      if (allowsHttp) library.allowInsecureRequests(configuration)
      return {
        library,
        configuration,
        ask: (url, headers) => fetchJson(fetch, url, { headers: { ...headers }, signal }),
        wasAsked: () => asked,
      }
    },
  }

  /** The library compares the issuer of each directory only after a discovery of its own. */
  async function configured(library: ClientLibrary, known: ServerMetadata, clientId: string) {
    if (config.tenants === null) {
      return new library.Configuration(known, clientId, {}, clientAuth(library))
    }
    return library.discovery(new URL(issuer), clientId, {}, clientAuth(library), {
      [library.customFetch]: async () => Response.json(known),
    })
  }

  function clientAuth({ ClientSecretBasic, ClientSecretPost, None }: ClientLibrary): ClientAuth {
    const { apple } = config
    if (settings && apple) {
      return (...given) => {
        const now = clock.now()
        return ClientSecretPost(appleSecret({ clientId: settings.id, now }, apple))(...given)
      }
    }
    const secret = settings?.secret?.reveal()
    if (!settings || secret === undefined || settings.auth === 'none') return None()
    return settings.auth === 'post' ? ClientSecretPost(secret) : ClientSecretBasic(secret)
  }

  /** OpenID Connect Discovery section 4. */
  async function discover(): Promise<ServerMetadata> {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const document = await fetchObject(fetch, url)
    // Exact comparison: another issuer's document must not count.
    const stated = config.tenants === null ? issuer : issuerTemplate
    if (document.issuer !== stated) throw wrong(`${url} names another issuer`)
    const algorithms = document.id_token_signing_alg_values_supported
    return {
      issuer: stated,
      ...Object.fromEntries(
        endpoints.flatMap((key) =>
          typeof document[key] === 'string' ? [[key, document[key]]] : [],
        ),
      ),
      authorization_response_iss_parameter_supported:
        document.authorization_response_iss_parameter_supported === true,
      id_token_signing_alg_values_supported: asymmetricAlgorithms.filter(
        (algorithm) => !Array.isArray(algorithms) || algorithms.includes(algorithm),
      ),
    }
  }

  async function loadKeys() {
    const { jwks_uri } = config.endpoints.jwks
      ? { jwks_uri: config.endpoints.jwks }
      : await metadata()
    if (jwks_uri === undefined) throw wrong(`${issuer} names no jwks_uri`)
    return fetchObject(fetch, jwks_uri)
  }

  /** For background failures, which no caller sees. */
  async function recorded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const { cause } = error instanceof ApiError ? error : { cause: error }
      const reason = cause instanceof Error ? cause.message : String(cause)
      events.emit(identityProviderFail, { provider: name, reason })
      throw error
    }
  }
}

/** The work continues after the deadline. @throws ApiError serviceUnavailable */
export async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const ended = Promise.withResolvers<never>()
  const end = () => ended.reject(unreachable('the provider takes too long'))
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, ended.promise])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** GitHub answers errors with 200. RFC 6749 section 5.2 */
async function withStatusOfError(response: Response): Promise<Response> {
  if (response.status !== 200) return response
  const value: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  const isError = typeof value === 'object' && value !== null && 'error' in value
  return isError
    ? new Response(response.body, { status: 400, headers: response.headers })
    : response
}

function overrides({ endpoints: { userinfo, jwks } }: ProviderConfig): Partial<ServerMetadata> {
  return {
    ...(userinfo !== undefined && { userinfo_endpoint: userinfo }),
    ...(jwks !== undefined && { jwks_uri: jwks }),
  }
}

function explicit(config: ProviderConfig): ServerMetadata {
  const { authorization, token } = config.endpoints
  return {
    issuer: config.issuer,
    ...(authorization !== undefined && { authorization_endpoint: authorization }),
    ...(token !== undefined && { token_endpoint: token }),
    ...overrides(config),
    id_token_signing_alg_values_supported: asymmetricAlgorithms,
  }
}
