import { Count, exactly } from '../../core/http/schemas.ts'
import { Counters } from '../../core/measurements/counters.ts'
import { eventTotal } from '../../core/measurements/family.ts'
import { type Monitoring, statusPart } from '../../core/module/monitoring.ts'

/** Modules that create accounts count here. */
export const accountsCreated = () => new Counters()

/** Modules add their routes. */
export const waysOfRoutes = () => new Map([['/api/admin/accounts', 'administrator']])

const lockouts = 'authn_login_lock'

export const monitoring: Monitoring = {
  status: [
    statusPart({
      name: 'throttled',
      schema: exactly({
        logins: { ...Count, description: 'Usernames at an address' },
        addresses: Count,
        accounts: { ...Count, description: 'Locked out after failed logins' },
      }),
      description: 'What is refused now',
      example: { logins: 0, addresses: 0, accounts: 0 },
      read: async ({ lock, throttle }) => ({
        logins: await throttle.blocked('login'),
        addresses: await throttle.blocked('address'),
        accounts: await lock.count(),
      }),
    }),
  ],
  count(measurements, on) {
    const [created, ways] = [measurements.of(accountsCreated), measurements.of(waysOfRoutes)]
    on.events(['user_created'], ({ context, payload }) => {
      if (payload.username === undefined) return // a user without an account
      const way = ways.get(context.request?.route ?? '') ?? 'other'
      created.add([payload.issuer === undefined ? way : 'provider'])
    })
  },
  processMetrics: ({ measurements }) => [
    eventTotal(
      'gatehouse_account_lockouts_total',
      'Accounts that were locked because too many logins failed in a row.',
      measurements,
      lockouts,
    ),
  ],
  series: [
    {
      name: 'accounts_created',
      labels: ['way'],
      description:
        'New accounts by way: administrator, import, sign_up, invitation, provider, other. Those that the command line makes are not counted',
      counted: (measurements) => measurements.of(accountsCreated).entries(),
    },
    {
      name: 'account_lockouts',
      labels: [],
      description: 'Accounts that were locked because too many logins failed in a row',
      counted: ({ events }) => [{ values: [], count: events.of([lockouts]) }],
    },
  ],
  usualSeries: [
    ...['administrator', 'provider', 'other'].map((way) => `accounts_created|${way}`),
    'account_lockouts',
  ],
  watchedSeries: [
    'accounts_created|provider',
    'accounts_created|administrator',
    'account_lockouts',
  ],
}
