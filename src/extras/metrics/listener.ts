import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { ListenAddress } from '../../core/addresses/listen-address.ts'
import type { Connections } from '../../core/http/connections/connections.ts'
import { headerMs } from '../../core/http/connections/draining.ts'
import { nodeServer } from '../../core/http/connections/node-server.ts'
import { answer } from '../../core/http/connections/parser-errors.ts'
import { reasonOf, systemCode } from '../../core/reason.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import { metricsTypes } from './exposition.ts'
import type { Metrics } from './metrics.ts'
import { preferredForm } from './preferred-form.ts'

/** Opens first and closes last, around the service's port. */
export function listenBeside(
  app: FastifyInstance,
  { config, log, workers }: Pick<Deps, 'config' | 'log' | 'workers'>,
  metrics: Pick<Metrics, 'text'>,
): void {
  const address = config.http.metricsAddress
  if (!address || workers.index !== 0) return
  const listener = metricsListener(metrics, address)
  app.addHook('onReady', async () => {
    const metrics_address = await listener.listen()
    log.info({ metrics_address }, 'the metrics have a port of their own')
  })
  app.addHook('onClose', () => listener.close())
}

export interface MetricsListener {
  /** Returns the address. @throws Error with the setting name */
  listen(): Promise<string>
  /** Finishes accepted requests. */
  close(): Promise<void>
}

/** Serves only /metrics, without authentication and without reading bodies. */
export function metricsListener(
  metrics: Pick<Metrics, 'text'>,
  { host, port }: ListenAddress,
): MetricsListener {
  const { server, connections } = nodeServer((request, response) => {
    if (asksForMetrics(request)) void send(metrics, request, response)
    else answer(response, 'routeNotFound')
  })
  return {
    async listen() {
      try {
        // Only one worker listens.
        server.listen({ host, port, exclusive: true })
        await once(server, 'listening')
      } catch (cause) {
        throw new Error(
          `nothing can listen at METRICS_ADDRESS ${shown(host, port)}: ${whyNot(cause)}`,
          {
            cause,
          },
        )
      }
      const { address, port: taken } = server.address() as AddressInfo
      return `http://${shown(address, taken)}/metrics`
    },
    close: () => closed(server, connections),
  }
}

function asksForMetrics({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && url.split('?', 1)[0] === '/metrics'
}

async function send(
  metrics: Pick<Metrics, 'text'>,
  { headers, method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = preferredForm(headers.accept)
  try {
    const text = await metrics.text(form)
    response.writeHead(200, {
      'content-type': metricsTypes[form],
      'content-length': Buffer.byteLength(text),
      vary: 'Accept',
    })
    response.end(method === 'HEAD' ? undefined : text)
  } catch {
    if (!response.headersSent) answer(response, 'internal')
    else response.destroy()
  }
}

function shown(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`
}

function whyNot(error: unknown): string {
  const code = systemCode(error)
  if (code === 'EADDRINUSE') return 'another program listens there; stop it, or set another port'
  if (code === 'EADDRNOTAVAIL') return 'this machine has no such address'
  return reasonOf(error)
}

async function closed(server: Server, connections: Connections): Promise<void> {
  if (!server.listening) return
  const done = new Promise((resolve) => server.close(resolve))
  connections.closeAfterAnswers()
  const timer = setTimeout(() => connections.endUnanswered(), headerMs).unref()
  server.closeIdleConnections()
  await done
  clearTimeout(timer)
}
