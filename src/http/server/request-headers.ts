/** Request headers that a route may go by, as documents and CORS name them, and what each refuses. */
export const requestHeaders = {
  'if-match': {
    name: 'If-Match',
    description: 'The ETag of what the caller has seen: refused where it has changed since',
    error: 'preconditionFailed',
  },
  'idempotency-key': {
    name: 'Idempotency-Key',
    description: '1 to 255 visible ASCII characters: the same answer for 24 hours, done once',
    error: 'idempotencyKeyReused',
  },
} as const

export type RequestHeader = keyof typeof requestHeaders
