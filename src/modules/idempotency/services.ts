import { hook, service } from '../../core/module/service.ts'
import { createIdempotency, type Idempotency } from './idempotency.ts'
import { idempotencyStore } from './store.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly idempotency: Idempotency
  }
}

export const services = [
  service({
    needs: ['keys'],
    makes: ['idempotency'],
    create: (needs) => ({ idempotency: createIdempotency(needs) }),
  }),
]

export const hooks = [
  hook('onErasure', [], () => (trx, userId) => idempotencyStore(trx).erase(userId)),
]
