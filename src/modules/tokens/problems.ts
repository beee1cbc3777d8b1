import type { Problem } from '../../core/errors.ts'

/** Errors in the words of RFC 6749 section 5.2. */

export const invalidRequest: Problem = {
  name: 'invalidRequest',
  status: 400,
  error: 'invalid_request',
  event: 'inputFail',
}

export const unauthorizedClient: Problem = {
  name: 'unauthorizedClient',
  status: 403,
  error: 'unauthorized_client',
  event: 'authorizationFail',
}

export const unsupportedRequest: Problem = {
  name: 'unsupportedRequest',
  status: 415,
  error: 'invalid_request',
}
