import type { CommandExamples, CommandWorld, Examples, Make, World } from '../../../test/example.ts'
import { addDeliveries, newWebhook, unheard } from '../../../test/webhooks.ts'

const idOf = async ({ app, admin }: World) => (await newWebhook(app, {}, admin)).id
const deliveryOf = async (world: World, ...states: readonly 'failed'[]) => {
  const id = await idOf(world)
  const rows = states.length > 0 ? states.map((state) => ({ state })) : [{}]
  const [delivery = 0] = await addDeliveries(world.app, id, rows)
  return { id, delivery }
}
const one =
  (json?: object): Make =>
  async (world) => ({ params: { id: await idOf(world) }, ...(json && { json }) })
const delivery: Make = async (world) => ({
  params: { id: (await deliveryOf(world)).delivery },
})

export const examples: Examples = {
  listWebhooks: {},
  createWebhook: {
    events: ['webhook_created'],
    make: () => ({ json: { url: unheard, events: ['*'] } }),
  },
  getWebhook: { make: one() },
  updateWebhook: [
    { events: ['webhook_changed'], make: one({ state: 'disabled' }) },
    { make: one({}) },
  ],
  deleteWebhook: { events: ['webhook_removed'], make: one() },
  rotateWebhookSecret: { events: ['webhook_secret_rotated'], make: one() },
  testWebhook: { events: ['webhook_tested'], make: one() },
  listWebhookDeliveries: {},
  listDeliveriesOfWebhook: { make: one() },
  getWebhookDelivery: { make: delivery },
  repeatWebhookDelivery: { events: ['webhook_deliveries_repeated'], make: delivery },
  repeatWebhookDeliveries: [
    {
      events: ['webhook_deliveries_repeated'],
      make: async (world) => {
        const { id } = await deliveryOf(world, 'failed', 'failed')
        return { params: { id }, json: {} }
      },
    },
    { make: one({}) },
  ],
}

const ofOne =
  (words: string, more = '') =>
  async (world: CommandWorld) =>
    world.run(`webhook ${words} ${await idOf(world)} ${more}`)
const ofDelivery = (words: string) => async (world: CommandWorld) =>
  world.run(`webhook ${words} ${(await deliveryOf(world)).delivery}`)

export const commands: CommandExamples = {
  'webhook add': {
    events: ['webhook_created'],
    run: ({ run }) => run(`webhook add ${unheard} --events *`),
  },
  'webhook list': {},
  'webhook update': {
    events: ['webhook_changed'],
    run: ofOne('update', '--events user_created'),
  },
  'webhook enable': { run: ofOne('enable') },
  'webhook disable': { events: ['webhook_changed'], run: ofOne('disable') },
  'webhook secret': { events: ['webhook_secret_rotated'], run: ofOne('secret') },
  'webhook remove': { events: ['webhook_removed'], run: ofOne('remove', '--yes') },
  'webhook test': { events: ['webhook_tested'], run: ofOne('test') },
  'webhook deliveries': {},
  'webhook delivery': { run: ofDelivery('delivery') },
  'webhook redeliver': { events: ['webhook_deliveries_repeated'], run: ofDelivery('redeliver') },
}
