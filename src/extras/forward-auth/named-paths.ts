import type { IncomingHttpHeaders } from 'node:http'
import { pathOf } from './request-line.ts'

/** A path in a request header that an application may serve instead of the URL's path. */
export interface NamedPath {
  /** In lower case. */
  readonly header: string
  readonly path: string
}

/** Read by IIS, Symfony, Zend, Drupal. */
const pathHeaders = [
  'x-original-url',
  'x-original-uri',
  'x-rewrite-url',
  'x-forwarded-path',
  'x-http-path-override',
] as const
/** Spring and ASP.NET prepend the prefix; others use it as the path. */
const prefixHeader = 'x-forwarded-prefix'
export const maxNamedPaths = 16
// Repeated headers are joined by commas, and paths may contain commas.
const separator = /,(?:\s+|(?=\/|[a-z][a-z\d+.-]*:))/i
const originOfUrl = /^[a-z][a-z\d+.-]*:(?:\/\/[^/?#\\]*)?/i

const none: readonly NamedPath[] = []

/**
 * At most `maxNamedPaths` + 1, without the URL's path. A prefix is listed alone and before each
 * other path.
 */
export function namedPathsOf(headers: IncomingHttpHeaders, uri: string): readonly NamedPath[] {
  const prefix = headers[prefixHeader]
  if (prefix === undefined && pathHeaders.every((name) => headers[name] === undefined)) return none
  const own = pathOf(uri)
  const found = new Map<string, string>()
  for (const header of pathHeaders) {
    for (const path of pathsIn(headers[header])) add(path, header)
  }
  const prefixes = pathsIn(prefix)
  if (prefixes.length > 1) prefixes.push(prefixes.join('')) // Spring joins the values
  const bases = ['', own, ...found.keys()]
  for (const one of prefixes) for (const base of bases) add(one + base, prefixHeader)
  return [...found].map(([path, header]) => ({ header, path }))

  function add(path: string, header: string): void {
    if (path !== own && found.size <= maxNamedPaths && !found.has(path)) found.set(path, header)
  }
}

/** A path, or a URL of any host. */
function pathsIn(value: string | string[] | undefined): string[] {
  const values = [value ?? []].flat().flatMap((one) => one.split(separator))
  return values
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => pathOf(one.replace(originOfUrl, '')))
    .map((path) => (path.startsWith('/') ? path : `/${path}`))
}
