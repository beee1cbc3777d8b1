import { fileBeside, type Room } from '../room/room.ts'
import type { CaptchaDeps } from './captcha.ts'
import type { CaptchaRoutesOptions } from './routes.ts'

type Needs = CaptchaRoutesOptions & Pick<CaptchaDeps, 'clock' | 'db'>

export const room: Room<Needs> = {
  name: 'throttle',
  tables: [
    { name: 'throttle_places', key: ['id'], givesIds: true },
    { name: 'used_challenges', key: ['nonce'] },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: ['captchaRequired', 'tooManyLoginAttempts'],
  settings: [
    'LOGIN_ATTEMPTS',
    'LOGIN_WINDOW_SECONDS',
    'LOGIN_ADDRESS_ATTEMPTS',
    'LOGIN_ADDRESS_WINDOW_SECONDS',
    'LOGIN_CAPTCHA_AFTER',
  ],

  async routes(app, needs) {
    const { captchaRoutes } = await import('./routes.ts')
    await app.register(captchaRoutes, needs)
  },

  async jobs(deps) {
    const { purgeChallenges } = await import('./captcha.ts')
    const { purgeThrottle } = await import('./throttle.ts')
    return [
      { name: 'throttle places', purge: (most) => purgeThrottle(deps, most) },
      { name: 'used captchas', purge: (most) => purgeChallenges(deps, most) },
    ]
  },
}
