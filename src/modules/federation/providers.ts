import type { FastifyRequest } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import { ApiError } from '../../core/errors.ts'
import { isTenantIssuer } from './presets/microsoft.ts'
import { createProvider, type Provider, type ProviderDeps } from './provider.ts'
import { defaultName } from './provider-settings.ts'

export interface Providers {
  /** The unnamed provider has the name `default`. */
  named(name: string): Provider | undefined
  /** Exact match, or a directory of a provider that has several. */
  issuing(issuer: unknown): Provider | undefined
  readonly all: readonly Provider[]
}

export interface ProvidersDeps extends ProviderDeps {
  readonly config: Pick<Config, 'providers'>
}

export function createProviders({ config, ...deps }: ProvidersDeps): Providers {
  const all = config.providers.map((provider) => createProvider(provider, deps))
  const byName = new Map(all.map((provider) => [provider.config.name, provider]))
  const byIssuer = new Map<unknown, Provider>(all.map((found) => [found.config.issuer, found]))
  const ofSeveral = all.filter(({ config: of }) => of.tenants !== null)
  return {
    all,
    named: (name) => byName.get(name),
    issuing: (issuer) =>
      byIssuer.get(issuer) ?? ofSeveral.find(({ config: of }) => isTenantIssuer(of, issuer)),
  }
}

/** The provider of the path. @throws ApiError routeNotFound if not configured for sign-in */
export function signInProvider(
  providers: Pick<Providers, 'named'>,
  { params }: FastifyRequest,
): Provider {
  const { provider: name = defaultName } = params as { provider?: string }
  const provider = providers.named(name)
  if (!provider?.config.client) {
    throw new ApiError('routeNotFound', { reason: { code: 'no_such_provider' } })
  }
  return provider
}
