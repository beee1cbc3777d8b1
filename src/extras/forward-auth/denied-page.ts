import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import type { ErrorPage } from '../../core/http/pages/page.ts'
import { type ViewPage, viewPage } from '../../core/http/pages/send-view.ts'
import { isNavigation } from './navigation.ts'

/** Only for browser navigation; other clients get JSON. */
export function deniedPage(baseUrl: string): ErrorPage {
  return (error: ApiError, request: FastifyRequest): ViewPage | null => {
    const { facts = {} } = error.reason
    if (error.row !== 'accessDenied' || !('host' in facts) || !isNavigation(request)) return null
    const view = {
      username: request.principal?.username ?? null,
      host: String(facts.host),
      signOut: `${baseUrl}/signout`,
      requestId: request.id,
    }
    return viewPage('forward-denied', view, { isElsewhere: true })
  }
}
