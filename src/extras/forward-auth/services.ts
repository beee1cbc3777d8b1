import { hook, service } from '../../core/module/service.ts'
import { createHostSessions, type HostSessions } from './host-sessions.ts'
import { sections } from './personal-data.ts'
import { createForwardRules, type ForwardRules } from './rules.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly forwardRules: ForwardRules
    readonly hostSessions: HostSessions
  }
}

export const services = [
  service({
    makes: ['forwardRules'],
    create: (needs) => ({ forwardRules: createForwardRules(needs) }),
  }),
  service({
    needs: ['sessions'],
    makes: ['hostSessions'],
    create: (needs) => ({ hostSessions: createHostSessions(needs) }),
  }),
]

export const hooks = [
  hook('isRedirectOrigin', ['forwardRules'], ({ forwardRules }) => forwardRules.isOrigin),
  hook('personSections', [], () => sections),
]
