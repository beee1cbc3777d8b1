import { hook, service } from '../../core/module/service.ts'
import { createTotp, type Totp } from './enrolment.ts'
import { createTotpKind } from './kind.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly totp: Totp
  }
}

export const services = [
  service({
    needs: ['accounts', 'factors', 'keys'],
    makes: ['totp'],
    create: (needs) => ({ totp: createTotp(needs) }),
  }),
]

export const hooks = [hook('factorKind', ['keys'], createTotpKind)]
