import { subscribe } from 'node:diagnostics_channel'
import { after, afterEach } from 'node:test'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mistakesOf, type SentAnswer } from './answer-check.ts'
import { documentedBy, documentedPath, documentFor, isDescribed } from './operations.ts'
import { noteMet } from './record.ts'

/**
 * Compares every answer of every service in this process with the OpenAPI document of that service,
 * whether it was injected or came over a socket: Fastify tells of each server that is made. A mistake
 * fails the test that made the request. Imported by test/app.ts, for every test in the process.
 *
 * Outside of it are services in processes of their own, and answers that belong to no request:
 * those to what Node's parser refuses.
 */
const mistakes: string[] = []
/** Of an answer that is longer, in characters, the body is not checked. */
const maxLength = 256 * 1024

subscribe('fastify.initialization', (message) => {
  const { fastify: app } = message as { fastify: FastifyInstance }
  app.addHook('onRequest', (request, reply, done) => {
    follow(app, request, reply)
    done()
  })
})

afterEach(assertNone)
after(assertNone)

function assertNone(): void {
  if (mistakes.length === 0) return
  const all = [...new Set(takeMistakes())]
  throw new Error(`answers that the OpenAPI document does not have:\n${all.join('\n')}`)
}

/** Removes the mistakes so far, so that they fail no test, and answers them. */
export function takeMistakes(): string[] {
  return mistakes.splice(0)
}

type Chunk = string | Uint8Array

/** Keeps the body of an answer as it is written, and checks the answer at its end. */
function follow(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = reply
  const { write, end } = raw
  const chunks: Chunk[] = []
  let length = 0
  const keep = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    length += chunk.length
    if (length > maxLength) chunks.length = 0
    else chunks.push(chunk)
  }
  raw.write = (...given: unknown[]) => {
    keep(given[0])
    return write.apply(raw, given as Parameters<typeof write>)
  }
  raw.end = (...given: unknown[]) => {
    Object.assign(raw, { write, end }) // nothing is written after the first end
    keep(given[0])
    examine(app, request, reply, length > maxLength ? null : textOf(chunks))
    return end.apply(raw, given as Parameters<typeof end>)
  }
}

function textOf(chunks: readonly Chunk[]): string {
  const [first = '', ...others] = chunks
  if (others.length === 0 && typeof first === 'string') return first
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).toString()
}

function examine(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | null,
): void {
  const answer = sentAnswer(request, reply, body)
  const { method, path, status, isHidden } = answer
  try {
    if (!isDescribed(app)) return
    const place = path === undefined || isHidden ? undefined : { method, path }
    const operation = place && documentFor(app, place).paths[place.path]?.[method.toLowerCase()]
    if (operation) noteMet(`${method} ${path} ${documentedBy(operation, status)}`)
    mistakes.push(...mistakesOf(answer, () => documentFor(app, place)))
  } catch (error) {
    mistakes.push(`${method} ${path} ${status}: ${error}`)
  }
}

function sentAnswer(
  { method, routeOptions, params, is404 }: FastifyRequest,
  reply: FastifyReply,
  body: string | null,
): SentAnswer {
  const { url, config, schema } = routeOptions
  // A client that fills in a path leaves no part of it empty.
  const isEmpty = Object.values(params as object).includes('')
  return {
    method: method === 'HEAD' ? 'GET' : method, // documented as the GET that it asks about
    path: url === undefined || is404 || isEmpty ? undefined : documentedPath(url),
    isHidden: !config.access || schema?.hide === true,
    status: reply.raw.statusCode,
    headers: reply.getHeaders(),
    body,
    hasBody: method !== 'HEAD',
  }
}
