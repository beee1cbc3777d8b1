import type { RoomParts } from '../../core/module/room.ts'
import { type EnterRoutesOptions, enterRoutes } from './enter-routes.ts'
import type { HostSessions } from './host-sessions.ts'
import { type ForwardRoutesOptions, forwardRoutes } from './routes.ts'
import type { ForwardRules } from './rules.ts'

export interface Needs extends Omit<EnterRoutesOptions, 'config'>, ForwardRoutesOptions {
  readonly forwardRules: ForwardRules
  readonly hostSessions: HostSessions
}

const refreshMs = 1000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(forwardRoutes, needs)
    await app.register(enterRoutes, needs)
  },

  jobs: ({ forwardRules, hostSessions }) => [
    {
      name: 'forward file',
      everyMs: refreshMs,
      inEachWorker: true,
      readsFiles: true,
      run: () => forwardRules.refresh(),
    },
    { name: 'forward tickets', purge: hostSessions.purge },
  ],
}
