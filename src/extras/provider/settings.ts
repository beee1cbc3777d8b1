import { oneOf, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { baseUrlOf } from '../../core/config/settings.ts'

export const settings = {
  PROVIDER: oneOf({
    default: 'off',
    values: ['off', 'on'],
    doc: 'Whether applications sign people in here, as at an OpenID Provider: docs/applications.md.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  const isOn = values.PROVIDER === 'on'
  const { TOKEN_ISSUER: issuer } = values
  const isOther = isOn && issuer !== undefined && issuer !== baseUrlOf(values)
  return {
    config: { provider: { isOn } },
    mistakes: isOther
      ? ['TOKEN_ISSUER must be BASE_URL with PROVIDER=on: applications find the issuer there']
      : [],
  }
}
