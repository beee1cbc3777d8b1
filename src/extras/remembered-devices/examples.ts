import type { Someone } from '../../../test/app.ts'
import {
  belowBothAccounts,
  type CommandExamples,
  type CommandWorld,
  type Examples,
  type World,
} from '../../../test/example.ts'
import { servicesOf } from '../../../test/mail.ts'
import { transact } from '../../core/database/transactions.ts'

const browser = 'A'.repeat(43)

/** Answers the id of the device. */
async function remembered({ app }: Pick<World, 'app'>, { userId }: Someone): Promise<string> {
  const { rememberedDevices } = await servicesOf(app)
  await transact(app.deps.db, [], (trx) => rememberedDevices.remember(trx, userId, browser))
  return rememberedDevices.handleOf(userId, browser)
}

const events = ['mfa_device_forgotten']

export const examples: Examples = {
  ...belowBothAccounts({
    listOwnDevices: {},
    forgetOwnDevice: {
      events,
      make: async (world, { who }) => ({ params: { id: await remembered(world, who) } }),
    },
    forgetOwnDevices: {
      events,
      make: async (world, { who }) => {
        await remembered(world, who)
        return {}
      },
    },
  }),
  listDevices: { make: ({ owner }) => ({ params: { username: owner.username } }) },
  forgetDevices: {
    events,
    make: async (world) => {
      await remembered(world, world.owner)
      return { params: { username: world.owner.username } }
    },
  },
  'GET /account/devices': {},
  'POST /account/devices/forget': {
    ...{ bare: 404, events },
    make: async (world, { who }) => ({ form: { device: await remembered(world, who) } }),
  },
  'POST /account/devices/forget-all': {
    ...{ bare: null, events },
    make: async (world, { who }) => {
      await remembered(world, who)
      return { form: {} }
    },
  },
}

const ofOneWithDevice =
  (words: string) =>
  async ({ app, newName, run }: CommandWorld) => {
    const who = await app.account(newName())
    await remembered({ app }, who)
    return run(`device ${words} ${who.username}`)
  }

export const commands: CommandExamples = {
  'device list': { run: ofOneWithDevice('list') },
  'device end': { events, run: ofOneWithDevice('end') },
}
