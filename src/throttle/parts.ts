import type { RoomParts } from '../room/room.ts'
import { type CaptchaDeps, purgeChallenges } from './captcha.ts'
import { type CaptchaRoutesOptions, captchaRoutes } from './routes.ts'
import { purgeThrottle } from './throttle.ts'

export type Needs = CaptchaRoutesOptions & Pick<CaptchaDeps, 'clock' | 'db'>

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(captchaRoutes, needs)
  },

  jobs: (needs) => [
    { name: 'throttle places', purge: (most) => purgeThrottle(needs, most) },
    { name: 'used captchas', purge: (most) => purgeChallenges(needs, most) },
  ],
}
