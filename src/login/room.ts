import type { Room } from '../room/room.ts'
import type { LoginRoutesOptions } from './routes.ts'
import type { ThrottleRoutesOptions } from './throttle-routes.ts'

export const room: Room<LoginRoutesOptions & ThrottleRoutesOptions> = {
  name: 'login',
  errors: ['enrolmentRequired'],
  settings: ['LOGIN_FORM_MODE', 'LOGIN_JSON_MODE'],

  async routes(app, needs) {
    const { loginRoutes } = await import('./routes.ts')
    const { throttleAdminRoutes } = await import('./throttle-routes.ts')
    await app.register(loginRoutes, needs)
    await app.register(throttleAdminRoutes, needs)
  },
}
