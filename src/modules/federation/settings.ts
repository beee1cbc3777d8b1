import type { Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { rolesOf } from '../../core/config/roles.ts'
import { baseUrlOf } from '../../core/config/settings.ts'
import { labelOf, toProvider } from './provider-config.ts'
import { oidcSettings, prefixed } from './provider-settings.ts'
import {
  providerContradictions,
  providerWarnings,
  readProviders,
  textsOfPresets,
} from './read-providers.ts'

export const settings = oidcSettings

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ env, isMisread, values }: Reading) {
  const { mistakes, providers, warnings } = readProviders(values, env)
  const baseUrl = baseUrlOf(values)
  const contradictions = providerContradictions(providers, {
    isProduction: values.NODE_ENV === 'production',
    ownIssuer: values.TOKEN_ISSUER ?? baseUrl,
    ownRoles: isMisread('ROLES') ? null : values.ROLES,
  })
  // Ignore invalid settings in contradictions.
  const misread = new Set(mistakes.map((line) => line.split(' ', 1)[0]))
  const roles = rolesOf(values)
  return {
    config: {
      providers: providers.map((each) =>
        toProvider(each, { baseUrl, roles }, labelOf(each, providers)),
      ),
    },
    mistakes: [
      ...mistakes,
      ...contradictions.filter((line) => !misread.has(line.split(' ', 1)[0])),
    ],
    warnings: [...warnings, ...providerWarnings(providers)],
    derived: textsOfPresets(providers, env),
    further: providers.map(({ prefix }) => prefixed(prefix)),
  }
}
