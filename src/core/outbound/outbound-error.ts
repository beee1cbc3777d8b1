export type OutboundFault =
  /** Not an http(s) URL, or with credentials. */
  | 'url_unusable'
  /** Only loopback may use http. */
  | 'https_required'
  /** A metadata service's name. */
  | 'host_refused'
  | 'address_refused'
  | 'name_not_found'
  | 'not_connected'
  /** Invalid certificate, or no common TLS. */
  | 'tls_failed'
  /** Not HTTP, or headers too long. */
  | 'answer_unreadable'
  | 'timed_out'
  /** By the caller. */
  | 'stopped'

/** The message is ours, printable ASCII, and names at most the rejected address. */
export class OutboundError extends Error {
  readonly fault: OutboundFault

  constructor(fault: OutboundFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutboundError'
    this.fault = fault
  }
}

/** The cause's code or the error's name; messages may contain the address. */
export function fetchFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name
}
