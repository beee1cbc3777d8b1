import type { RouteOptions } from 'fastify'
import { isSafe } from '../../core/http/routes/declaration.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether `return_to` may name this GET. Absent: not one without HEAD (`exposeHeadRoute: false`), which
     * uses something up, begins a flow or issues a ticket. False for a step of a flow and for a sign-out.
     */
    isReturnTarget?: boolean
  }
}

/** The paths of this service to which a sign-in may lead back, by the declarations of the routes. */
export interface ReturnPaths {
  /** Takes the declaration of a route; called for each route, before the first request. */
  add(route: Pick<RouteOptions, 'config' | 'exposeHeadRoute' | 'method' | 'url'>): void
  /**
   * Whether a browser may be sent to an address. False for one of this service whose GET uses something
   * up or begins a flow, and for one that no GET answers. An address of no route is none of ours: a proxy
   * may give it to an application.
   */
  isTarget(address: string): boolean
}

export function createReturnPaths({ baseUrl }: { readonly baseUrl: string }): ReturnPaths {
  const own = new URL(baseUrl).origin
  // The segments of each route, by what its declaration says.
  const routes = { target: [] as string[][], noTarget: [] as string[][], noGet: [] as string[][] }

  return {
    add({ config, exposeHeadRoute, method, url }) {
      const segments = segmentsOf(url)
      const isTarget = config?.isReturnTarget ?? exposeHeadRoute !== false
      if ([method].flat().includes('GET')) routes[isTarget ? 'target' : 'noTarget'].push(segments)
      else if (!isSafe(method)) routes.noGet.push(segments) // a HEAD is a copy, an OPTIONS a preflight
    },

    isTarget(address) {
      const url = URL.parse(address, own)
      if (url?.origin !== own) return true
      const path = segmentsOf(decoded(url.pathname))
      const matches = (pattern: readonly string[]) => isAt(pattern, path)
      if (routes.noTarget.some(matches)) return false
      return routes.target.some(matches) || !routes.noGet.some(matches)
    },
  }
}

/** Whether the router gives a path to the route of a pattern. */
function isAt(pattern: readonly string[], path: readonly string[]): boolean {
  const isLonger = pattern.at(-1) === '*'
  const isOfLength = isLonger ? path.length >= pattern.length : path.length === pattern.length
  return isOfLength && pattern.every((one, at) => /^[:*]/.test(one) || one === path[at])
}

/**
 * The segments of a path, without the differences that the router or a proxy before it may overlook.
 * `URL` has resolved the dots, the encoded ones too.
 */
function segmentsOf(path: string): string[] {
  const plain = path.toLowerCase().replace(/;[^/]*/g, '')
  return plain.split('/').filter((segment) => segment !== '')
}

/** The router refuses a path that cannot be decoded. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
