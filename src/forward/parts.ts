import type { RoomParts } from '../room/room.ts'
import type { ForwardRules } from './rules.ts'

export interface Needs {
  readonly forwardRules: ForwardRules
}

const refreshMs = 1000

export const parts: RoomParts<Needs> = {
  jobs: ({ forwardRules }) => [
    {
      name: 'forward file',
      everyMs: refreshMs,
      inEachWorker: true,
      run: () => forwardRules.refresh(),
    },
  ],
}
