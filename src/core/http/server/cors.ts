import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import { requestHeaders as known } from '../request-headers.ts'

/** What routes may declare that they go by. */
const declarable = Object.values(known).map(({ name }) => name)

interface CorsOptions extends Pick<Config, 'http'> {
  /** The request headers of the modules. */
  readonly requestHeaders: readonly string[]
}

/** Allows cross-origin requests of browsers. Spec 4.5, and the request headers that modules and routes declare. */
export const cors = plugin<CorsOptions>(async (app, { http, requestHeaders }) => {
  if (http.corsOrigins.length === 0) return // no origin is allowed: browsers then refuse without a header
  await app.register(import('@fastify/cors'), {
    origin: http.corsOrigins.includes('*') ? true : [...http.corsOrigins],
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['Content-Type', 'Authorization', ...requestHeaders, ...declarable],
    exposedHeaders: ['ETag', 'Retry-After', 'X-Total-Count', 'X-Request-Id'],
    credentials: true,
    strictPreflight: false,
  })
})
