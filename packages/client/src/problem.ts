/** A refusal of the service. */
export class GatehouseError extends Error {
  readonly status: number
  /** What the service says: `error` is its text; `second_factor` asks for a code. */
  readonly body: Readonly<Record<string, unknown>>
  /** Seconds, of 429 and 503. */
  readonly retryAfter: number | null
  /** For `gatehouse explain`. */
  readonly requestId: string | null

  constructor({ headers, status }: Response, body: unknown) {
    const read = (typeof body === 'object' && body ? body : {}) as Record<string, unknown>
    super(typeof read.error === 'string' ? read.error : `status ${status}`)
    this.name = 'GatehouseError'
    this.status = status
    this.body = read
    this.retryAfter = Number(headers.get('retry-after')) || null
    this.requestId = headers.get('x-request-id')
  }
}

/** The body of an answer: JSON, a text, or undefined if it is empty. */
export async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  if (text === '') return undefined
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type) ? JSON.parse(text) : text
}

/** The text `error` of an answer that somebody else reads too. */
export async function errorOf(response: Response): Promise<unknown> {
  const body: unknown = await bodyOf(response.clone()).catch(() => undefined)
  return typeof body === 'object' && body && 'error' in body ? body.error : undefined
}
