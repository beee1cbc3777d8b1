import { isIP } from 'node:net'
import { canonicalAddress } from '../addresses/address.ts'
import { type AddressRange, isWithin } from '../addresses/address-ranges.ts'
import { isLoopback } from '../addresses/loopback.ts'
import { kindOfAddress, translatedAddress } from './address-kinds.ts'
import { OutboundError } from './outbound-error.ts'

/** Which addresses a request may reach besides the public ones. */
export interface OutboundRules {
  /** Addresses that are allowed though they are not public; never those of metadata services. */
  readonly addresses: readonly AddressRange[]
  /** Whether this machine may be reached. */
  readonly allowsLoopback: boolean
  /** Whether http is allowed to hosts other than this machine. Absent: it is not. */
  readonly allowsHttp?: boolean
}

/** Names of metadata services, in the networks of the clouds that have them. */
const metadataHosts =
  /^(?:metadata|instance-data|(?:.*\.)?(?:metadata\.google\.internal|metadata\.goog|instance-data\.ec2\.internal|metadata\.azure\.internal|metadata\.tencentyun\.com|metadata\.platformequinix\.com|metadata\.packet\.net))$/

/**
 * Parses the address of a request, and judges all that is known without a lookup: scheme, name, and
 * a host that is an address, in whatever way it is written. @throws OutboundError
 */
export function checkedUrl(text: string, rules: OutboundRules): URL {
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw new OutboundError('url_unusable', 'not a URL of https without a name and a password')
  }
  const host = hostOf(url)
  if (metadataHosts.test(host)) {
    throw new OutboundError('host_refused', 'the host is a metadata service')
  }
  if (isIP(host) !== 0) assertMayReach(host, rules)
  if (url.protocol === 'http:' && !rules.allowsHttp && !isLoopback(host)) {
    throw new OutboundError('https_required', 'https is required outside this machine')
  }
  return url
}

/** The host of a URL without brackets, and without the dot at the end of an absolute name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** Whether a request may go to an address. */
export function mayReach(address: string, rules: OutboundRules): boolean {
  const kind = kindOfAddress(address)
  if (kind === 'public') return true
  if (kind === 'metadata') return false
  if (kind === 'loopback' && rules.allowsLoopback) return true
  if (!isWithin(canonicalAddress(address) ?? '', rules.addresses)) return false
  const translated = translatedAddress(address)
  return translated === null || mayReach(translated, rules)
}

/** @throws OutboundError address_refused */
export function assertMayReach(address: string, rules: OutboundRules): void {
  if (mayReach(address, rules)) return
  const kind = kindOfAddress(address).replace('_', '-')
  const shown = canonicalAddress(address) ?? ''
  throw new OutboundError('address_refused', `${shown} is a ${kind} address, which is not allowed`)
}
