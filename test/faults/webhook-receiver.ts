import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'

// A receiver of webhooks as a process of its own, which can be killed: what it has answered for is in
// its file. `node webhook-receiver.ts FILE PORT`; it sends its port to the parent.

const [file = '', port = '0'] = process.argv.slice(2)

const server = createServer(async (request, response) => {
  const text = (await Array.fromAsync(request.setEncoding('utf8'))).join('')
  appendFileSync(file, `${JSON.stringify({ id: request.headers['webhook-id'], text })}\n`)
  response.writeHead(204).end()
})
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.send?.(address.port)
})
process.once('disconnect', () => process.exit())
