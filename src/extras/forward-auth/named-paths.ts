import type { IncomingHttpHeaders } from 'node:http'
import { pathOf } from './request-line.ts'

/** A path that a request header names, and that an application may serve in place of the request's own. */
export interface NamedPath {
  /** The name of the header, in lower case. */
  readonly header: string
  readonly path: string
}

/** IIS, Symfony, Zend, Drupal and others read the path from one of these headers. */
const pathHeaders = [
  'x-original-url',
  'x-original-uri',
  'x-rewrite-url',
  'x-forwarded-path',
  'x-http-path-override',
] as const
/** Spring and ASP.NET put the prefix before the path; other applications take it for the path. */
const prefixHeader = 'x-forwarded-prefix'
/** The most named paths that are judged: each path costs time. */
export const maxNamedPaths = 16
// A header that came more than once is joined by commas, and a path may have a comma of its own.
const separator = /,(?:\s+|(?=\/|[a-z][a-z\d+.-]*:))/i
const originOfUrl = /^[a-z][a-z\d+.-]*:(?:\/\/[^/?#\\]*)?/i

const none: readonly NamedPath[] = []

/**
 * Lists the paths that the headers of a request name, without the path of the request itself; at most
 * one more than `maxNamedPaths`. A prefix is listed alone, and before each other path.
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

/** The paths in the values of a header: a value is a path, or a URL of any host. */
function pathsIn(value: string | string[] | undefined): string[] {
  const values = [value ?? []].flat().flatMap((one) => one.split(separator))
  return values
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => pathOf(one.replace(originOfUrl, '')))
    .map((path) => (path.startsWith('/') ? path : `/${path}`))
}
