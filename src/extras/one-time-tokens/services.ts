import { hook, service } from '../../core/module/service.ts'
import { type Confirmations, createConfirmations } from './confirmations.ts'
import { sections } from './personal-data.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly confirmations: Confirmations
  }
}

export const services = [
  service({
    needs: ['keys'],
    makes: ['confirmations'],
    create: (needs) => ({ confirmations: createConfirmations(needs) }),
  }),
]

export const hooks = [hook('personSections', [], () => sections)]
