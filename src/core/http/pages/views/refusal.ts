/** The pages of refusals, which all flows share. */
export interface RefusalViews {
  refusal: RefusalView
}

/** What was refused, in words for a person, with ways to go on. */
export interface RefusalView {
  /** The name of the error, or another name of the refusal: the folders of `web/pages` have words for some. */
  readonly error: string
  /** The text of the error in the contract. */
  readonly message: string
  readonly requestId: string
  readonly retryAfterSeconds: number | null
  /** Where the same flow begins again, if that can help. */
  readonly again: string | null
  /** The token with which an application sets up a second factor. */
  readonly enrolmentToken: string | null
}
