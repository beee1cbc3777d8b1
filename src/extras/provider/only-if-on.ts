import { ApiError } from '../../core/errors.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Applications } from './applications.ts'

/** With PROVIDER=off the routes are not there. */
export function onlyIfOn(app: App, { isOn }: Pick<Applications, 'isOn'>): void {
  app.addHook('onRequest', (_request, _reply, done) => done(refusal(isOn)))
}

/** As `onlyIfOn`, after the route has authenticated the caller. */
export function onlyIfOnForCaller(app: App, { isOn }: Pick<Applications, 'isOn'>): void {
  app.addHook('preHandler', (_request, _reply, done) => done(refusal(isOn)))
}

function refusal(isOn: boolean): ApiError | undefined {
  if (isOn) return undefined
  return new ApiError('routeNotFound', { reason: { code: 'provider_off' } })
}
