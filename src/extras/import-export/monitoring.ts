import type { Monitoring } from '../../core/module/monitoring.ts'
import { accountsCreated } from '../../modules/accounts/monitoring.ts'

const keys = ['accounts_created|import']

export const monitoring: Monitoring = {
  count(measurements, on) {
    on.events(['sensitive_create'], ({ payload }) => {
      if (payload.what !== 'account_import') return
      measurements.of(accountsCreated).add(['import'], Number(payload.count))
    })
  },
  usualSeries: keys,
  watchedSeries: keys,
}
