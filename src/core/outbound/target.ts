import { isIP } from 'node:net'
import { canonicalAddress } from '../addresses/address.ts'
import { type AddressRange, isWithin } from '../addresses/address-ranges.ts'
import { isLoopback } from '../addresses/loopback.ts'
import { kindOfAddress, translatedAddress } from './address-kinds.ts'
import { OutboundError } from './outbound-error.ts'

export interface OutboundRules {
  /** Allowed although not public; never metadata services. */
  readonly addresses: readonly AddressRange[]
  readonly allowsLoopback: boolean
  /** Except loopback. Default: false. */
  readonly allowsHttp?: boolean
}

/** Inside the networks of their clouds. */
const metadataHosts =
  /^(?:metadata|instance-data|(?:.*\.)?(?:metadata\.google\.internal|metadata\.goog|instance-data\.ec2\.internal|metadata\.azure\.internal|metadata\.tencentyun\.com|metadata\.platformequinix\.com|metadata\.packet\.net))$/

/**
 * All checks without lookup: scheme, name, and address hosts in any spelling. @throws OutboundError
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

/** Without brackets and trailing dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

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
