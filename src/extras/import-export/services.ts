import { hook, service } from '../../core/module/service.ts'
import { createImports, type Imports } from './import.ts'
import { sections } from './personal-data.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly imports: Imports
  }
}

export const services = [
  service({
    needs: ['accountFields', 'accounts', 'isBreached', 'keys', 'passwords', 'users'],
    makes: ['imports'],
    create: (needs) => ({ imports: createImports(needs) }),
  }),
]

export const hooks = [hook('personSections', [], () => sections)]
