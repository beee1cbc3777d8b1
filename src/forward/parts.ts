import type { RoomParts } from '../room/room.ts'
import type { HostSessions } from './host-sessions.ts'
import type { ForwardRules } from './rules.ts'

export interface Needs {
  readonly forwardRules: ForwardRules
  readonly hostSessions: Pick<HostSessions, 'purge'>
}

const refreshMs = 1000

export const parts: RoomParts<Needs> = {
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
