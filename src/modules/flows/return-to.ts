import type { ReturnPaths } from './return-paths.ts'

/** The target of a sign-in that names none, or one outside of this service. */
export const home = '/'
/** The longest address that a browser is sent back to. */
export const maxReturnToLength = 2048
// Of the path that holds such an address, with each character encoded.
const maxWrappedLength = 3 * maxReturnToLength + 128
// Neither `//host` nor `/\host`, which browsers read as another host after removing control
// characters.
const localPath = /^\/(?![/\\])[^\\\p{Cc}]*$/u
const encoded = /%(?:09|0a|0d|2f|5c)/i
const unsafe = /[\s\\\p{Cc}]/u

/** Where a browser may be sent to: see `services.redirectOrigins`. */
export interface ReturnOrigins extends Pick<ReturnPaths, 'isTarget'> {
  /** Whether it is one of REDIRECT_ORIGINS, or the host of an application behind a proxy. */
  includes(origin: string): boolean
  /** Whether a rule of forward authentication names it: a session is handed over there by a ticket. */
  isForwarded(origin: string): boolean
}

interface Options {
  /** Absent: any path of this service, and no address of another. */
  readonly origins?: ReturnOrigins
  readonly otherwise?: string
  /** By default `maxReturnToLength`. */
  readonly maxLength?: number
}

/**
 * Answers the value if it is a path of this service to which a sign-in may lead, or an address of one
 * of the origins exactly as a browser writes it; otherwise `/`, or what is given. T86.
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
  // What its query holds is checked too, and written anew.
  return addressOf(parseDestination(Object.fromEntries(query), { origins, otherwise }))
}

/** What /signin was asked for, beside where it shall lead. */
export interface Destination {
  /** Checked by `parseReturnTo`. */
  readonly returnTo: string
  /** Digest of the browser's cookie at the host of an application; null without one. */
  readonly browser: string | null
  /** Whether the login must have two factors. */
  readonly needsTwoFactors: boolean
}

/** The path that leads on to an application with a ticket, once the person is signed in. */
export const applicationPath = '/signin/application'
const browserFormat = /^[A-Za-z0-9_-]{43}$/

/** Reads the query of /signin, and of `applicationPath`. */
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
 * The address to which a sign-in leads: where it was asked for, or the path of this service that goes
 * on from there. That is a path like any other, so that each way of a sign-in keeps it: by mail, at a
 * provider, with a sign-up before it.
 */
export function addressOf({ returnTo, browser, needsTwoFactors }: Destination): string {
  if (browser === null && !needsTwoFactors) return returnTo
  const query = [
    ...(browser === null ? [] : [`browser=${browser}`]),
    ...(needsTwoFactors ? ['two_factor=1'] : []),
    // The last, with its slashes as they are: a checked path holds no encoded one.
    `return_to=${encodeURIComponent(returnTo).replaceAll('%2F', '/')}`,
  ]
  return `${applicationPath}?${query.join('&')}`
}

/** Whether a sign-in that leads to a checked address must end with two factors. */
export function needsTwoFactors(address: string): boolean {
  return queryOfApplication(address)?.get('two_factor') === '1'
}

/**
 * A checked address for a link that may be opened in another browser: a ticket would be good in the
 * first one alone. The application sends this one to the sign-in, which asks for nothing more.
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

/** The address as a browser sends it: a header can hold no other letters. */
function inAscii(value: string): string {
  return value.replace(/[^\x20-\x7e]+/gu, encodeURIComponent)
}

/**
 * The origin of another service that a checked address leads to in the end; null for one of this
 * service.
 */
export function foreignOrigin(returnTo: string): string | null {
  const wrapped = queryOfApplication(returnTo)?.get('return_to')
  if (wrapped) return foreignOrigin(wrapped)
  return returnTo.startsWith('/') ? null : new URL(returnTo).origin
}

/** Whether the address begins with one of the origins, and a browser reads it so. */
function isAt(value: string, origins: Pick<ReturnOrigins, 'includes'>): boolean {
  const url = unsafe.test(value) ? null : URL.parse(value)
  if (url?.username !== '' || url.password !== '') return false
  const { origin } = url
  if (!value.startsWith(origin) || !['', '/', '?', '#'].includes(value.charAt(origin.length))) {
    return false
  }
  return origins.includes(origin)
}
