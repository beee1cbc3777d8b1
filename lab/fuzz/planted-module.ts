import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { named } from '../../src/core/http/schemas.ts'
import type { Module } from '../../src/core/module/module.ts'
import { anyone } from '../../src/core/policy/rules.ts'

/** A module with faults that the tool must find: a request asks for each fault. */
const Password = named(
  'PlantedPassword',
  { type: 'object', properties: { password: { type: 'string', maxLength: 1024 } } },
  { password: 'gravel-otter-lantern-41' },
)
const Limit = named(
  'PlantedQuery',
  { type: 'object', properties: { limit: { type: 'string' } } },
  { limit: '10' },
)
const Done = named(
  'PlantedDone',
  {
    type: 'object',
    required: ['done'],
    properties: { done: { type: 'boolean' } },
    additionalProperties: false,
  },
  { done: true },
)

const access = { rule: anyone }
const schemaOf = (operationId: string) => ({
  operationId,
  summary: 'Of a test',
  response: { 200: Done },
})

interface Needs {
  readonly log: Pick<Logger, 'info'>
}

async function routes(app: FastifyInstance, { log }: Needs): Promise<void> {
  app.post<{ Body: { password?: unknown } }>(
    '/planted/failure',
    {
      config: { access, body: 'json', csrf: 'exempt' },
      schema: { ...schemaOf('plantFailure'), body: Password },
    },
    async ({ body }) => {
      if (body.password === undefined) throw new Error('planted')
      return { done: true }
    },
  )
  app.get(
    '/planted/status',
    { config: { access }, schema: schemaOf('plantStatus') },
    async (_request, reply) => reply.status(418 as 200).send({ done: true }),
  )
  app.post<{ Body: { password?: string } }>(
    '/planted/leak',
    {
      config: { access, body: 'json', csrf: 'exempt' },
      schema: { ...schemaOf('plantLeak'), body: Password },
    },
    async ({ body }) => {
      log.info({ note: body.password }, 'planted')
      return { done: true }
    },
  )
  app.get<{ Querystring: { limit?: string } }>(
    '/planted/hang',
    { config: { access, query: Limit }, schema: schemaOf('plantHang') },
    ({ query }) => ('limit' in query ? new Promise(() => {}) : Promise.resolve({ done: true })),
  )
}

export const module: Module = {
  name: 'planted',
  tag: { name: 'Planted', description: 'Of the tests of a tool.' },
  routes: async () => ({ routes }),
}
