/** An answer that gives no access. RFC 6750 section 3 */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Record<string, string> = { 'Content-Type': 'application/json' }
  constructor(status: number, message: string, challenge?: string) {
    super(message)
    this.status = status
    if (challenge) this.headers['WWW-Authenticate'] = challenge
  }

  /** The body. */
  get text(): string {
    return JSON.stringify({ error: this.message })
  }
}
