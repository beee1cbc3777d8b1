import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config/load.ts'
import { securityHeaders } from '../headers.ts'
import { serveNoMore } from './connections.ts'
import { headerMs, untilRead } from './draining.ts'
import { nodeServer } from './node-server.ts'
import { answer } from './parser-errors.ts'

/** The server of HTTP_REDIRECT_PORT. */
export interface PlainHttp {
  readonly server: Server
  /** Answers all accepted requests, and closes the port. */
  close(): Promise<void>
}

/**
 * Makes the server of plain HTTP beside that of HTTPS. It redirects the navigation of a browser and
 * refuses everything else, because a program that sends its credentials in clear should fail at once
 * (ASVS 4.1.2). It reads no credentials, and each answer closes its connection.
 */
export function plainHttp({ baseUrl }: Pick<Config, 'baseUrl'>): PlainHttp {
  const { server, connections } = nodeServer((request, response) => {
    if (isNavigation(request)) redirect(response, targetOf(request, baseUrl))
    else answer(response, 'httpsRequired')
  })
  return {
    server,
    async close() {
      if (!server.listening) return
      await untilRead(server)
      const closed = new Promise((resolve) => server.close(resolve))
      const timer = setTimeout(() => connections.endUnanswered(), headerMs).unref()
      await closed
      clearTimeout(timer)
    },
  }
}

/** Closes it when the service stops, at the same time as the port of HTTPS. */
export function closeWith(app: FastifyInstance, { close }: PlainHttp): void {
  let closed: Promise<void> | undefined
  app.addHook('preClose', async () => {
    closed = close()
  })
  app.addHook('onClose', async () => await closed)
}

/**
 * Whether a person opens a page. Browsers send Sec-Fetch-Mode to trustworthy addresses alone, so
 * over plain HTTP mostly Accept tells.
 */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate'
  return /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(headers.accept ?? '')
}

/** The same path at BASE_URL. The Host header takes no part: it would name any site. */
function targetOf({ url = '/' }: IncomingMessage, baseUrl: string): string {
  const path = url.startsWith('/') ? url : '/'
  return new URL(`${baseUrl}${path}`).href
}

/** Redirects by 308. Browsers do not remember it, because of `Cache-Control: no-store`. */
function redirect(response: ServerResponse, location: string): void {
  serveNoMore(response.req.socket)
  const headers = { ...securityHeaders, location, 'content-length': 0, connection: 'close' }
  response.writeHead(308, headers)
  response.end()
}
