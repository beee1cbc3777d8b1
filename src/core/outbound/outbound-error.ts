/** Why a request to another service was not made, or has no answer. */
export type OutboundFault =
  /** The text is no URL of http or https, or has a name or password in it. */
  | 'url_unusable'
  /** https is required for a host that is not this machine. */
  | 'https_required'
  /** The host name is that of a metadata service. */
  | 'host_refused'
  /** The address is none that may be reached. */
  | 'address_refused'
  | 'name_not_found'
  | 'not_connected'
  /** The certificate is not valid, or the two agree on no TLS. */
  | 'tls_failed'
  /** What was answered is not HTTP, or its headers are too long. */
  | 'answer_unreadable'
  | 'timed_out'
  /** The caller has ended it. */
  | 'stopped'

/** A failed request; its message is ours, in printable ASCII, and names no address but the one refused. */
export class OutboundError extends Error {
  readonly fault: OutboundFault

  constructor(fault: OutboundFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutboundError'
    this.fault = fault
  }
}
