import fastify from 'fastify'
import { serve } from './serve.ts'

// A route of Fastify without hooks, logger or plugins, with a response schema as its documentation
// recommends: https://fastify.dev/docs/latest/Guides/Getting-Started/#serialize-your-data

const response = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    username: { type: 'string' },
    roles: { type: 'array', items: { type: 'string' } },
  },
} as const

serve<object>(async () => {
  const app = fastify()
  app.get('/me', { schema: { response: { 200: response } } }, async () => ({
    id: '1',
    username: 'admin',
    roles: ['ADMIN', 'EDITOR', 'USER'],
  }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { server: app.server }
})
