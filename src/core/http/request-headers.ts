/** For documents and CORS, with the error of each: null where the header is only read. */
export const requestHeaders = {
  'if-match': {
    name: 'If-Match',
    description: 'The ETag of what the caller has seen: refused where it has changed since',
    error: 'preconditionFailed',
    example: '"Yd2tLC9hKZ3aQzW8vXfN1g"',
  },
  'idempotency-key': {
    name: 'Idempotency-Key',
    description: '1 to 255 visible ASCII characters: the same answer for 24 hours, done once',
    error: 'idempotencyKeyReused',
    example: '5f0c9b1e-7a34-4a55-9a3e-2f1d8c6b7e90',
  },
  'accept-language': {
    name: 'Accept-Language',
    description: 'The language of texts for people, `en` or `de`. Without it: English',
    error: null,
    example: 'de',
  },
} as const

export type RequestHeader = keyof typeof requestHeaders
