import type { ProviderConfig } from '../../../core/config/load.ts'
import { apple } from './apple.ts'
import { discord } from './discord.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { google } from './google.ts'
import { microsoft } from './microsoft.ts'
import type { Preset } from './preset.ts'
import type { PresetName } from './values.ts'

export const presets: Readonly<Record<PresetName, Preset>> = {
  github,
  discord,
  gitlab,
  google,
  microsoft,
  apple,
}

export function presetOf({ preset }: Pick<ProviderConfig, 'preset'>): Preset | null {
  return preset === null ? null : presets[preset]
}

/** OpenID Connect Core 3.1.2.1: `max_age` adds `auth_time`. */
const fresh = { prompt: 'login', max_age: '300' } as const

/** What a request for a new sign-in adds. Null: the provider cannot state when it was. */
export function freshParameters(
  config: Pick<ProviderConfig, 'kind' | 'preset'>,
): Readonly<Record<string, string>> | null {
  const { fresh: own = config.kind === 'oauth2' ? null : fresh } = presetOf(config) ?? {}
  return own
}
