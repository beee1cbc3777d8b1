import { parseAddressRange } from '../../core/addresses/address-ranges.ts'
import { list, oneOf, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { baseUrlOf } from '../../core/config/settings.ts'

export const settings = {
  PROVIDER: oneOf({
    default: 'off',
    values: ['off', 'on'],
    doc: 'Whether applications sign people in here, as at an OpenID Provider: docs/applications.md.',
  }),
  LOGOUT_NETWORKS: list({
    doc: 'Private addresses and CIDR ranges where back-channel logout may reach applications, comma-separated: `10.20.0.0/16`. Without it only public ones, and outside production loopback.',
    parse: (value) => {
      parseAddressRange(value)
      return value
    },
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
    config: { provider: { isOn, networks: values.LOGOUT_NETWORKS.map(parseAddressRange) } },
    mistakes: isOther
      ? ['TOKEN_ISSUER must be BASE_URL with PROVIDER=on: applications find the issuer there']
      : [],
  }
}
