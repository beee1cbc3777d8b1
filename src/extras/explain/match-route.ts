import type { RouteOptions } from 'fastify'

export interface MatchedRoute {
  readonly route: RouteOptions
  readonly params: Readonly<Record<string, string>>
}

/** For example `PUT /users/7`. */
export interface RouteInput {
  readonly method: string
  readonly path: string
}

const maxLength = 2048
const format = /^([A-Za-z]{1,16}) +(\/[\x21-\x7e]*)$/

export function parseRoute(text: string): RouteInput | null {
  const [, method, target] = text.length > maxLength ? [] : (text.trim().match(format) ?? [])
  if (method === undefined || target === undefined) return null
  const [path = ''] = target.split(/[?#]/, 1)
  return { method: method.toUpperCase(), path }
}

/** The router matches no undecodable path. */
export function canBeDecoded(path: string): boolean {
  return path.split('/').every((segment) => decoded(segment) !== null)
}

/**
 * Same order as the router: fixed text, parameter, wildcard. Null without a match or for an empty
 * parameter.
 */
export function matchRoute(
  routes: readonly RouteOptions[],
  { method, path }: RouteInput,
): MatchedRoute | null {
  const segments = path.split('/').map(decoded)
  const asked = method === 'HEAD' ? 'GET' : method // HEAD routes copy GET
  let best: (MatchedRoute & { readonly rank: string }) | null = null
  for (const route of routes) {
    if (![route.method].flat().includes(asked)) continue
    const params = paramsOf(route.url.split('/'), segments)
    if (!params) continue
    const rank = rankOf(route.url)
    if (!best || rank < best.rank) best = { route, params, rank }
  }
  return best && { route: best.route, params: best.params }
}

function paramsOf(
  pattern: readonly string[],
  segments: readonly (string | null)[],
): Record<string, string> | null {
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    if (part === '*') {
      return segments.length > index ? { ...params, '*': segments.slice(index).join('/') } : null
    }
    const segment = segments[index]
    if (segment === undefined || segment === null) return null
    if (part.startsWith(':')) {
      if (segment === '') return null
      params[part.slice(1)] = segment
    } else if (part !== segment) return null
  }
  return pattern.length === segments.length ? params : null
}

/** Sort key in router order. */
function rankOf(url: string): string {
  return url
    .split('/')
    .map((part) => (part === '*' ? '2' : part.startsWith(':') ? '1' : '0'))
    .join('')
}

/** Null if undecodable. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
