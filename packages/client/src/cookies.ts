import { isFor, type Service } from './service.ts'

/**
 * Keeps the cookies of the service where `fetch` does not, as in Node. A browser lets no script read
 * Set-Cookie: there nothing is kept, and the browser sends its own cookies.
 */
export function withCookies(service: Service): Service {
  const cookies = new Map<string, string>()
  return {
    ...service,
    async fetch(request) {
      if (!isFor(service, request)) return service.fetch(request)
      const pairs = [...cookies].map((pair) => pair.join('='))
      if (pairs.length > 0) request.headers.set('cookie', pairs.join('; '))
      const response = await service.fetch(request)
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
        if (value === '' || /;\s*max-age=0\b/i.test(line)) cookies.delete(name)
        else cookies.set(name, value)
      }
      return response
    },
  }
}
