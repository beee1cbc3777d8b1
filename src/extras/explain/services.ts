import { subscribersOf } from '../../core/module/hooks.ts'
import { hook, service } from '../../core/module/service.ts'
import { sections } from './personal-data.ts'
import { createRefusals, type Refusals } from './refusals.ts'
import { refusalStore } from './store.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly canSendReset: () => boolean
    readonly refusals: Refusals
  }
}

export const services = [
  service({
    makes: ['canSendReset'],
    hooks: ['sendsReset'],
    create: ({ sendsReset }) => ({
      canSendReset: () => subscribersOf(sendsReset).some((sends) => sends()),
    }),
  }),
  service({
    makes: ['refusals'],
    create: (needs) => ({ refusals: createRefusals(needs) }),
    async close({ log, refusals }) {
      await refusals
        .flush()
        .catch((error: unknown) => log.error({ err: error }, 'reasons of refusals were lost'))
    },
  }),
]

export const hooks = [
  hook('onErasure', [], () => (trx, userId) => refusalStore(trx).erase(userId)),
  hook('personSections', [], () => sections),
]
