import fastifyCors from '@fastify/cors'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import { requestHeaders } from './request-headers.ts'

/** What routes may declare that they go by. */
const declarable = Object.values(requestHeaders).map(({ name }) => name)

/** Cross-origin calls by browsers. Spec 4.5, and three request headers more. */
export const cors = plugin<Pick<Config, 'http'>>(async (app, { http }) => {
  if (http.corsOrigins.length === 0) return // nobody is allowed: browsers need no header to refuse
  await app.register(fastifyCors, {
    origin: http.corsOrigins.includes('*') ? true : [...http.corsOrigins],
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    // Without X-CSRF-Token no browser could call a state-changing session operation.
    allowedHeaders: ['Content-Type', 'Authorization', 'X-CSRF-Token', ...declarable],
    exposedHeaders: ['ETag', 'Retry-After', 'X-Total-Count', 'X-Request-Id'],
    credentials: true,
    strictPreflight: false,
  })
})
