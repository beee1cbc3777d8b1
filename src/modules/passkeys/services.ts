import { hook, service } from '../../core/module/service.ts'
import { createPasskeyEnrolment, type PasskeyEnrolment } from './enrolment.ts'
import { createPasskeyKind } from './kind.ts'
import { createPasskeys, type Passkeys } from './passkeys.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly passkeys: Passkeys
    readonly passkeyEnrolment: PasskeyEnrolment
  }
}

export const services = [
  service({
    needs: ['keys'],
    makes: ['passkeys'],
    create: (needs) => ({ passkeys: createPasskeys(needs) }),
  }),
  service({
    needs: ['factors', 'keys', 'passkeys', 'users'],
    makes: ['passkeyEnrolment'],
    create: (needs) => ({ passkeyEnrolment: createPasskeyEnrolment(needs) }),
  }),
]

export const hooks = [hook('factorKind', ['passkeys'], createPasskeyKind)]
