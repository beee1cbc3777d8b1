import type { RoomParts } from '../../core/module/room.ts'
import { type CaptchaDeps, purgeChallenges } from './captcha.ts'
import { type CaptchaRoutesOptions, captchaRoutes } from './routes.ts'
import { purgeThrottle } from './throttle.ts'

export type Needs = CaptchaRoutesOptions &
  Pick<CaptchaDeps, 'clock'> & {
    /** For purges, which may be lost with the power. */
    readonly asyncCommitDb: CaptchaDeps['db']
  }

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(captchaRoutes, needs)
  },

  jobs: ({ asyncCommitDb: db, clock }) => [
    { name: 'throttle places', purge: (batchSize) => purgeThrottle({ db, clock }, batchSize) },
    { name: 'used captchas', purge: (batchSize) => purgeChallenges({ db, clock }, batchSize) },
  ],
}
