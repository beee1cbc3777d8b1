import { service } from '../../core/module/service.ts'
import { createRequirements, type Requirements } from './requirements.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly requirements: Requirements
  }
}

export const services = [
  service({
    needs: ['clock', 'config'],
    makes: ['requirements'],
    create: (needs) => ({ requirements: createRequirements(needs) }),
  }),
]
