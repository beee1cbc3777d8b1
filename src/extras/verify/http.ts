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

export type Send = (sent: Sent) => Promise<Answer>

/** No answer, or one that is no HTTP. */
export class NoAnswer extends Error {}

export interface Target {
  /** An origin, perhaps with a path that stands before all paths. */
  readonly url: URL
  /** PEM, in place of Node's authorities. */
  readonly ca: string | undefined
  readonly timeoutMs: number
}

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
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const fail = (error: Error) =>
          reject(new NoAnswer(`${method} ${path}: ${error.message || error.name}`))
        const sent = request(
          new URL(`${url.origin}${prefix}${path}`),
          {
            agent,
            method,
            timeout: timeoutMs,
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
            response.on('end', () => resolve(answerOf(response, Buffer.concat(chunks).toString())))
          },
        )
        sent.on('timeout', () => sent.destroy(new Error(`no answer in ${timeoutMs / 1000} s`)))
        sent.on('error', fail)
        sent.end(body)
      }),
  }
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
