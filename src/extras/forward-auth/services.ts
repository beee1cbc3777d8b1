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
    needs: ['clock', 'config', 'events', 'log', 'measurements', 'workers'],
    makes: ['forwardRules'],
    create: (needs) => ({ forwardRules: createForwardRules(needs) }),
  }),
  service({
    needs: ['asyncCommitDb', 'clock', 'db', 'events', 'feed', 'random', 'sessions'],
    makes: ['hostSessions'],
    create: (needs) => ({ hostSessions: createHostSessions(needs) }),
  }),
]

export const hooks = [
  hook('isReturnOrigin', ['forwardRules'], ({ forwardRules }) => forwardRules.isOrigin),
  hook('personSections', [], () => sections),
]
