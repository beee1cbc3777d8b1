import { parseAddressRange } from '../../core/addresses/address-ranges.ts'
import { list, oneOf, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'

export const settings = {
  CONSOLE: oneOf({
    default: 'on',
    values: ['on', 'off'],
    doc: 'The console at `/admin`: administration in a browser. `off` leaves it out; the API stays. docs/console.md',
  }),
  CONSOLE_ADDRESSES: list({
    shown: '(any)',
    doc: 'Addresses and CIDR ranges from which the console may be opened, comma-separated: `10.0.0.0/8, 2001:db8::/32`. Others get 403 at `/admin`; the API is not limited by it.',
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

export function configure({ values: { CONSOLE, CONSOLE_ADDRESSES } }: Reading) {
  const isOn = CONSOLE === 'on'
  const warning = 'CONSOLE_ADDRESSES has no effect while CONSOLE is off'
  return {
    config: {
      console: {
        isOn,
        /** Empty: any address. */
        addresses: CONSOLE_ADDRESSES.map(parseAddressRange),
      },
    },
    warnings: !isOn && CONSOLE_ADDRESSES.length > 0 ? [warning] : [],
  }
}
