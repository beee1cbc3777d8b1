/**
 * Every error that a caller can see: spec section 7 and further texts. No other file contains a
 * status code or an error text, except a module from outside: a problem of its own is a value (see
 * `Problem`).
 */
export const errorTable = {
  badRequest: { status: 400, error: 'Bad request', event: 'inputFail' },
  invalidRequest: { status: 400, error: 'invalid_request', event: 'inputFail' }, // RFC 6749 section 5.2, as the two below
  invalidBody: { status: 400, error: 'Invalid request body', event: 'inputFail' },
  nameAndEmailRequired: { status: 400, error: 'Name and email required', event: 'inputFail' },
  validationFailed: { status: 400, error: 'Validation failed', event: 'inputFail' },
  confirmationInvalid: { status: 400, error: 'Invalid or expired code' },
  signInFailed: { status: 400, error: 'Sign-in failed' },
  invalidClient: { status: 401, error: 'invalid_client' },
  authenticationRequired: { status: 401, error: 'Authentication required' },
  invalidCredentials: { status: 401, error: 'Invalid credentials' },
  invalidOrExpiredToken: { status: 401, error: 'Invalid or expired token', event: 'tokenFail' },
  noTokenProvided: { status: 401, error: 'No token provided' },
  invalidToken: { status: 401, error: 'Invalid token', event: 'tokenFail' },
  captchaRequired: { status: 401, error: 'Captcha required', event: 'sequenceFail' },
  invalidRefreshToken: { status: 401, error: 'Invalid refresh token', event: 'tokenFail' },
  secondFactorRequired: { status: 401, error: 'Second factor required', event: 'sequenceFail' },
  recentLoginRequired: { status: 401, error: 'Recent login required', event: 'sequenceFail' },
  confirmationRequired: { status: 401, error: 'Confirmation required', event: 'sequenceFail' },
  unauthorizedClient: { status: 403, error: 'unauthorized_client', event: 'authorizationFail' },
  signUpOff: { status: 403, error: 'Sign-up is off' },
  accessDenied: { status: 403, error: 'Access denied', event: 'authorizationFail' },
  httpsRequired: { status: 403, error: 'HTTPS required' },
  csrfTokenInvalid: { status: 403, error: 'CSRF token invalid', event: 'csrfFail' },
  passwordChangeRequired: { status: 403, error: 'Password change required', event: 'sequenceFail' },
  enrolmentRequired: {
    status: 403,
    error: 'Second factor enrolment required',
    event: 'sequenceFail',
  },
  routeNotFound: { status: 404, error: 'Route not found' },
  userNotFound: { status: 404, error: 'User not found' },
  postNotFound: { status: 404, error: 'Post not found' },
  accountNotFound: { status: 404, error: 'Account not found' },
  invitationNotFound: { status: 404, error: 'Invitation not found' },
  mailNotFound: { status: 404, error: 'Mail not found' },
  identityNotFound: { status: 404, error: 'Identity not found' },
  refusalNotFound: { status: 404, error: 'Refusal not found' },
  sessionNotFound: { status: 404, error: 'Session not found' },
  secondFactorNotFound: { status: 404, error: 'Second factor not found' },
  requestTimeout: { status: 408, error: 'Request timeout' },
  usernameExists: { status: 409, error: 'Username already exists' },
  userHasAccount: { status: 409, error: 'User already has an account' },
  identityLinked: { status: 409, error: 'Identity already linked' },
  emailExists: { status: 409, error: 'Email already in use' },
  invitationClosed: { status: 409, error: 'Invitation already closed' },
  accountUnusable: { status: 409, error: 'Account locked or disabled' },
  emailNotVerified: { status: 409, error: 'No verified email' },
  mailClosed: { status: 409, error: 'Mail already closed' },
  lastAdministrator: { status: 409, error: 'Last administrator' },
  preconditionFailed: { status: 412, error: 'Precondition failed' },
  bodyTooLarge: { status: 413, error: 'Request body too large', event: 'inputFail' },
  unsupportedMediaType: { status: 415, error: 'Unsupported media type' },
  unsupportedRequest: { status: 415, error: 'invalid_request' }, // RFC 6749 section 5.2
  expectationFailed: { status: 417, error: 'Expectation failed' },
  idempotencyKeyReused: { status: 422, error: 'Idempotency key reused' },
  tooManyLoginAttempts: { status: 429, error: 'Too many login attempts' },
  tooManyRequests: { status: 429, error: 'Too many requests' },
  headerFieldsTooLarge: { status: 431, error: 'Request header fields too large' },
  internal: { status: 500, error: 'Internal server error' },
  identityProvider: { status: 502, error: 'Identity provider error' },
  mailUnavailable: { status: 503, error: 'Mail is not configured' },
  serviceUnavailable: { status: 503, error: 'Service unavailable' },
} as const satisfies Record<string, ErrorText>

