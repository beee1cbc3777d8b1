import { createServer } from 'node:http'
import { serve } from './serve.ts'

// The minimum work of Node: the same bytes for every request, without reading it.

export interface Answer {
  readonly headers: string[]
  readonly body: string
  /** That of the service, so that the fields Connection and Keep-Alive are the same. */
  readonly keepAliveTimeoutMs: number
}

serve<Answer>(async ({ headers, body, keepAliveTimeoutMs }) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, headers)
    response.end(body)
  })
  server.keepAliveTimeout = keepAliveTimeoutMs
  return { server }
})
