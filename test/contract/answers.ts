import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { after, afterEach } from 'node:test'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mistakesOf } from './answer-check.ts'
import { documentedPath, documentFor, followRoutes } from './operations.ts'
import { isKnown, noteMet } from './record.ts'

/**
 * Compares every answer of every service in this process with the OpenAPI document of that service,
 * whether it was injected or came over a socket: Fastify tells of each server that is made. A mistake
 * fails the test that made the request. Imported by test/app.ts, for every test in the process.
 *
 * Outside of it are services in processes of their own, and answers that belong to no request:
 * those to what Node's parser refuses.
 */
const findings: string[] = []
/** For whoever reworks the document: a file takes the mistakes, and nothing fails. */
const { CONTRACT_FINDINGS: findingsFile } = process.env
const maxBytes = 256 * 1024

subscribe('fastify.initialization', (message) => {
  const { fastify: app } = message as { fastify: FastifyInstance }
  followRoutes(app)
  app.addHook('onRequest', (request, reply, done) => {
    follow(app, request, reply)
    done()
  })
})

afterEach(({ name }) => tell(name))
after(() => tell('after the last test'))

function tell(name: string): void {
  if (findings.length === 0) return
  const all = [...new Set(findings.splice(0))]
  if (findingsFile) appendFileSync(findingsFile, all.map((one) => `${one}\t${name}\n`).join(''))
  else throw new Error(`answers that the OpenAPI document does not have:\n${all.join('\n')}`)
}

/** Keeps what is written, and checks it when the last of it is. */
function follow(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = reply
  const parts: Buffer[] = []
  let bytes = 0
  const keep = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    bytes += chunk.length
    if (bytes > maxBytes) parts.length = 0
    else parts.push(Buffer.from(chunk as string, encoding as BufferEncoding))
  }
  const { write, end } = raw
  Object.assign(raw, {
    write(...given: [unknown, unknown]) {
      keep(...given)
      return write.apply(raw, given as Parameters<typeof write>)
    },
    end(...given: [unknown, unknown]) {
      // A first end is the answer's, a second one has no effect.
      Object.assign(raw, { write, end })
      keep(...given)
      examine(app, request, reply, bytes > maxBytes ? null : Buffer.concat(parts).toString())
      return end.apply(raw, given as Parameters<typeof end>)
    },
  })
}

function examine(
  app: FastifyInstance,
  { method: sent, routeOptions, params, is404 }: FastifyRequest,
  reply: FastifyReply,
  body: string | null,
): void {
  const document = documentFor(app)
  if (!document) return
  const { url, config, schema } = routeOptions
  // A client that fills a path in leaves no part of it empty.
  const isEmpty = Object.values(params as object).includes('')
  const path = url === undefined || is404 || isEmpty ? undefined : documentedPath(url)
  const method = sent === 'HEAD' ? 'GET' : sent // documented as the GET that it asks about
  const { statusCode: status } = reply.raw
  const isHidden = !config.access || (schema !== undefined && 'hide' in schema)
  const headers = reply.getHeaders()
  const hasBody = sent !== 'HEAD'
  const mistakes = mistakesOf({ method, path, isHidden, status, headers, body, hasBody }, document)
  if (path !== undefined && !isHidden) noteMet(`${method} ${path} ${status}`)
  findings.push(...mistakes.filter((mistake) => !isKnown(mistake)))
}
