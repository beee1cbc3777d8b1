/** For OpenAPI. */
export const ForwardedHeaders = {
  type: 'object',
  properties: {
    'X-Forwarded-Host': {
      type: 'string',
      description: 'The host that the client asked for, as a browser writes it',
      examples: ['wiki.example.org'],
    },
    'X-Forwarded-Proto': {
      type: 'string',
      enum: ['http', 'https', 'ws', 'wss'],
      description: 'The scheme by which it came',
      examples: ['https'],
    },
    'X-Forwarded-Uri': {
      type: 'string',
      description: 'Path and query as the client sent them',
      examples: ['/pages/1?edit'],
    },
    'X-Forwarded-Method': {
      type: 'string',
      description: 'The method of the request',
      examples: ['GET'],
    },
  },
} as const

export const ForwardQuery = {
  type: 'object',
  properties: {
    proxy: {
      type: 'string',
      enum: ['nginx'],
      description:
        'For nginx, which passes no redirect on: the sign-in is the Location of a 401 in its place',
    },
  },
} as const
