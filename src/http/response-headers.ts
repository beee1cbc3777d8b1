/** Response headers, as documents name them. */
export const responseHeaders = {
  etag: {
    name: 'ETag',
    description: 'The version of the representation, for If-Match',
    isAlwaysSent: true,
    example: '"Yd2tLC9hKZ3aQzW8vXfN1g"',
  },
  'x-total-count': {
    name: 'X-Total-Count',
    description: 'How many items the whole list has',
    isAlwaysSent: true,
    example: 1,
  },
  'set-cookie': {
    name: 'Set-Cookie',
    description: 'Sets or clears a cookie: HttpOnly, Secure, Path=/',
    isAlwaysSent: false,
    example: 'JSESSIONID=9vX…Q; Path=/; HttpOnly; Secure; SameSite=Strict',
  },
  location: {
    name: 'Location',
    description: 'Where the browser goes on',
    isAlwaysSent: true,
    example: 'https://login.example.org/authorize?client_id=gatehouse&state=8hJ…',
  },
  'cache-control': {
    name: 'Cache-Control',
    description: 'How long the answer may be kept',
    isAlwaysSent: true,
    example: 'public, max-age=300',
  },
  'retry-after': {
    name: 'Retry-After',
    description: 'After how many seconds another try can succeed',
    isAlwaysSent: false,
    example: 60,
  },
  'www-authenticate': {
    name: 'WWW-Authenticate',
    description:
      'A challenge for each scheme that the route accepts; a fetch of a page gets no Basic',
    isAlwaysSent: false,
    example: 'Bearer realm="API"',
  },
  'x-request-id': {
    name: 'X-Request-Id',
    description: 'Names the request in the log',
    isAlwaysSent: false, // a request that is not HTTP gets none
    example: 'Zk3vQ1xw-2f',
  },
} as const

export type ResponseHeader = keyof typeof responseHeaders
