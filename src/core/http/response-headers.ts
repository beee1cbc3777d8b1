/** For documents. */
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
  'remote-user': {
    name: 'Remote-User',
    description: 'The username, percent-encoded where it is not printable ASCII; none for a bypass',
    isAlwaysSent: false,
    example: 'ann',
  },
  'remote-groups': {
    name: 'Remote-Groups',
    description: 'The roles, with commas between them',
    isAlwaysSent: false,
    example: 'USER,EDITOR',
  },
  'remote-email': {
    name: 'Remote-Email',
    description: 'The verified mail address, percent-encoded as the username',
    isAlwaysSent: false,
    example: 'ann@example.org',
  },
  cookie: {
    name: 'Cookie',
    description: 'The cookies of the request for the application, without those of this service',
    isAlwaysSent: false,
    example: 'theme=dark',
  },
  'sign-in': {
    name: 'Location',
    description: 'For nginx: where the browser of a person is sent to sign in',
    isAlwaysSent: false,
    example: 'https://id.example.org/signin?return_to=https%3A%2F%2Fwiki.example.org%2F',
  },
  'accept-encoding': {
    name: 'Accept-Encoding',
    description: 'The codings of a body that are read: none. Its charset must be UTF-8',
    isAlwaysSent: true,
    example: 'identity',
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
    isAlwaysSent: false, // absent for malformed HTTP
    example: 'Zk3vQ1xw-2f',
  },
} as const

export type ResponseHeader = keyof typeof responseHeaders
