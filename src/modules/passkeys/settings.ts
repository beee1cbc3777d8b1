import { isIP } from 'node:net'
import { list, optional, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { baseUrlOf } from '../../core/config/settings.ts'

export const settings = {
  PASSKEY_RP_ID: optional({
    doc: 'The domain that passkeys belong to: the host of `BASE_URL` or a parent domain. Passkeys of another domain cannot be used. Default: the host of `BASE_URL`.',
    parse: (text) => text.toLowerCase(),
  }),
  PASSKEY_ORIGINS: list({
    doc: 'Other https origins whose pages may use the passkeys of `PASSKEY_RP_ID`, comma-separated and exact: `https://shop.example`. Browsers read them at `/.well-known/webauthn` of that domain. docs/passkeys.md',
    parse: parseRelatedOrigin,
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

const domain = /^(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/

export function configure({ values }: Reading) {
  const { hostname, origin } = new URL(baseUrlOf(values))
  const rpId = values.PASSKEY_RP_ID ?? hostname
  const isParent = domain.test(rpId) && hostname.endsWith(`.${rpId}`)
  return {
    config: {
      passkeys: {
        rpId,
        origin,
        /** Of other sites. WebAuthn level 3, section 5.11. */
        relatedOrigins: values.PASSKEY_ORIGINS,
        /** All that a passkey is accepted from. */
        origins: [origin, ...values.PASSKEY_ORIGINS],
        /** Browsers create no passkeys at an IP address. */
        isPossible: isIP(hostname.replace(/^\[|\]$/g, '')) === 0,
      },
    },
    mistakes:
      rpId === hostname || isParent
        ? []
        : ['PASSKEY_RP_ID must be the host of BASE_URL, or a parent domain of it'],
  }
}

/** As a browser writes it. */
function parseRelatedOrigin(item: string): string {
  const url = URL.parse(item)
  if (!url || url.origin !== item || url.protocol !== 'https:' || item.includes('*')) {
    throw new Error(`holds ${JSON.stringify(item)}, which is not an https origin`)
  }
  return item
}
