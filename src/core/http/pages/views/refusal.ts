/** Shared by all flows. */
export interface RefusalViews {
  refusal: RefusalView
}

export interface RefusalView {
  /** Error name; `web/pages` has texts for some. */
  readonly error: string
  /** The API's error text. */
  readonly message: string
  readonly requestId: string
  readonly retryAfterSeconds: number | null
  /** Restarts the flow; null if useless. */
  readonly again: string | null
  /** Lets an application enrol a second factor. */
  readonly enrolmentToken: string | null
}
