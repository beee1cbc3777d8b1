import { inTransaction, subscribersOf } from '../../core/module/hooks.ts'
import { hook, service } from '../../core/module/service.ts'
import { createFactors, type Factors } from './factors.ts'
import type { FactorKind } from './kinds.ts'
import { sectionsOf } from './personal-data.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly factorKinds: () => readonly FactorKind[]
    readonly factors: Factors
  }
}

export const services = [
  service({
    makes: ['factorKinds'],
    hooks: ['factorKind'],
    create: ({ factorKind }) => ({ factorKinds: () => subscribersOf(factorKind) }),
  }),
  service({
    needs: ['accounts', 'factorKinds', 'requirements'],
    makes: ['factors'],
    hooks: ['onFactorProved'],
    create: ({ onFactorProved, ...needs }) => ({
      factors: createFactors({ ...needs, proved: inTransaction(onFactorProved) }),
    }),
  }),
]

export const hooks = [
  hook(
    'waysIn',
    ['factors'],
    ({ factors }) =>
      (userId) =>
        factors.counts(userId),
  ),
  hook('personSections', ['factorKinds'], ({ factorKinds }) => sectionsOf(factorKinds())),
]
