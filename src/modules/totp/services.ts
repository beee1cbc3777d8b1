import { inTransaction } from '../../core/module/hooks.ts'
import { hook, service } from '../../core/module/service.ts'
import { sections } from './personal-data.ts'
import { createSecondFactor, type SecondFactor } from './second-factor.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly secondFactor: SecondFactor
  }
}

export const services = [
  service({
    needs: ['accounts', 'keys'],
    makes: ['secondFactor'],
    hooks: ['onFactorProved'],
    create: ({ onFactorProved, ...needs }) => ({
      secondFactor: createSecondFactor({ ...needs, proved: inTransaction(onFactorProved) }),
    }),
  }),
]

export const hooks = [hook('personSections', [], () => sections)]
