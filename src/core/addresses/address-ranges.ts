import { isIP, isIPv4 } from 'node:net'
import { canonicalAddress, expand } from './address.ts'

/** A single address or CIDR; IPv4 is stored as IPv4-mapped IPv6. */
export interface AddressRange {
  /** As written. */
  readonly text: string
  readonly first: bigint
  /** Prefix length, of 128. */
  readonly bits: number
}

const widest = 128
const mappedBits = 96 // of ::ffff:0:0/96, RFC 4291 section 2.5.5.2
const mapped = 0xffffn << 32n

/** @throws Error */
export function parseAddressRange(text: string): AddressRange {
  const [written = '', suffix, ...rest] = text.split('/')
  const family = written.includes('%') ? 0 : isIP(written) // rejects zones
  const maxBits = family === 4 ? widest - mappedBits : widest // mapped addresses count as IPv6
  const isSuffix = suffix === undefined || (/^[0-9]+$/.test(suffix) && Number(suffix) <= maxBits)
  const address = canonicalAddress(written)
  if (family === 0 || address === null || !isSuffix || rest.length > 0) {
    throw new Error(`holds ${JSON.stringify(text)}, which is not an address or a CIDR range`)
  }
  const bits = suffix === undefined ? widest : Number(suffix) + widest - maxBits
  return { text, first: numberOf(address), bits }
}

/** As the range is usually written: IPv4 with dots, no bits beside the prefix, no suffix for one address. */
export function rangeText({ first, bits }: AddressRange): string {
  const free = BigInt(widest - bits)
  const from = (first >> free) << free
  const groups = Array.from(
    { length: 8 },
    (_, index) => (from >> BigInt(112 - 16 * index)) & 0xffffn,
  )
  const address = canonicalAddress(groups.map((group) => group.toString(16)).join(':')) ?? ''
  const length = isIPv4(address) ? bits - mappedBits : bits
  return bits === widest ? address : `${address}/${length}`
}

/** Whether the first contains the second. */
export function contains(first: AddressRange, second: AddressRange): boolean {
  return first.bits <= second.bits && overlap(first, second)
}

export function overlap(left: AddressRange, right: AddressRange): boolean {
  const free = BigInt(widest - Math.min(left.bits, right.bits))
  return left.first >> free === right.first >> free
}

/** Requires canonical form. */
export function isWithin(address: string, ranges: readonly AddressRange[]): boolean {
  if (ranges.length === 0) return false
  const single = { text: address, first: numberOf(address), bits: widest }
  return ranges.some((range) => overlap(range, single))
}

function numberOf(address: string): bigint {
  if (isIPv4(address)) {
    return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), mapped >> 32n)
  }
  return expand(address).reduce((sum, group) => (sum << 16n) | BigInt(group), 0n)
}
