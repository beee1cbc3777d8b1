import { ApiError } from '../../core/errors.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Applications } from './applications.ts'

/** With PROVIDER=off the routes are not there. */
export function onlyIfOn(app: App, { isOn }: Pick<Applications, 'isOn'>): void {
  app.addHook('onRequest', (_request, _reply, done) => {
    if (isOn) return done()
    throw new ApiError('routeNotFound', { reason: { code: 'provider_off' } })
  })
}
