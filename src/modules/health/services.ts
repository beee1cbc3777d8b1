import { service } from '../../core/module/service.ts'
import { createReadiness, type Readiness } from './readiness.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly readiness: Readiness
  }
}

export const services = [
  service({
    needs: ['accounts', 'keys', 'modules'],
    makes: ['readiness'],
    hooks: ['readinessWarning'],
    create: ({ readinessWarning, ...needs }) => ({
      readiness: createReadiness({ ...needs, ofModules: readinessWarning }),
    }),
  }),
]
