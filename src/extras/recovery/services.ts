import { hook, service } from '../../core/module/service.ts'
import { createDeletionNotice } from './deletion-notice.ts'
import { createRecovery, type Recovery } from './recovery.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly recovery: Recovery
  }
}

export const services = [
  service({
    needs: [
      'accounts',
      'confirmations',
      'devices',
      'factors',
      'identities',
      'lock',
      'outbox',
      'passkeyLimits',
      'requirements',
    ],
    makes: ['recovery'],
    create: (needs) => ({ recovery: createRecovery(needs) }),
  }),
]

export const hooks = [
  hook('deletionNotice', ['confirmations', 'mailer', 'outbox'], createDeletionNotice),
  hook(
    'sendsReset',
    ['outbox'],
    ({ outbox }) =>
      () =>
        outbox.isAvailable,
  ),
  hook('signInPages', ['outbox'], ({ outbox }) => ({
    link: ({ isOpen }) => (outbox.isAvailable && isOpen ? { name: 'reset', href: '/reset' } : null),
  })),
]
