import { service } from '../../core/module/service.ts'
import type { ProtectedForms } from './pages/protected-form.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly protectedForms: ProtectedForms
  }
}

export const services = [
  service({ needs: [], makes: ['protectedForms'], create: () => ({ protectedForms: new Map() }) }),
]
