import { afterwards, inTransaction } from '../../core/module/hooks.ts'
import { hook, service } from '../../core/module/service.ts'
import { emailDetail } from './account-detail.ts'
import { createEmails, type Emails } from './emails.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly emails: Emails
  }
}

export const services = [
  service({
    needs: [
      'devices',
      'identities',
      'secondFactor',
      'accounts',
      'confirmations',
      'outbox',
      'requirements',
    ],
    makes: ['emails'],
    hooks: ['onAccountEnded', 'onAccountChanged'],
    create: ({ log, onAccountEnded, onAccountChanged, ...needs }) => ({
      emails: createEmails({
        ...needs,
        hooks: { ended: inTransaction(onAccountEnded), changed: afterwards(onAccountChanged, log) },
      }),
    }),
  }),
]

export const hooks = [hook('accountDetail', ['emails'], emailDetail)]
