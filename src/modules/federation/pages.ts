import type { ErrorRow } from '../../core/errors.ts'
import type { ErrorPage } from '../../core/http/pages/page.ts'
import { refusalPage } from '../../core/http/pages/refusal.ts'
import { viewPage } from '../../core/http/pages/send-view.ts'
import { parseReturnTo } from '../flows/return-to.ts'
import { providerFailed } from './problems.ts'

const canBeginAgain: ReadonlySet<unknown> = new Set<ErrorRow>([
  'signInFailed',
  'accessDenied',
  providerFailed,
  'serviceUnavailable',
])

/** Shows nothing that a provider has sent. */
export const failurePage: ErrorPage = (error, request) => {
  const { url = '' } = request.routeOptions
  const { provider } = request.params as { provider?: string }
  const begin = url
    .replace(/[^/]+$/, 'login')
    .replace(':provider', encodeURIComponent(provider ?? ''))
  const { return_to } = request.query as { return_to?: unknown } // parsed by Fastify
  const returnTo =
    return_to === undefined ? '' : `?return_to=${encodeURIComponent(parseReturnTo(return_to))}`
  const hasProvider = !url.endsWith('/second-factor')
  const canHelp = canBeginAgain.has(error.row) && hasProvider
  return refusalPage(error, request, canHelp ? `${begin}${returnTo}` : null)
}

/** Shows the form again while another code can help. */
export const refusedCodePage: ErrorPage = (error, request) => {
  if (error.row === 'invalidCredentials') return viewPage('second-factor', { problem: 'wrong' })
  if (error.row === 'secondFactorRequired') return viewPage('second-factor', { problem: 'missing' })
  return failurePage(error, request)
}
