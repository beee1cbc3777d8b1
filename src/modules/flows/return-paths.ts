import type { RouteOptions } from 'fastify'
import { isSafe } from '../../core/http/routes/declaration.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether `return_to` may name this GET. Default: false without HEAD (`exposeHeadRoute:
     * false`), because such a GET uses something up, begins a flow or issues a ticket. Set false
     * for flow steps and sign-out.
     */
    isReturnTarget?: boolean
  }
}

export interface ReturnPaths {
  /** Called per route, before the first request. */
  add(route: Pick<RouteOptions, 'config' | 'exposeHeadRoute' | 'method' | 'url'>): void
  /**
   * False for our paths without a GET, or whose GET uses something up or begins a flow. Unknown
   * paths pass: a proxy may route them to an application.
   */
  isTarget(address: string): boolean
}

export function createReturnPaths({ baseUrl }: { readonly baseUrl: string }): ReturnPaths {
  const own = new URL(baseUrl).origin
  // Path segments by declaration.
  const routes = { target: [] as string[][], noTarget: [] as string[][], noGet: [] as string[][] }

  return {
    add({ config, exposeHeadRoute, method, url }) {
      const segments = segmentsOf(url)
      const isTarget = config?.isReturnTarget ?? exposeHeadRoute !== false
      if ([method].flat().includes('GET')) routes[isTarget ? 'target' : 'noTarget'].push(segments)
      else if (!isSafe(method)) routes.noGet.push(segments) // HEAD is a copy, OPTIONS a preflight
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

function isAt(pattern: readonly string[], path: readonly string[]): boolean {
  const isLonger = pattern.at(-1) === '*'
  const isOfLength = isLonger ? path.length >= pattern.length : path.length === pattern.length
  return isOfLength && pattern.every((one, at) => /^[:*]/.test(one) || one === path[at])
}

/**
 * Removes differences that the router or a proxy may ignore. `URL` has resolved dots, encoded or
 * not.
 */
function segmentsOf(path: string): string[] {
  const plain = path.toLowerCase().replace(/;[^/]*/g, '')
  return plain.split('/').filter((segment) => segment !== '')
}

/** The router rejects undecodable paths. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
