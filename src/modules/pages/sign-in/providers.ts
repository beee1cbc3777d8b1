import { defaultName } from '../../federation/provider-settings.ts'
import type { Providers } from '../../federation/providers.ts'

export interface ProviderLink {
  readonly name: string
  readonly login: string
  readonly logout: string
  readonly label: string
}

export function providerLinks({ all }: Pick<Providers, 'all'>): ProviderLink[] {
  return all
    .filter((provider) => provider.config.client)
    .map(({ config: { name, issuer } }) => {
      const base = name === defaultName ? '/oauth' : `/oauth/${encodeURIComponent(name)}`
      // The unnamed provider has no readable name.
      const label = name === defaultName ? new URL(issuer).host : name
      return { name, login: `${base}/login`, logout: `${base}/logout`, label }
    })
}
