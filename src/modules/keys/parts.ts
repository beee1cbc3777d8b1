import type { RoomParts } from '../../core/module/room.ts'
import type { KeySet } from './key-set.ts'
import { type KeyRoutesOptions, keyRoutes } from './routes.ts'
import type { TurnAnswers } from './turn-answers.ts'

export interface Needs extends KeyRoutesOptions {
  readonly keys: KeySet
  readonly turnAnswers: TurnAnswers
}

const rotateEveryMs = 3_600_000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(keyRoutes, needs)
  },

  jobs: ({ keys, turnAnswers }) => [
    {
      name: 'keys of other processes',
      everyMs: 1000,
      inEachWorker: true,
      readsFiles: true,
      run: turnAnswers.follow,
    },
    { name: 'key rotation', everyMs: rotateEveryMs, run: keys.rotateIfDue },
  ],
}
