import plugin from 'fastify-plugin'

/** The headers of spec 5.7, sent with every answer, and those that ASVS 3.4.5 and 3.5.8 add. */
export const securityHeaders = {
  'content-security-policy': "default-src 'self'; script-src 'self'",
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

/** Sets them on every answer of Fastify; `parser-errors.ts` sends them on all other answers. */
export const headers = plugin(async (app) => {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders)
    reply.header('x-request-id', request.id)
    done()
  })
})
