import type { RoomParts } from '../room/room.ts'
import type { HostSessions } from './host-sessions.ts'

export interface Needs {
  readonly hostSessions: Pick<HostSessions, 'purge'>
}

export const parts: RoomParts<Needs> = {
  jobs: ({ hostSessions }) => [{ name: 'forward tickets', purge: hostSessions.purge }],
}
