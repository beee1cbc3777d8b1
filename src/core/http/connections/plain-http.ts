import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config/load.ts'
import { securityHeaders } from '../headers.ts'
import { serveNoMore } from './connections.ts'
import { headerMs, untilRead } from './draining.ts'
import { nodeServer } from './node-server.ts'
import { answer } from './parser-errors.ts'

export interface PlainHttp {
  readonly server: Server
  /** Answers accepted requests first. */
  close(): Promise<void>
}

/**
 * Redirects browser navigation and rejects everything else: programs that send credentials in clear
 * text must fail at once (ASVS 4.1.2). Reads no credentials; each response closes the connection.
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

export function closeWith(app: FastifyInstance, { close }: PlainHttp): void {
  let closed: Promise<void> | undefined
  app.addHook('preClose', async () => {
    closed = close()
  })
  app.addHook('onClose', async () => await closed)
}

/** Browsers send Sec-Fetch-Mode only to trustworthy origins, so Accept decides over plain HTTP. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate'
  return /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(headers.accept ?? '')
}

/** Same path at BASE_URL. The Host header is attacker-controlled. */
function targetOf({ url = '/' }: IncomingMessage, baseUrl: string): string {
  const path = url.startsWith('/') ? url : '/'
  return new URL(`${baseUrl}${path}`).href
}

/** 308; not cached because of `Cache-Control: no-store`. */
function redirect(response: ServerResponse, location: string): void {
  serveNoMore(response.req.socket)
  const headers = { ...securityHeaders, location, 'content-length': 0, connection: 'close' }
  response.writeHead(308, headers)
  response.end()
}
