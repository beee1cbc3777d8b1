import { canonicalAddress, expand } from '../addresses/address.ts'
import { type AddressRange, isWithin, parseAddressRange } from '../addresses/address-ranges.ts'

/** Only `public` is reached through the internet and hides no other address. */
export type AddressKind =
  | 'public'
  | 'loopback'
  | 'private'
  | 'link_local'
  /** Carrier-grade NAT, RFC 6598. */
  | 'shared'
  | 'multicast'
  /** Documentation, tests, future use, or unallocated. */
  | 'reserved'
  /** IPv6 with an embedded IPv4 address for a translator or tunnel. */
  | 'translated'
  /** Hands the machine's credentials to any program. */
  | 'metadata'

/** Of cloud providers; private, link-local or public. */
const metadata = ranges(
  '169.254.169.254', // most clouds
  '169.254.170.2', // tasks of Amazon ECS
  '169.254.170.23', // pods of Amazon EKS
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254', // Google
  'fd00:c1::a9fe:a9fe', // Oracle
  'fe80::a9fe:a9fe', // OpenStack
  '192.0.0.192', // Oracle
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure
  '169.254.0.23', // Tencent
  '169.254.10.10',
  '169.254.42.42', // Scaleway
  'fd00:42::42',
)

/** IANA special-purpose registries (RFC 6890); the first match decides. */
const special: readonly (readonly [AddressKind, Ranges])[] = [
  ['loopback', ranges('127.0.0.0/8', '::1')],
  ['link_local', ranges('169.254.0.0/16', 'fe80::/10')],
  ['private', ranges('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10')],
  ['shared', ranges('100.64.0.0/10')],
  ['multicast', ranges('224.0.0.0/4', 'ff00::/8')],
  [
    'translated',
    ranges(
      '64:ff9b::/96', // NAT64, RFC 6052
      '64:ff9b:1::/48', // NAT64 of a network, RFC 8215
      '2002::/16', // 6to4, RFC 3056
      '2001::/32', // Teredo, RFC 4380
      '::ffff:0:0:0/96', // SIIT, RFC 2765
    ),
  ],
  [
    'reserved',
    ranges(
      '0.0.0.0/8',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.31.196.0/24',
      '192.52.193.0/24',
      '192.88.99.0/24',
      '192.175.48.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
      '::/3', // global unicast is 2000::/3 only
      '4000::/2',
      '8000::/1',
      '2001::/23',
      '2001:db8::/32',
      '3fff::/20',
    ),
  ],
]

const ipv4 = ranges('0.0.0.0/0')

/**
 * Accepts any spelling of `node:net`. IPv6 with an embedded metadata address counts as metadata.
 * @throws Error for invalid text
 */
export function kindOfAddress(text: string): AddressKind {
  const address = canonicalAddress(text)
  if (address === null) throw new Error('this is not an address')
  if (isWithin(address, metadata())) return 'metadata'
  if (carriedAddresses(address).some((carried) => isWithin(carried, metadata()))) return 'metadata'
  // IPv4 lies within a reserved IPv6 range.
  const isIpv4 = isWithin(address, ipv4())
  for (const [kind, all] of special) {
    const own = all().filter((range) => range.text.includes('.') === isIpv4)
    if (isWithin(address, own)) return kind
  }
  return 'public'
}

/** The IPv4 address embedded under 64:ff9b::/96, else null. */
export function translatedAddress(text: string): string | null {
  const address = canonicalAddress(text) ?? ''
  const isTranslated = address !== '' && isWithin(address, nat64())
  return isTranslated ? dotted(...lastGroups(address)) : null
}

const nat64 = ranges('64:ff9b::/96')
const ownNat64 = ranges('64:ff9b:1::/48')
const isatap = /^(?:0|200):5efe$/

/** Every IPv4 address that translators or tunnels may extract. */
function carriedAddresses(address: string): string[] {
  if (isWithin(address, ipv4())) return []
  const groups = expand(address)
  const [, first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = groups
  const [high, low] = lastGroups(address)
  const hex = groups.map((group) => group.toString(16))
  const carried: string[] = []
  // Any prefix length of RFC 6052 section 2.2; 96 follows below.
  if (isWithin(address, ownNat64())) {
    carried.push(
      dotted(third, ((fourth & 0xff) << 8) | (fifth >> 8)),
      dotted(((third & 0xff) << 8) | (fourth & 0xff), fifth),
      dotted(
        ((fourth & 0xff) << 8) | (fifth >> 8),
        ((fifth & 0xff) << 8) | ((groups[6] ?? 0) >> 8),
      ),
    )
  }
  if (hex[0] === '2002') carried.push(dotted(first, second))
  if (hex[0] === '2001' && first === 0) carried.push(dotted(high ^ 0xffff, low ^ 0xffff))
  const isCarrier = groups.slice(0, 4).every((group) => group === 0) || hex[0] === '64'
  if (isCarrier || isatap.test(`${hex[4]}:${hex[5]}`)) carried.push(dotted(high, low))
  return carried
}

function lastGroups(address: string): [number, number] {
  const [high = 0, low = 0] = expand(address).slice(6)
  return [high, low]
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

type Ranges = () => readonly AddressRange[]

/** Parsed at first use: a start takes 5 ms less. */
function ranges(...texts: readonly string[]): Ranges {
  let parsed: readonly AddressRange[] | undefined
  return () => {
    parsed ??= texts.map(parseAddressRange)
    return parsed
  }
}
