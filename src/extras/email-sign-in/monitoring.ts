import type { Monitoring } from '../../core/module/monitoring.ts'
import { methodsByAmr, refusedMethods } from '../../modules/login/refused-logins.ts'

/** Password routes that also accept mailed codes: their error reports that a code was sent. */
const routesOfBoth: ReadonlySet<string> = new Set(['POST /login', 'POST /signin'])

const routesOfCodes: ReadonlySet<string> = new Set([
  'POST /api/public/sign-in-code/complete',
  'PUT /api/public/sign-in-code',
])

export const monitoring: Monitoring = {
  count(measurements) {
    measurements.of(methodsByAmr).set('email', 'mail')
    measurements.of(refusedMethods).push(({ method, routeOptions }, error) => {
      const route = `${method} ${routeOptions.url ?? ''}`
      const isCode = routesOfBoth.has(route) && error === 'confirmationInvalid'
      return isCode || routesOfCodes.has(route) ? 'mail' : null
    })
  },
  usualSeries: ['logins|mail|success', 'logins|mail|refused'],
  watchedSeries: ['logins|mail|refused'],
}
