/** The target of a sign-in that names none, or one outside of this service. */
export const home = '/'
const maxLength = 2048
// Neither `//host` nor `/\host`, which browsers read as another host after removing control
// characters.
const localPath = /^\/(?![/\\])[^\\\p{Cc}]*$/u
const encoded = /%(?:09|0a|0d|2f|5c)/i
const unsafe = /[\s\\\p{Cc}]/u

interface Options {
  /** RETURN_ORIGINS: to addresses of these a browser may be sent too. */
  readonly origins?: readonly string[]
  readonly otherwise?: string
}

/**
 * Answers the value if it is a path of this service, or an address of one of the origins exactly as
 * a browser writes it; otherwise `/`, or what is given. T86.
 */
export function parseReturnTo(
  value: unknown,
  { origins = [], otherwise = home }: Options = {},
): string {
  if (typeof value !== 'string' || value.length > maxLength || !value.isWellFormed()) {
    return otherwise
  }
  const isSafe = localPath.test(value) ? !encoded.test(value) : isAt(value, origins)
  return isSafe ? inAscii(value, otherwise) : otherwise
}

/** The address as a browser sends it: a header can hold no other letters. */
function inAscii(value: string, otherwise: string): string {
  const address = value.replace(/[^\x20-\x7e]+/gu, encodeURIComponent)
  return address.length > maxLength ? otherwise : address
}

/** The origin of another service that a checked address leads to; null for a path of this one. */
export function foreignOrigin(returnTo: string): string | null {
  return returnTo.startsWith('/') ? null : new URL(returnTo).origin
}

/** Whether the address begins with one of the origins, and a browser reads it so. */
function isAt(value: string, origins: readonly string[]): boolean {
  const url = unsafe.test(value) ? null : URL.parse(value)
  const origin = origins.find((one) => one === url?.origin)
  if (!url || origin === undefined || url.username !== '' || url.password !== '') return false
  return value.startsWith(origin) && ['', '/', '?', '#'].includes(value.charAt(origin.length))
}
