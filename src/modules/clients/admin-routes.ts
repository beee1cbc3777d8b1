import type { FastifyReply } from 'fastify'
import { fewFieldsBytes, noneIsEmpty } from '../../core/http/bodies/bodies.ts'
import { tagged } from '../../core/http/changes/entity-tag.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { resource } from '../../core/http/changes/resource.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import type { WithSecret } from './client-admin.ts'
import type { ListedClient } from './clients.ts'
import {
  clientExists,
  clientInFile,
  clientNotFound,
  hasNoSecrets,
  noOtherSecret,
} from './problems.ts'
import {
  ChangeClient,
  ClientBody,
  ClientId,
  ClientList,
  ClientWithSecret,
  CreateClient,
  clientView,
  NewClientSecret,
} from './schemas.ts'

const access = { rule: role('ADMIN') }
const path = '/api/admin/clients'
// An application may sign people in.
const reauthentication = 'always' as const
const secretBody = { body: 'optional', maxBodyBytes: fewFieldsBytes } as const

export async function routes(app: App, { clientAdmin, clients }: Needs): Promise<void> {
  const client = resource<ListedClient>({
    param: 'id',
    missing: clientNotFound,
    load: (id) => clients.listed(id),
    show: clientView,
  })
  const changing = {
    ...{ access, resource: client, params: ClientId, reauthentication },
    requestHeaders: ['if-match'],
    responseHeaders: ['etag'],
  } as const
  const shown = (reply: FastifyReply, one: ListedClient) => tagged(reply, clientView(one))
  const withSecret = (reply: FastifyReply, { client: one, secret }: WithSecret) => ({
    ...shown(reply, one),
    ...(secret !== null && { secret }),
  })

  app.get(
    path,
    {
      config: { access },
      schema: {
        operationId: 'listClients',
        summary:
          'The clients of CLIENTS_FILE and of the database, and why a changed file is not used',
        response: { 200: ClientList },
      },
    },
    async () => {
      const { isConfigured, clients: all, mistakes } = await clients.list()
      return { configured: isConfigured, data: all.map(clientView), mistakes: [...mistakes] }
    },
  )

  app.post(
    path,
    {
      config: {
        ...{ access, reauthentication, body: 'json', maxBodyBytes: fewFieldsBytes },
        responseHeaders: ['etag'],
        errors: ['validationFailed', clientExists, clientInFile],
      },
      schema: {
        operationId: 'createClient',
        summary: 'Add a client to the database; its secret is in this answer alone',
        body: CreateClient,
        response: { 201: ClientWithSecret },
      },
    },
    async (request, reply) => {
      const created = await clientAdmin.create(request.body, { guard: reauthorize(request) })
      return reply.status(201).send(withSecret(reply, created))
    },
  )

  app.get(
    `${path}/:id`,
    {
      config: { access, resource: client, params: ClientId, responseHeaders: ['etag'] },
      schema: {
        operationId: 'getClient',
        summary: 'A client of the file or of the database',
        response: { 200: ClientBody },
      },
    },
    async (request, reply) => shown(reply, client.of(request)),
  )

  app.put(
    `${path}/:id`,
    {
      config: {
        ...{ ...changing, body: 'json', maxBodyBytes: fewFieldsBytes },
        errors: ['validationFailed', clientInFile],
      },
      schema: {
        operationId: 'changeClient',
        summary: 'Replace all fields of a client; one that needs its first secret gets it here',
        body: ChangeClient,
        response: { 200: ClientWithSecret },
      },
    },
    async (request, reply) => {
      const { id } = client.of(request)
      const how = client.changeBy(request)
      return withSecret(reply, await clientAdmin.change(id, request.body, how))
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config: { ...changing, responseHeaders: [], errors: [clientInFile] },
      schema: {
        operationId: 'removeClient',
        summary: 'Remove a client; it is refused at the next request',
        response: { 200: ClientBody },
      },
    },
    async (request) => {
      const { id } = client.of(request)
      const how = client.changeBy(request)
      return clientView(await clientAdmin.remove(id, how))
    },
  )

  app.post(
    `${path}/:id/secret`,
    {
      config: { ...changing, ...secretBody, errors: [clientInFile, hasNoSecrets] },
      preValidation: noneIsEmpty,
      schema: {
        operationId: 'addClientSecret',
        summary: 'Make a new secret, shown once; the one before stays valid until it is removed',
        body: NewClientSecret,
        response: { 201: ClientWithSecret },
      },
    },
    async (request, reply) => {
      const { id } = client.of(request)
      const how = client.changeBy(request)
      const made = await clientAdmin.addSecret(id, request.body.now === true, how)
      return reply.status(201).send(withSecret(reply, made))
    },
  )

  app.delete(
    `${path}/:id/secret`,
    {
      config: { ...changing, errors: [clientInFile, noOtherSecret] },
      schema: {
        operationId: 'retireClientSecret',
        summary: 'End the earlier of two secrets',
        response: { 200: ClientBody },
      },
    },
    async (request, reply) => {
      const { id } = client.of(request)
      const how = client.changeBy(request)
      return shown(reply, await clientAdmin.retireSecret(id, how))
    },
  )
}
