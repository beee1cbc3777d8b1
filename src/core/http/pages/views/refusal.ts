/** The pages of refusals, which all flows share. */
export interface RefusalViews {
  refusal: RefusalView
}

/** The errors that have words of their own, by their names in the error table; see ../refusal.ts. */
export type RefusalName =
  | 'accessDenied'
  | 'consoleElsewhere'
  | 'enrolmentRequired'
  | 'identityLinked'
  | 'identityProvider'
  | 'invalidCredentials'
  | 'pageNotFound'
  | 'passwordChangeRequired'
  | 'routeNotFound'
  | 'serviceUnavailable'
  | 'signInFailed'
  | 'tooManyLoginAttempts'
  | 'tooManyRequests'

/** What was refused, in words for a person, with ways to go on. */
export interface RefusalView {
  readonly error: RefusalName | null
  /** The text of the error in the contract. */
  readonly message: string
  readonly requestId: string
  readonly retryAfterSeconds: number | null
  /** Where the same flow begins again, if that can help. */
  readonly again: string | null
  /** The token with which an application sets up a second factor. */
  readonly enrolmentToken: string | null
}
