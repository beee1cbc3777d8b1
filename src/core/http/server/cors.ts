import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import { requestHeaders as known } from '../request-headers.ts'

// Browsers send Accept-Language to any origin. Fetch standard, CORS-safelisted request-header.
const declarable = Object.values(known).flatMap(({ error, name }) => (error === null ? [] : [name]))

interface CorsOptions extends Pick<Config, 'http'> {
  /** Of the modules. */
  readonly requestHeaders: readonly string[]
}

/** Spec 4.5, plus request headers of modules and routes. */
export const cors = plugin<CorsOptions>(async (app, { http, requestHeaders }) => {
  if (http.corsOrigins.length === 0) return // browsers block without the header
  await app.register(import('@fastify/cors'), {
    origin: http.corsOrigins.includes('*') ? true : [...http.corsOrigins],
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['Content-Type', 'Authorization', ...requestHeaders, ...declarable],
    exposedHeaders: ['ETag', 'Retry-After', 'X-Total-Count', 'X-Request-Id'],
    credentials: true,
    strictPreflight: false,
  })
})
