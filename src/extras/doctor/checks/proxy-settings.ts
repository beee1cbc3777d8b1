import {
  type AddressRange,
  overlap,
  parseAddressRange,
} from '../../../core/addresses/address-ranges.ts'
import { isLoopback } from '../../../core/addresses/loopback.ts'
import type { Check } from '../../../core/checks/check.ts'
import type { OfflineContext } from '../../../core/checks/context.ts'

const why = {
  en: 'The limits of logins count addresses: clients who can choose theirs are not limited, and clients who share that of the proxy lock each other out.',
  de: 'Die Grenzen der Anmeldungen zählen Adressen: Clients, die ihre wählen können, haben keine Grenze, und Clients, die die Adresse des Proxys teilen, sperren einander aus.',
}

const trustProxy: Check<OfflineContext> = {
  id: 'trust_proxy',
  level: 'error',
  passMessage: 'TRUST_PROXY names the proxies in front, if there are any',
  why,
  mend: {
    do: {
      en: 'Name the address from which the proxy connects to the service.',
      de: 'Nennen Sie die Adresse, von der der Proxy sich mit dem Dienst verbindet.',
    },
    setting: 'TRUST_PROXY=127.0.0.1',
  },
  find({ config: { baseUrl, environment, http } }) {
    const { protocol, hostname } = new URL(baseUrl)
    if (environment !== 'production' || protocol !== 'https:' || isLoopback(hostname)) return []
    if (http.tls || http.trustedProxies.length > 0) return []
    const what = {
      en: 'BASE_URL is https and this service has no certificate, so a proxy ends TLS; but TRUST_PROXY names none.',
      de: 'BASE_URL ist https, und dieser Dienst hat kein Zertifikat; also beendet ein Proxy TLS. TRUST_PROXY nennt aber keinen.',
    }
    return [{ what }]
  },
}

const privateRanges = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
  'fe80::/10',
  '::1',
].map(parseAddressRange)

// The largest proxy networks are 104.16.0.0/13 and 2400:cb00::/32.
const widestIpv4 = 96 + 8
const widestIpv6 = 19

function isTooWide(range: AddressRange): boolean {
  const isPrivate = privateRanges.some((one) => overlap(one, range) && one.bits <= range.bits)
  if (isPrivate) return false
  return range.bits < (range.text.includes(':') ? widestIpv6 : widestIpv4)
}

const trustProxyWide: Check<OfflineContext> = {
  id: 'trust_proxy_wide',
  level: 'error',
  passMessage: 'TRUST_PROXY holds no range of addresses that clients have',
  why,
  mend: {
    do: {
      en: 'Name the proxies alone, by address or by the range that they have.',
      de: 'Nennen Sie nur die Proxys, mit ihrer Adresse oder ihrem Bereich.',
    },
    setting: 'TRUST_PROXY=127.0.0.1',
  },
  find({ config: { http } }) {
    return http.trustedProxies
      .map(parseAddressRange)
      .filter(isTooWide)
      .map(({ text }) => ({
        what: {
          en: `TRUST_PROXY holds ${text}: clients among these addresses choose the address that is counted.`,
          de: `TRUST_PROXY enthält ${text}: Clients mit diesen Adressen wählen die Adresse, die zählt.`,
        },
      }))
  },
}

export const proxySettingChecks: readonly Check<OfflineContext>[] = [trustProxy, trustProxyWide]
