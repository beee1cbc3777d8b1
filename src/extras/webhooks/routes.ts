import type { FastifyReply } from 'fastify'
import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { assertNoFaults } from '../../core/http/bodies/faults.ts'
import { tagged } from '../../core/http/changes/entity-tag.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { resource } from '../../core/http/changes/resource.ts'
import { numberedPage } from '../../core/http/lists/paging.ts'
import { type App, listQuery } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { endpointChecks, parseChanges, parseNewEndpoint } from './endpoint-input.ts'
import type { Endpoint, WithSecret } from './endpoints.ts'
import { webhookDisabled, webhookNotFound } from './problems.ts'
import {
  ChangeWebhook,
  CreateWebhook,
  DeliveryBody,
  WebhookBody,
  WebhookId,
  WebhookPage,
  WebhookWithSecret,
} from './schemas.ts'
import { deliveryView, webhookSettings, webhookView } from './show.ts'

const access = { rule: role('ADMIN') }
const maxPerPage = 1000
// An endpoint receives all future events.
const reauthentication = 'always'

export async function routes(
  app: App,
  { webhookAdmin, webhookEndpoints, webhookRules }: Needs,
): Promise<void> {
  const webhook = resource<Endpoint>({
    param: 'id',
    missing: webhookNotFound,
    load: (id) => webhookEndpoints.byId(id),
    show: webhookSettings,
  })
  const ofWebhook = { access, resource: webhook, params: WebhookId }
  const checks = endpointChecks(webhookRules)
  const tag = (reply: FastifyReply, endpoint: Endpoint) =>
    tagged(reply, webhookView(endpoint), webhookSettings(endpoint))
  const withSecret = (reply: FastifyReply, { endpoint, secret }: WithSecret) => ({
    ...tag(reply, endpoint),
    secret,
  })

  app.get(
    '/api/admin/webhooks',
    {
      config: { access, query: listQuery(maxPerPage) },
      schema: {
        operationId: 'listWebhooks',
        summary: 'One page of webhooks, the oldest first',
        response: { 200: WebhookPage },
      },
    },
    (request) => numberedPage(request.query, maxPerPage, webhookEndpoints, webhookView),
  )

  app.post(
    '/api/admin/webhooks',
    {
      config: {
        access,
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        reauthentication,
        responseHeaders: ['etag'],
        checks,
      },
      schema: {
        operationId: 'createWebhook',
        summary: 'Have events sent to an address; the secret is in this answer alone',
        body: CreateWebhook,
        response: { 201: WebhookWithSecret },
      },
    },
    async (request, reply) => {
      assertNoFaults(request)
      const wanted = parseNewEndpoint(request.body, webhookRules)
      const created = await webhookEndpoints.create(wanted, reauthorize(request))
      return reply.status(201).send(withSecret(reply, created))
    },
  )

  app.get(
    '/api/admin/webhooks/:id',
    {
      config: { ...ofWebhook, responseHeaders: ['etag'] },
      schema: {
        operationId: 'getWebhook',
        summary: 'A webhook, and how it answers',
        response: { 200: WebhookBody },
      },
    },
    async (request, reply) => tag(reply, webhook.of(request)),
  )

  app.put(
    '/api/admin/webhooks/:id',
    {
      config: {
        ...ofWebhook,
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        reauthentication,
        requestHeaders: ['if-match'],
        responseHeaders: ['etag'],
        checks,
      },
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change some fields of a webhook, enable or disable it',
        body: ChangeWebhook,
        response: { 200: WebhookBody },
      },
    },
    async (request, reply) => {
      assertNoFaults(request)
      const changes = parseChanges(request.body, webhookRules)
      const { id } = webhook.of(request)
      return tag(reply, await webhookEndpoints.change(id, changes, webhook.changeBy(request)))
    },
  )

  app.delete(
    '/api/admin/webhooks/:id',
    {
      config: { ...ofWebhook, reauthentication, requestHeaders: ['if-match'] },
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Remove a webhook with its deliveries, also those that wait',
        response: { 200: WebhookBody },
      },
    },
    async (request) => {
      const { id } = webhook.of(request)
      return webhookView(await webhookEndpoints.remove(id, webhook.changeBy(request)))
    },
  )

  app.post(
    '/api/admin/webhooks/:id/secret',
    {
      config: {
        ...ofWebhook,
        reauthentication,
        requestHeaders: ['if-match'],
        responseHeaders: ['etag'],
      },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Give a webhook a new secret; that before signs as well for 24 hours',
        response: { 200: WebhookWithSecret },
      },
    },
    async (request, reply) => {
      const { id } = webhook.of(request)
      const rotated = await webhookEndpoints.rotateSecret(id, webhook.changeBy(request))
      return withSecret(reply, rotated)
    },
  )

  app.post(
    '/api/admin/webhooks/:id/test',
    {
      config: { ...ofWebhook, errors: [webhookDisabled] },
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a message of the type webhook_test; its delivery shows what became of it',
        response: { 202: DeliveryBody },
      },
    },
    async (request, reply) => {
      const delivery = await webhookAdmin.test(webhook.of(request).id, reauthorize(request))
      return reply.status(202).send(deliveryView(delivery))
    },
  )
}
