import { ApiError, type ErrorRow } from '../../core/errors.ts'
import { wrong } from './guarded-fetch.ts'
import { providerFailed } from './problems.ts'

/** RFC 6749 section 4.1.2.1, and Apple's word. */
const byAuthorizationError = {
  access_denied: 'accessDenied',
  user_cancelled_authorize: 'accessDenied',
  temporarily_unavailable: 'serviceUnavailable',
  server_error: providerFailed,
} as const

/** The second is GitHub's word. */
const badCodes: ReadonlySet<unknown> = new Set(['invalid_grant', 'bad_verification_code'])

/**
 * The library's errors contain responses with tokens, so only the description is kept. Until the
 * provider was asked, the caller's request is at fault.
 */
export function asApiError(error: unknown, { wasAsked }: { wasAsked: () => boolean }): ApiError {
  const known = apiErrorIn(error)
  if (known) return known
  const reason = describe(error)
  const { code, error: oauthError } = error as { code?: unknown; error?: unknown } // absent on other values
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    const row = Object.entries(byAuthorizationError).find(([name]) => name === oauthError)?.[1]
    const code = row === 'accessDenied' ? 'provider_denied' : 'provider_answer_unacceptable'
    return failed(row ?? 'signInFailed', code, reason)
  }
  if (code === 'OAUTH_RESPONSE_BODY_ERROR' && badCodes.has(oauthError)) {
    return failed('signInFailed', 'provider_answer_unacceptable', reason)
  }
  return wasAsked() ? wrong(reason) : failed('signInFailed', 'provider_return_invalid', reason)
}

function failed(
  row: ErrorRow,
  code: 'provider_denied' | 'provider_answer_unacceptable' | 'provider_return_invalid',
  detail: string,
): ApiError {
  return new ApiError(row, { cause: new Error(detail), reason: { code, facts: { detail } } })
}

/** The library wraps errors of `guardedFetch` as a cause. */
function apiErrorIn(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  return error instanceof Error && error.cause !== undefined ? apiErrorIn(error.cause) : undefined
}

/** Message and code are the library's; the OAuth error code is the provider's. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown'
  const { code, error: oauthError } = error as { code?: unknown; error?: unknown }
  const word = typeof oauthError === 'string' && /^[\w.-]{1,64}$/.test(oauthError) ? oauthError : ''
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') {
    return 'the provider refuses the client: its identifier, its secret or the way it is shown'
  }
  const inner = error.cause instanceof Error ? error.cause.message : ''
  return [error.message, inner, code, word].filter(Boolean).join(': ')
}
