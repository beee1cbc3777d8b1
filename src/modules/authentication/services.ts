import { service } from '../../core/module/service.ts'
import { addedRequirements } from './requirement-cells.ts'
import { createRequirements, type Requirements } from './requirements.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly requirements: Requirements
  }
}

export const services = [
  service({
    needs: ['modules'],
    makes: ['requirements'],
    create: async ({ modules, ...needs }) => ({
      requirements: createRequirements({ ...needs, added: await addedRequirements(modules) }),
    }),
  }),
]
