import { eventType, type NoPayload } from '../events/types.ts'

/** A refused request. */
type Refused = {
  /** The name of the row of the error table. */
  readonly error: string
  /** The code of the reason, for `gatehouse explain`; absent if the row says it all. */
  readonly reason?: string
  /** The pattern of the route, never the path that was sent; null for an unknown path. */
  readonly route: string | null
}

/** A caller was refused by the rule of a route: 403. */
export const authorizationFail = eventType<Refused>('authz_fail', 'critical')

/** A caller named a resource that belongs to another user; as its owner it would be allowed. */
export const directReference = eventType<Refused>('malicious_direct_reference', 'critical')

/** The CSRF token of a change was missing or not that of the session. */
export const csrfFail = eventType<Refused>('malicious_csrf', 'critical')

/** A page of an origin that is not allowed sent a change, or a login. */
export const foreignPage = eventType<Refused>('malicious_cors', 'critical')

/** A body or the form of the request was refused. The values that were sent are never told. */
export const inputFail = eventType<
  Refused & {
    /** The paths of the fields that break a rule, as the rules name them. */
    readonly fields?: readonly string[]
  }
>('input_validation_fail', 'warn')

/** A step must come first: a code, a captcha, a new password, an enrolment, a recent login. */
export const sequenceFail = eventType<Refused>('sequence_fail', 'info', 'failure')

/** A bearer or refresh token is expired, or none of this service. */
export const tokenFail = eventType<Refused>('authn_token_fail', 'info', 'failure')

/**
 * A token was used that had been revoked, or a refresh token that had been replaced: then its token
 * family has ended. `user_id` is null for a token of an identity provider.
 */
export const tokenReuse = eventType<{ user_id: number | null; kind: 'access' | 'refresh' }>(
  'authn_token_reuse',
  'critical',
)

/** The cookie of a session that has ended was sent; `user_id` is null if it is deleted. */
export const sessionUseAfterExpire = eventType<{ user_id: number | null }>(
  'session_use_after_expire',
  'warn',
)

/** An address has used up the general rate limit; told once in its window. */
export const rateLimitExceeded = eventType<NoPayload>(
  'excess_rate_limit_exceeded',
  'warn',
  'failure',
  'too many requests',
)

/** The running service has taken up a changed configuration. */
export const configChanged = eventType<{
  what: 'certificate'
  /** ISO 8601: how long the certificate is valid. */
  until: string
  fingerprint: string
}>('config_changed', 'info', 'success', 'a renewed TLS certificate is in use')
