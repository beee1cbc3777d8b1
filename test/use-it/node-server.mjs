// Serves Node listings in one process: node node-server.mjs FOLDER EXPRESS FASTIFY HONO [NEXT], with
// a port for each. Prints a line when all of them listen.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'

const [folder, express, fastify, hono, next] = process.argv.slice(2)

process.env.PORT = express
await import(join(folder, 'express.js'))
process.env.PORT = fastify
await import(join(folder, 'fastify.js'))
const { default: app } = await import(join(folder, 'hono.js'))
await serve(hono, app.fetch)
if (next) {
  const handlers = await import(join(folder, 'route.js'))
  await serve(next, (request) => {
    const [, , id] = new URL(request.url).pathname.split('/')
    return handlers[request.method](request, { params: Promise.resolve({ id }) })
  })
}
process.stdout.write('ready\n')

/** What @hono/node-server or Next does, as much of it as the listings need. */
async function serve(port, answer) {
  const server = createServer(async ({ method, url, headers }, response) => {
    const given = await answer(new Request(`http://${headers.host}${url}`, { method, headers }))
    response.writeHead(given.status, Object.fromEntries(given.headers))
    response.end(await given.text())
  })
  await once(server.listen(Number(port), '127.0.0.1'), 'listening')
}
