import * as http from 'node:http'
import * as https from 'node:https'

export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Answer {
  readonly status: number
  /** By lower-case name; several fields of a name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  readonly text: string
  /** Parsed if it is JSON; undefined for an empty or another body. */
  readonly body: unknown
}

/** Rejects with NoAnswer, also when the signal aborts. */
export type Send = (sent: Sent, signal?: AbortSignal) => Promise<Answer>

/** No answer, or one that is no HTTP. */
export class NoAnswer extends Error {}

export interface Target {
  /** An origin, perhaps with a path that stands before all paths. */
  readonly url: URL
  /** PEM, in place of Node's authorities. */
  readonly ca: string | undefined
  /** From the beginning of a request to the end of its answer. */
  readonly timeoutMs: number
}

/** `GET /users` answers all users: a megabyte is not enough. */
const maxBytes = 64 * 1024 * 1024

/**
 * Sends exactly the given headers: fetch adds headers of its own, to which services answer
 * differently. Follows no redirect.
 */
export function createSend({ url, ca, timeoutMs }: Target): { send: Send; close: () => void } {
  const { Agent, request } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, ...(ca !== undefined && { ca }) })
  const prefix = url.pathname.replace(/\/$/, '')
  return {
    close: () => agent.destroy(),
    async send(sent, signal) {
      const limit = AbortSignal.timeout(timeoutMs)
      try {
        return await answered(sent, signal ? AbortSignal.any([limit, signal]) : limit)
      } catch (error) {
        const { message, name } = error as Error // Node rejects and throws no other values
        const reason = limit.aborted ? `no whole answer in ${timeoutMs / 1000} s` : message || name
        throw new NoAnswer(`${sent.method} ${sent.path}: ${reason}`)
      }
    },
  }

  function answered({ method, path, headers, body }: Sent, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, fail) => {
      const sent = request(
        new URL(`${url.origin}${prefix}${path}`),
        {
          agent,
          method,
          signal,
          headers: {
            ...headers,
            ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          let bytes = 0
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length
            if (bytes > maxBytes) response.destroy(new Error('the answer is too long'))
            else chunks.push(chunk)
          })
          response.on('error', fail)
          response.on('close', () => fail(new Error('the answer breaks off')))
          response.on('end', () => resolve(answerOf(response, Buffer.concat(chunks).toString())))
        },
      )
      sent.on('upgrade', (response, socket) => {
        socket.destroy()
        fail(new Error(`the answer ${response.statusCode} changes the protocol`))
      })
      sent.on('error', fail)
      sent.on('close', () => fail(new Error('the connection ended without an answer')))
      sent.end(body)
    })
  }
}

/** For the answer of a creation under way, which names what is to be removed. */
const graceMs = 3_000

/** Aborts some time after the signal. */
export function lateSignal(signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  const start = () => setTimeout(() => late.abort(), graceMs).unref()
  signal.addEventListener('abort', start, { once: true })
  return late.signal
}

function answerOf(response: http.IncomingMessage, text: string): Answer {
  const { 'set-cookie': cookies = [], ...distinct } = response.headersDistinct
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(
      Object.entries(distinct).map(([name, values = []]) => [name, values.join(', ')]),
    ),
    cookies,
    text,
    body: parsed(text),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
