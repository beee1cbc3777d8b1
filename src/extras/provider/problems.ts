import type { Problem } from '../../core/errors.ts'

type Event = Problem['event']

const problem = (name: string, status: number, error: string, event?: Event): Problem => ({
  ...{ name, status, error },
  ...(event && { event }),
})

/** In the words of RFC 6749 section 5.2, RFC 6750 section 3.1, RFC 8707 and RFC 9449. */
export const requestInvalid = problem(
  'applicationRequestInvalid',
  400,
  'invalid_request',
  'inputFail',
)
export const requestTooLarge = problem('applicationRequestTooLarge', 413, 'invalid_request')
export const requestUnread = problem(
  'applicationRequestUnread',
  400,
  'invalid_request',
  'inputFail',
)
export const typeUnsupported = problem('applicationTypeUnsupported', 415, 'invalid_request')
export const clientInvalid = problem('applicationInvalid', 401, 'invalid_client')
// A second use has an event of its own.
export const invalidGrant = problem('invalidGrant', 400, 'invalid_grant')
export const slowDown: Problem = { ...problem('slowDown', 429, 'slow_down'), isRetried: true }
export const temporarilyUnavailable: Problem = {
  ...problem('temporarilyUnavailable', 503, 'temporarily_unavailable'),
  isRetried: true,
}
export const invalidToken = problem('applicationTokenInvalid', 401, 'invalid_token', 'tokenFail')
const insufficientScope = problem('insufficientScope', 403, 'insufficient_scope')
export const proofInvalid = problem('dpopProofInvalid', 400, 'invalid_dpop_proof')
export const proofRefused = problem('dpopProofRefused', 401, 'invalid_dpop_proof')
const nonceNeeded = problem('dpopNonceNeeded', 400, 'use_dpop_nonce')
const nonceWanted = problem('dpopNonceWanted', 401, 'use_dpop_nonce')

/** For a device that polls too often. An address that sends too many requests gets 429. */
export const pollTooEarly = problem('devicePollTooEarly', 400, 'slow_down')

/** Of a device whose person has not decided. RFC 8628 section 3.5 */
const pending = [
  problem('authorizationPending', 400, 'authorization_pending'),
  problem('deviceCodeExpired', 400, 'expired_token'),
  problem('deviceDeclined', 400, 'access_denied'),
  pollTooEarly,
]

/** Of a program that authenticates itself. */
const ofClients = [requestInvalid, clientInvalid]
export const ofTokens: readonly Problem[] = [
  ...ofClients,
  invalidGrant,
  ...pending,
  problem('clientNotAllowed', 400, 'unauthorized_client'),
  problem('unsupportedGrantType', 400, 'unsupported_grant_type'),
  problem('invalidScope', 400, 'invalid_scope'),
  problem('invalidTarget', 400, 'invalid_target'),
  ...[proofInvalid, nonceNeeded],
]
export const ofPushed: readonly Problem[] = [
  ...ofTokens.filter(({ error }) => !['invalid_grant', 'unsupported_grant_type'].includes(error)),
  problem('unsupportedResponseType', 400, 'unsupported_response_type'),
  problem('unsupportedResponseMode', 400, 'unsupported_response_mode'),
  problem('invalidRedirectUri', 400, 'invalid_redirect_uri'),
  problem('requestObjectUnsupported', 400, 'request_not_supported'),
  problem('requestUriUnsupported', 400, 'request_uri_not_supported'),
  problem('registrationUnsupported', 400, 'registration_not_supported'),
]
export const ofUserinfo: readonly Problem[] = [
  requestInvalid,
  ...[invalidToken, insufficientScope, proofRefused, nonceWanted],
]

const all = [...new Set([...ofTokens, ...ofPushed, ...ofUserinfo])]
/** Of our parsers and limits. */
const plain = [requestUnread, requestTooLarge, typeUnsupported, slowDown, temporarilyUnavailable]
export const errors: readonly Problem[] = [...all, ...plain]
