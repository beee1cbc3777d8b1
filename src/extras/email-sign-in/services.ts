import { service } from '../../core/module/service.ts'
import { createEmailLogin, type EmailLogin } from './email-login.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly emailLogin: EmailLogin
  }
}

export const services = [
  service({
    needs: [
      'accounts',
      'clock',
      'config',
      'confirmations',
      'db',
      'events',
      'outbox',
      'requirements',
    ],
    makes: ['emailLogin'],
    create: (needs) => ({ emailLogin: createEmailLogin(needs) }),
  }),
]
