import type { Monitoring } from '../../core/module/monitoring.ts'
import { waysOfRoutes } from '../../modules/accounts/monitoring.ts'

const ways = {
  '/api/public/sign-up': 'sign_up',
  '/api/public/sign-up/complete': 'sign_up',
  '/signup': 'sign_up',
  '/api/public/invitation': 'invitation',
  '/invitation': 'invitation',
}

const keys = ['accounts_created|sign_up', 'accounts_created|invitation']

export const monitoring: Monitoring = {
  count(measurements) {
    for (const [route, way] of Object.entries(ways)) measurements.of(waysOfRoutes).set(route, way)
  },
  usualSeries: keys,
  watchedSeries: keys,
}
