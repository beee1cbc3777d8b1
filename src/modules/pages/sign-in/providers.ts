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
    .map(({ config: { label, name } }) => {
      const base = name === defaultName ? '/oauth' : `/oauth/${encodeURIComponent(name)}`
      return { name, login: `${base}/login`, logout: `${base}/logout`, label }
    })
}
