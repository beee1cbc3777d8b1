import type { Credentials } from './credentials.ts'
import { bodyOf, errorOf, GatehouseError } from './problem.ts'
import { requestTo, type Service } from './service.ts'

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * The CSRF token of a session, whose cookie is sent by itself. The token is read after a reload, and
 * after a sign-in in another tab.
 */
export function sessionCredentials(service: Service): Credentials {
  let csrfToken = ''
  let restoring: Promise<boolean> | null = null

  /** Reads the CSRF token; answers whether there is a session. */
  async function restore(): Promise<boolean> {
    const response = await service.fetch(requestTo(service, 'GET', '/api/session'))
    const body = await bodyOf(response)
    if (response.status !== 401 && !response.ok) throw new GatehouseError(response, body)
    csrfToken = response.ok ? (body as { csrf_token: string }).csrf_token : ''
    return response.ok
  }

  function restoreOnce(): Promise<boolean> {
    restoring ??= restore().finally(() => {
      restoring = null
    })
    return restoring
  }

  return {
    async sign({ headers, method }) {
      if (safe.has(method)) return null
      if (csrfToken === '') await restoreOnce()
      headers.set('x-csrf-token', csrfToken)
      return csrfToken
    },
    async renew(_, refused, sent) {
      if (refused.status !== 403 || sent === null) return false
      if ((await errorOf(refused)) !== 'CSRF token invalid') return false
      return csrfToken !== sent || ((await restoreOnce()) && csrfToken !== sent)
    },
    async keep({ csrf_token }) {
      csrfToken = String(csrf_token)
    },
    isSignedIn: restoreOnce,
    async signOut() {
      csrfToken = ''
      const response = await service.fetch(requestTo(service, 'POST', '/logout'))
      if (!response.ok) throw new GatehouseError(response, await bodyOf(response))
    },
  }
}
