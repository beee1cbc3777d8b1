// Serves the Node listings of docs/use-it.md in one process: node node-server.mjs FOLDER EXPRESS
// FASTIFY HONO, with a port for each. Prints a line when all of them listen.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'

const [folder, express, fastify, hono] = process.argv.slice(2)

process.env.PORT = express
await import(join(folder, 'express.js'))
process.env.PORT = fastify
await import(join(folder, 'fastify.js'))

/** What @hono/node-server does, as much of it as the listing needs. */
const { default: app } = await import(join(folder, 'hono.js'))
const server = createServer(async ({ method, url, headers }, response) => {
  const answer = await app.fetch(new Request(`http://${headers.host}${url}`, { method, headers }))
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(await answer.text())
})
await once(server.listen(Number(hono), '127.0.0.1'), 'listening')
process.stdout.write('ready\n')
