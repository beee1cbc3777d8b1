import { ApiError } from '../../core/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import { asApiError } from './faults.ts'
import { type Client, deadline, type Provider } from './provider.ts'

/** Spec 4.4, 5.4. */
export interface ClientTokens {
  /** Cached until shortly before expiry. RFC 6749 section 4.4. */
  clientCredentials(options?: TokenOptions): Promise<ClientToken>
  /** Deprecated flow. @throws ApiError accessDenied unless allowed */
  password(username: string, password: string, options?: TokenOptions): Promise<ClientToken>
  /** RFC 6749 section 6. */
  refresh(refreshToken: string): Promise<ClientToken>
}

export interface TokenOptions {
  /** Separated by spaces. */
  readonly scope?: string | undefined
  /** If required by the provider. RFC 8707. */
  readonly resource?: string | undefined
}

export interface ClientToken {
  readonly accessToken: string
  /** Epoch milliseconds; null if unknown. */
  readonly expiresAt: number | null
  readonly refreshToken: string | null
  readonly scope: string | null
}

type Answer = Awaited<ReturnType<Client['library']['clientCredentialsGrant']>>

/** Avoids expiry in transit. */
const marginMs = 30_000
const maxKept = 100

/** @throws ApiError signInFailed, identityProvider or serviceUnavailable */
export function createClientTokens(
  provider: Provider,
  { clock }: { readonly clock: Clock },
): ClientTokens {
  const kept = new BoundedMap<string, ClientToken>(maxKept)
  const underWay = new Map<string, Promise<ClientToken>>()

  return {
    clientCredentials(options = {}) {
      const parameters = parametersOf(options)
      const key = String(new URLSearchParams(parameters))
      const known = kept.get(key)
      if (known?.expiresAt && clock.now() < known.expiresAt - marginMs) {
        return Promise.resolve(known)
      }
      const pending = underWay.get(key)
      if (pending) return pending // one request for all callers
      const asked = ask(({ library, configuration }) =>
        library.clientCredentialsGrant(configuration, parameters),
      )
        .then((token) => {
          kept.set(key, token)
          return token
        })
        .finally(() => underWay.delete(key))
      underWay.set(key, asked)
      return asked
    },

    async password(username, password, options = {}) {
      if (!provider.config.client?.allowsPasswordGrant) {
        const facts = { provider: provider.config.name }
        throw new ApiError('accessDenied', { reason: { code: 'password_grant_off', facts } })
      }
      return ask(({ library, configuration }) =>
        library.genericGrantRequest(configuration, 'password', {
          username,
          password,
          ...parametersOf(options),
        }),
      )
    },

    refresh: (refreshToken) =>
      ask(({ library, configuration }) => library.refreshTokenGrant(configuration, refreshToken)),
  }

  async function ask(grant: (client: Client) => Promise<Answer>): Promise<ClientToken> {
    const client = await provider.client(deadline())
    try {
      const { access_token, expires_in, refresh_token, scope } = await grant(client)
      return {
        accessToken: access_token,
        expiresAt: expires_in === undefined ? null : clock.now() + expires_in * 1000,
        refreshToken: refresh_token ?? null,
        scope: scope ?? null,
      }
    } catch (error) {
      throw asApiError(error, client)
    }
  }
}

function parametersOf({ scope, resource }: TokenOptions): Record<string, string> {
  return { ...(scope !== undefined && { scope }), ...(resource !== undefined && { resource }) }
}
