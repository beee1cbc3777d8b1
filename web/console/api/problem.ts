/** A refusal of the API, or no answer at all. */
export class ApiProblem extends Error {
  /** The status; 0 where nothing answered. */
  readonly status: number
  /** What the API said: `error`, for example "Last administrator". */
  readonly error: string
  readonly details: readonly { readonly path: readonly string[]; readonly message: string }[]
  /** Seconds, of 429 and 503. */
  readonly retryAfter: number | null
  /** For the box of "Why was this refused?". */
  readonly requestId: string | null

  constructor(fields: Pick<ApiProblem, 'status' | 'error'> & Partial<ApiProblem>) {
    super(fields.error)
    this.status = fields.status
    this.error = fields.error
    this.details = fields.details ?? []
    this.retryAfter = fields.retryAfter ?? null
    this.requestId = fields.requestId ?? null
  }
}

export function problemOf({ status, headers }: Response, body: unknown): ApiProblem {
  const { error, details } = (typeof body === 'object' && body ? body : {}) as Partial<ApiProblem>
  const seconds = Number(headers.get('retry-after'))
  return new ApiProblem({
    status,
    error: error ?? '',
    details: details ?? [],
    retryAfter: Number.isFinite(seconds) && seconds > 0 ? seconds : null,
    requestId: headers.get('x-request-id'),
  })
}

export function unreachable(error: unknown): ApiProblem {
  return new ApiProblem({ status: 0, error: error instanceof Error ? error.message : '' })
}
