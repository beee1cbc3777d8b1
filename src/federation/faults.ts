import { ApiError } from '../kernel/errors.ts'
import { wrong } from './guarded-fetch.ts'

/** What a provider's answer to an authorization request means for who is signing in. RFC 6749 section 4.1.2.1. */
const byAuthorizationError = {
  access_denied: 'accessDenied',
  temporarily_unavailable: 'serviceUnavailable',
  server_error: 'identityProvider',
} as const

/**
 * What a failed use of the client library is to its caller. The library's errors carry whole answers,
 * tokens included: of them goes on only what says what was wrong. Before the provider was asked
 * anything, it is the caller who sent something wrong.
 */
export function asApiError(error: unknown, { wasAsked }: { wasAsked: () => boolean }): ApiError {
  const known = apiErrorIn(error)
  if (known) return known
  const reason = describe(error)
  const { code, error: oauthError } = error as { code?: unknown; error?: unknown } // anything may be asked for these
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    const row = Object.entries(byAuthorizationError).find(([name]) => name === oauthError)?.[1]
    return new ApiError(row ?? 'signInFailed', { cause: new Error(reason) })
  }
  if (code === 'OAUTH_RESPONSE_BODY_ERROR' && oauthError === 'invalid_grant') {
    return new ApiError('signInFailed', { cause: new Error(reason) })
  }
  return wasAsked() ? wrong(reason) : new ApiError('signInFailed', { cause: new Error(reason) })
}

/** Our own refusals pass through the library as causes of its errors. */
function apiErrorIn(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  return error instanceof Error && error.cause !== undefined ? apiErrorIn(error.cause) : undefined
}

/** Messages and codes are the library's own words; an OAuth error code is a word of the provider's. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown'
  const { code, error: oauthError } = error as { code?: unknown; error?: unknown } // as above
  const word = typeof oauthError === 'string' && /^[\w.-]{1,64}$/.test(oauthError) ? oauthError : ''
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') {
    return 'the provider refuses the client: its identifier, its secret or the way it is shown'
  }
  const inner = error.cause instanceof Error ? error.cause.message : ''
  return [error.message, inner, code, word].filter(Boolean).join(': ')
}
