import { createLoginAddress, type LoginAddress } from '../../core/http/limits/login-address.ts'
import { service } from '../../core/module/service.ts'
import { type Captcha, createCaptcha } from './captcha.ts'
import {
  type ClientLimits,
  createClientLimits,
  createLoginLimits,
  type LoginLimits,
} from './limits.ts'
import { createThrottleOverview, type ThrottleOverview } from './overview.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly captcha: Captcha
    readonly clientLimits: ClientLimits
    readonly limits: LoginLimits
    readonly loginAddress: LoginAddress
    readonly throttle: ThrottleOverview
  }
}

export const services = [
  service({
    needs: ['clock', 'db', 'keys'],
    makes: ['captcha'],
    create: (needs) => ({ captcha: createCaptcha(needs) }),
  }),
  service({
    needs: ['captcha', 'clock', 'config', 'events', 'keys', 'asyncCommitDb', 'lock'],
    makes: ['limits'],
    create: ({ asyncCommitDb: db, lock: failures, ...needs }) => ({
      limits: createLoginLimits({ ...needs, db, failures }),
    }),
  }),
  service({
    needs: ['clock', 'config', 'events', 'keys', 'asyncCommitDb'],
    makes: ['clientLimits'],
    create: ({ asyncCommitDb: db, ...needs }) => ({
      clientLimits: createClientLimits({ ...needs, db }),
    }),
  }),
  service({
    needs: ['clock', 'config', 'db', 'keys'],
    makes: ['throttle'],
    create: (needs) => ({ throttle: createThrottleOverview(needs) }),
  }),
  service({
    needs: ['config'],
    makes: ['loginAddress'],
    create: ({ config }) => ({ loginAddress: createLoginAddress(config) }),
  }),
]
