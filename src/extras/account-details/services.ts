import { subscribersOf } from '../../core/module/hooks.ts'
import { service } from '../../core/module/service.ts'
import type { AccountDetail } from '../../modules/accounts/account-detail.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly accountDetails: () => readonly AccountDetail[]
  }
}

export const services = [
  service({
    makes: ['accountDetails'],
    hooks: ['accountDetail'],
    create: ({ accountDetail }) => ({ accountDetails: () => subscribersOf(accountDetail) }),
  }),
]
