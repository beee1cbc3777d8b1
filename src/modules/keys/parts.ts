import type { RoomParts } from '../../core/module/room.ts'
import type { KeySet } from './key-set.ts'
import type { MasterKeyRotationAnswers } from './master-key-rotation-answers.ts'
import { type KeyRoutesOptions, keyRoutes } from './routes.ts'

export interface Needs extends KeyRoutesOptions {
  readonly keys: KeySet
  readonly masterKeyRotationAnswers: MasterKeyRotationAnswers
}

const rotateEveryMs = 3_600_000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(keyRoutes, needs)
  },

  jobs: ({ keys, masterKeyRotationAnswers }) => [
    {
      name: 'keys of other processes',
      everyMs: 1000,
      inEachWorker: true,
      readsFiles: true,
      run: masterKeyRotationAnswers.follow,
    },
    { name: 'key rotation', everyMs: rotateEveryMs, run: keys.rotateIfDue },
  ],
}
