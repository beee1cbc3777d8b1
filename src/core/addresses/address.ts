import { isIP, isIPv6 } from 'node:net'

/** Null if invalid. */
export function canonicalAddress(text: string): string | null {
  const bare = withoutPort(text.trim()).split('%')[0] ?? ''
  const family = isIP(bare)
  if (family === 4) return bare
  if (family === 0) return null
  const groups = expand(bare)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) {
    const [high = 0, low = 0] = groups.slice(6)
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
  }
  return new URL(`http://[${bare}]`).hostname.slice(1, -1)
}

function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::[0-9]+)?$/.exec(text)
  if (bracketed) return bracketed[1] ?? ''
  return text.replace(/^([0-9.]+):[0-9]+$/, '$1')
}

export function expand(address: string): number[] {
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = !tail ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) =>
    Number.parseInt(group, 16),
  )
}

/** Rate limit key: an IPv4 address or an IPv6 /64. */
export function throttledAddress(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address // isIPv6 compiles for 4 ms
  const groups = expand(address)
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** Accepts any spelling, or an IPv6 /64; else null. */
export function parseThrottledAddress(text: string): string | null {
  const network = /^(.*:.*)\/64$/.exec(text.trim())?.[1]
  const address = canonicalAddress(network ?? text)
  if (address === null || (network !== undefined && !isIPv6(address))) return null
  return throttledAddress(address)
}

/** Prefix of all keys in an IPv6 key's /48; else null. See `throttledAddress`. */
export function throttledNetwork(key: string): string | null {
  return /^(?:[0-9a-f]{1,4}:){3}(?=[0-9a-f]{1,4}::\/64$)/.exec(key)?.[0] ?? null
}
