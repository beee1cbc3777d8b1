import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { resource } from '../../core/http/changes/resource.ts'
import { time } from '../../core/http/lists/filters.ts'
import { parsePage, positiveInteger, type Query, single } from '../../core/http/lists/paging.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { parseDeliveryFilters, readDeliveryCursor, writeDeliveryCursor } from './delivery-query.ts'
import type { DeliveryFilters } from './delivery-store.ts'
import { deliveryNotFound, webhookDisabled, webhookNotFound } from './problems.ts'
import {
  DeliveryBody,
  DeliveryId,
  DeliveryPage,
  DeliveryWithAnswer,
  deliveryQuery,
  RepeatDeliveries,
  RepeatedDeliveries,
  WebhookId,
  webhookFilter,
} from './schemas.ts'
import { deliveryView } from './show.ts'

const access = { rule: role('ADMIN') }
const maxPerPage = 1000

export async function routes(app: App, { webhookAdmin, webhookEndpoints }: Needs): Promise<void> {
  const webhook = resource({
    param: 'id',
    missing: webhookNotFound,
    load: (id) => webhookEndpoints.byId(id),
  })
  const delivery = resource({
    param: 'id',
    missing: deliveryNotFound,
    load(text) {
      const id = positiveInteger(text)
      return id === null ? null : webhookAdmin.byId(id)
    },
  })

  async function page(query: Query, filters: DeliveryFilters) {
    const { limit } = parsePage(query, maxPerPage)
    const before = readDeliveryCursor(single(query, 'cursor'))
    const { rows, next } = await webhookAdmin.page(filters, { limit, before })
    return {
      limit,
      data: rows.map(deliveryView),
      next: next === null ? null : writeDeliveryCursor(next),
    }
  }

  app.get(
    '/api/admin/webhooks/deliveries',
    {
      config: {
        access,
        query: deliveryQuery(maxPerPage, webhookFilter),
        errors: ['validationFailed'],
      },
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'One page of the deliveries of all webhooks, the newest first',
        response: { 200: DeliveryPage },
      },
    },
    async (request) => {
      const query = request.query as Query
      return page(query, parseDeliveryFilters(query))
    },
  )

  app.get(
    '/api/admin/webhooks/:id/deliveries',
    {
      config: {
        access,
        resource: webhook,
        params: WebhookId,
        query: deliveryQuery(maxPerPage),
        errors: ['validationFailed'],
      },
      schema: {
        operationId: 'listDeliveriesOfWebhook',
        summary: 'One page of the deliveries of a webhook, the newest first',
        response: { 200: DeliveryPage },
      },
    },
    async (request) => {
      const query = request.query as Query
      return page(query, { ...parseDeliveryFilters(query), endpoint: webhook.of(request).id })
    },
  )

  app.get(
    '/api/admin/webhooks/deliveries/:id',
    {
      config: { access, resource: delivery, params: DeliveryId },
      schema: {
        operationId: 'getWebhookDelivery',
        summary: 'A delivery of a webhook, and what the receiver said when it refused it',
        response: { 200: DeliveryWithAnswer },
      },
    },
    async (request) => {
      const row = delivery.of(request)
      return { ...deliveryView(row), answer: await webhookAdmin.answerTo(row) }
    },
  )

  app.post(
    '/api/admin/webhooks/deliveries/:id/repeat',
    {
      config: {
        access,
        resource: delivery,
        params: DeliveryId,
        errors: [webhookDisabled],
      },
      schema: {
        operationId: 'repeatWebhookDelivery',
        summary: 'Send a delivery at once that waits or has ended, with the same webhook-id',
        response: { 200: DeliveryBody },
      },
    },
    async (request) => {
      const { id } = delivery.of(request)
      return deliveryView(await webhookAdmin.repeat(id, reauthorize(request)))
    },
  )

  app.post(
    '/api/admin/webhooks/:id/repeat',
    {
      config: {
        access,
        resource: webhook,
        params: WebhookId,
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        errors: [webhookDisabled],
      },
      schema: {
        operationId: 'repeatWebhookDeliveries',
        summary: 'Send deliveries of a webhook again that have ended, in their order',
        body: RepeatDeliveries,
        response: { 200: RepeatedDeliveries },
      },
    },
    async (request) => {
      const { state = 'failed', type, since, until, after } = request.body
      const times = {
        since: since === undefined ? undefined : time(since, 'since'),
        until: until === undefined ? undefined : time(until, 'until'),
      }
      const filters = { endpoint: webhook.of(request).id, state, type, after, ...times }
      return webhookAdmin.repeatMany(filters, reauthorize(request))
    },
  )
}
