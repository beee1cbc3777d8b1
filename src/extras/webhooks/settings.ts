import { parseAddressRange } from '../../core/addresses/address-ranges.ts'
import { list, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'

export const settings = {
  WEBHOOK_NETWORKS: list({
    formerly: 'WEBHOOK_ADDRESSES',
    doc: 'Private addresses and CIDR ranges that webhooks may go to, comma-separated: `10.20.0.0/16`. Without it only public ones, and outside production loopback. Metadata addresses of clouds are refused in any case. docs/webhooks.md',
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
  return {
    config: {
      /** Allowed non-public addresses. */
      webhooks: { addresses: values.WEBHOOK_NETWORKS.map(parseAddressRange) },
    },
  }
}
