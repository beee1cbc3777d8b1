import { createServer } from 'node:http'

// The minimum work of Node: the same bytes and headers for every request, without reading it. The
// answer is that of the service (see requests.ts).

interface Answer {
  readonly headers: string[]
  readonly body: string
  readonly keepAliveTimeoutMs: number
}

process.once('message', (answer) => {
  const { headers, body, keepAliveTimeoutMs } = answer as Answer // sent by requests.ts
  const server = createServer((_request, response) => {
    response.writeHead(200, headers)
    response.end(body)
  })
  server.keepAliveTimeout = keepAliveTimeoutMs
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.(typeof address === 'object' ? address?.port : null)
  })
})
process.once('disconnect', () => process.exit())
