import type { RoomParts } from '../room/room.ts'
import { type EnterRoutesOptions, enterRoutes } from './enter-routes.ts'
import type { HostSessions } from './host-sessions.ts'
import type { ForwardRules } from './rules.ts'

export interface Needs extends EnterRoutesOptions {
  readonly forwardRules: ForwardRules
  readonly hostSessions: Pick<HostSessions, 'purge' | 'redeem'>
}

const refreshMs = 1000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(enterRoutes, needs)
  },

  jobs: ({ forwardRules, hostSessions }) => [
    {
      name: 'forward file',
      everyMs: refreshMs,
      inEachWorker: true,
      run: () => forwardRules.refresh(),
    },
    { name: 'forward tickets', purge: hostSessions.purge },
  ],
}
