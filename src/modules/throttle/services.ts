import { createLoginAddress, type LoginAddress } from '../../core/http/limits/client-address.ts'
import { service } from '../../core/module/service.ts'
import { type Captcha, createCaptcha } from './captcha.ts'
import {
  type ClientLimits,
  createClientLimits,
  createLoginLimits,
  createPasskeyLimits,
  type LoginLimits,
  type PasskeyLimits,
} from './limits.ts'
import { createThrottleOverview, type ThrottleOverview } from './overview.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly captcha: Captcha
    readonly clientLimits: ClientLimits
    readonly limits: LoginLimits
    readonly passkeyLimits: PasskeyLimits
    readonly loginAddress: LoginAddress
    readonly throttle: ThrottleOverview
  }
}

export const services = [
  service({
    needs: ['keys'],
    makes: ['captcha'],
    create: (needs) => ({ captcha: createCaptcha(needs) }),
  }),
  service({
    needs: ['captcha', 'keys', 'lock'],
    makes: ['limits'],
    create: ({ asyncCommitDb: db, lock: failures, ...needs }) => ({
      limits: createLoginLimits({ ...needs, db, failures }),
    }),
  }),
  service({
    needs: ['keys'],
    makes: ['clientLimits'],
    create: ({ asyncCommitDb: db, ...needs }) => ({
      clientLimits: createClientLimits({ ...needs, db }),
    }),
  }),
  service({
    needs: ['keys'],
    makes: ['passkeyLimits'],
    create: ({ asyncCommitDb: db, ...needs }) => ({
      passkeyLimits: createPasskeyLimits({ ...needs, db }),
    }),
  }),
  service({
    needs: ['keys'],
    makes: ['throttle'],
    create: (needs) => ({ throttle: createThrottleOverview(needs) }),
  }),
  service({
    makes: ['loginAddress'],
    create: ({ config }) => ({ loginAddress: createLoginAddress(config) }),
  }),
]
