import { service } from '../../core/module/service.ts'
import { createImports, type Imports } from './import.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly imports: Imports
  }
}

export const services = [
  service({
    needs: ['isBreached', 'passwords'],
    makes: ['imports'],
    create: (needs) => ({ imports: createImports(needs) }),
  }),
]
