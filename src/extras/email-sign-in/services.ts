import { hook, service } from '../../core/module/service.ts'
import { createEmailLogin, type EmailLogin } from './email-login.ts'
import { emailSignIn } from './pages/way.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly emailLogin: EmailLogin
  }
}

export const services = [
  service({
    needs: ['accounts', 'confirmations', 'outbox', 'requirements'],
    makes: ['emailLogin'],
    create: (needs) => ({ emailLogin: createEmailLogin(needs) }),
  }),
]

export const hooks = [
  hook(
    'signInPages',
    ['confirmations', 'devices', 'emailLogin', 'limits', 'pageFlows', 'requirements'],
    emailSignIn,
  ),
]
