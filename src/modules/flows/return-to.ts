import type { ReturnPaths } from './return-paths.ts'

/** The default target of a sign-in. */
export const home = '/'
export const maxReturnToLength = 2048
// A path containing such an address, fully encoded.
const maxWrappedLength = 3 * maxReturnToLength + 128
// Excludes `//host` and `/\host`: browsers remove control characters and then read another host.
const localPath = /^\/(?![/\\])[^\\\p{Cc}]*$/u
const encoded = /%(?:09|0a|0d|2f|5c)/i
const unsafe = /[\s\\\p{Cc}]/u

/** See `services.redirectOrigins`. */
export interface ReturnOrigins extends Pick<ReturnPaths, 'isTarget'> {
  /** REDIRECT_ORIGINS, and application hosts behind a proxy. */
  includes(origin: string): boolean
  /** Forward-authentication hosts receive the session by ticket. */
  isForwarded(origin: string): boolean
}

interface Options {
  /** Absent: only paths of this service. */
  readonly origins?: ReturnOrigins
  readonly otherwise?: string
  readonly maxLength?: number
}

/**
 * Accepts allowed paths of this service and addresses of the origins in browser spelling; otherwise
 * `/` or the given default. T86.
 */
export function parseReturnTo(
  value: unknown,
  { origins, otherwise = home, maxLength: max = maxReturnToLength }: Options = {},
): string {
  if (typeof value !== 'string' || !value.isWellFormed()) return otherwise
  const query = queryOfApplication(value)
  const maxLength = query ? maxWrappedLength : max
  if (value.length > maxLength) return otherwise
  const isSafe = localPath.test(value)
    ? !encoded.test(value)
    : origins !== undefined && isAt(value, origins)
  if (!isSafe) return otherwise
  if (!query || !origins) {
    if (origins?.isTarget(value) === false) return otherwise
    const address = inAscii(value)
    return address.length > maxLength ? otherwise : address
  }
  // Checks and rebuilds its query too.
  return addressOf(parseDestination(Object.fromEntries(query), { origins, otherwise }))
}

export interface Destination {
  /** Checked by `parseReturnTo`. */
  readonly returnTo: string
  /** Digest of the browser's cookie at an application host. */
  readonly browser: string | null
  readonly needsTwoFactors: boolean
}

/** Continues to an application with a ticket after sign-in. */
export const applicationPath = '/signin/application'
const browserFormat = /^[A-Za-z0-9_-]{43}$/

/** The query of /signin and `applicationPath`. */
export function parseDestination(
  { return_to, browser, two_factor }: Readonly<Record<string, unknown>>,
  { origins, otherwise }: { readonly origins: ReturnOrigins; readonly otherwise: string },
): Destination {
  const returnTo = parseReturnTo(return_to, { origins, otherwise })
  const origin = foreignOrigin(returnTo)
  const isHandedOver = origin !== null && origins.isForwarded(origin)
  const isDigest = typeof browser === 'string' && browserFormat.test(browser)
  return {
    returnTo,
    browser: isHandedOver && isDigest ? browser : null,
    needsTwoFactors: two_factor === '1',
  }
}

/**
 * The target itself, or a path of this service that continues there, so that every sign-in method
 * (mail, provider, sign-up) keeps it.
 */
export function addressOf({ returnTo, browser, needsTwoFactors }: Destination): string {
  if (browser === null && !needsTwoFactors) return returnTo
  const query = [
    ...(browser === null ? [] : [`browser=${browser}`]),
    ...(needsTwoFactors ? ['two_factor=1'] : []),
    // Last; slashes stay plain, as a checked path contains no encoded slash.
    `return_to=${encodeURIComponent(returnTo).replaceAll('%2F', '/')}`,
  ]
  return `${applicationPath}?${query.join('&')}`
}

/** Asked for by the address of an application, or by the path of ours that waits for the person. */
export function needsTwoFactors(address: string): boolean {
  const query = address.startsWith('/') ? address.split('?')[1] : undefined
  return new URLSearchParams(query).get('two_factor') === '1'
}

/**
 * For links that another browser may open: a ticket works only in the first browser, so the
 * application restarts the sign-in there.
 */
export function withoutBrowser(address: string): string {
  const query = queryOfApplication(address)
  const returnTo = query?.get('return_to')
  if (!returnTo) return address
  return addressOf({ returnTo, browser: null, needsTwoFactors: needsTwoFactors(address) })
}

function queryOfApplication(address: string): URLSearchParams | null {
  const start = `${applicationPath}?`
  return address.startsWith(start) ? new URLSearchParams(address.slice(start.length)) : null
}

/** Headers require ASCII. */
function inAscii(value: string): string {
  return value.replace(/[^\x20-\x7e]+/gu, encodeURIComponent)
}

/** The final external origin; null for this service. */
export function foreignOrigin(returnTo: string): string | null {
  const wrapped = queryOfApplication(returnTo)?.get('return_to')
  if (wrapped) return foreignOrigin(wrapped)
  return returnTo.startsWith('/') ? null : new URL(returnTo).origin
}

/** The address must be in browser spelling. */
function isAt(value: string, origins: Pick<ReturnOrigins, 'includes'>): boolean {
  const url = unsafe.test(value) ? null : URL.parse(value)
  if (url?.username !== '' || url.password !== '') return false
  const { origin } = url
  if (!value.startsWith(origin) || !['', '/', '?', '#'].includes(value.charAt(origin.length))) {
    return false
  }
  return origins.includes(origin)
}