export type ErrorName = keyof typeof errorTable

interface ErrorText {
  /** From 400 to 599. */
  readonly status: number
  /** The text that callers see. */
  readonly error: string
  /**
   * The event of its refusals. The other errors have none: their cause is told where it is known (a
   * wrong password, a full rate limit), or they are no matter of security (a path or a row that is
   * not there, a request without credentials). docs/adr/0052
   */
  readonly event?: 'authorizationFail' | 'csrfFail' | 'inputFail' | 'sequenceFail' | 'tokenFail'
}

/** An error of a module from outside, which the table has no row for. Its manifest names it. */
export interface Problem extends ErrorText {
  readonly name: string
}

export type ErrorRow = ErrorName | Problem

/** The row that a name stands for; a module's own problem as it is. */
export function problemOf(row: ErrorRow): ErrorText {
  return typeof row === 'string' ? errorTable[row] : row
}

/** An entry of `details`: the path of a wrong field and the fault. Spec section 7. */
export interface Detail {
  readonly path: readonly string[]
  readonly message: string
}

/** The names of the facts of each reason; each `reasons.ts` adds its codes to it. */
// biome-ignore lint/suspicious/noEmptyInterface: each table of reasons declares its codes in it
export interface ReasonFacts {}

export type FactValue = string | number | boolean | readonly string[] | null
type Facts<Names extends string> = { readonly [Name in Names]: FactValue }

/**
 * Why a request was refused: a code of the registry with its facts, or one of a module from outside.
 * For the operator alone, never sent. A fact names no account but by its user id, and holds nothing
 * that may be a secret that was typed.
 */
export type RefusalReason =
  | {
      [Code in keyof ReasonFacts]: [ReasonFacts[Code]] extends [never]
        ? { readonly code: Code; readonly facts?: Facts<never> }
        : { readonly code: Code; readonly facts: Facts<ReasonFacts[Code] & string> }
    }[keyof ReasonFacts]
  | { readonly code: `x-${string}`; readonly facts?: Readonly<Record<string, FactValue>> }

export interface ApiErrorOptions {
  readonly reason: RefusalReason
  /** The cause for the log; never sent. */
  readonly cause?: unknown
  /** Sent as `details` beside `error`. */
  readonly details?: readonly Detail[]
  /** Further fields of the body beside `error`. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** Sent as Retry-After, in whole seconds. RFC 9110 section 10.2.3. */
  readonly retryAfterSeconds?: number
  /** Sent as WWW-Authenticate. RFC 9110 section 11.6.1. */
  readonly challenge?: string | undefined
}

/** A refusal: names a row of `errorTable` or is a module's own; the error handler makes the answer from it. */
export class ApiError extends Error {
  readonly row: ErrorRow
  readonly status: number
  readonly reason: RefusalReason
  readonly details: readonly Detail[] | undefined
  readonly extra: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterSeconds: number | undefined
  readonly challenge: string | undefined

  constructor(row: ErrorRow, options: ApiErrorOptions) {
    const { error, status } = problemOf(row)
    super(error, { cause: options.cause })
    this.name = 'ApiError'
    this.row = row
    this.status = status
    this.reason = options.reason
    this.details = options.details
    this.extra = options.extra
    this.retryAfterSeconds = options.retryAfterSeconds
    this.challenge = options.challenge
  }
}

/** Refuses with a single entry of `details`. @throws ApiError validationFailed, always */
export function refuseField(path: readonly string[], message: string): never {
  const reason = { code: 'field_refused', facts: { field: path.join('.'), message } } as const
  throw new ApiError('validationFailed', { details: [{ path, message }], reason })
}
