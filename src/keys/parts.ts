import type { RoomParts } from '../room/room.ts'
import type { KeySet } from './key-set.ts'

export interface Needs {
  readonly keys: KeySet
}

const rotateEveryMs = 3_600_000

export const parts: RoomParts<Needs> = {
  jobs: ({ keys }) => [
    { name: 'keys of other processes', everyMs: 1000, inEachWorker: true, run: keys.refresh },
    { name: 'key rotation', everyMs: rotateEveryMs, run: keys.rotateIfDue },
  ],
}
