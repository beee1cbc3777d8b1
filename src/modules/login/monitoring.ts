import type { ApiError } from '../../core/errors.ts'
import { errorNameOf } from '../../core/http/declared-error.ts'
import { Counters } from '../../core/measurements/counters.ts'
import { counted } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'
import {
  measuredMethodOfRefused,
  methodOfRefused,
  methodOfRoute,
  methodsByAmr,
  refusedMethods,
  resultOfRefused,
} from './refused-logins.ts'

/** By route. */
const succeeded = () => new Counters()

/** By method and error. The error name reveals no more than the response. */
const refused = () =>
  new Counters([
    ['password', 'invalidCredentials'],
    ['password', 'tooManyLoginAttempts'],
    ['password', 'secondFactorRequired'],
    ['provider', 'signInFailed'],
    ['basic', 'authenticationRequired'],
    ['basic', 'tooManyLoginAttempts'],
    ['client', 'invalidClient'],
  ])

/** By method and result. */
const logins = () => new Counters()
const secondFactor = () => new Counters()

/** RFC 8176 `amr` values, and `fed`. */
function methodOf(amr: readonly string[], others: ReadonlyMap<string, string>): string {
  if (amr.includes('fed')) return 'provider'
  const [ofModule] = amr.flatMap((one) => others.get(one) ?? [])
  if (ofModule !== undefined) return ofModule
  if (amr.includes('pwd')) return 'password'
  return amr.includes('hwk') || amr.includes('swk') ? 'passkey' : 'other'
}

/** Also of a passkey as the second factor, or as a proof. */
function isOfPasskey({ reason }: ApiError): boolean {
  return reason.code === 'passkey_refused' || reason.code === 'limit_passkey_address'
}

export const monitoring: Monitoring = {
  // Each login request ends in a success event or a refusal.
  count(measurements, on) {
    on.events(['authn_login_success', 'authn_login_successafterfail'], ({ context, login }) => {
      const amr = login?.factors ?? []
      const method = methodOf(amr, measurements.of(methodsByAmr))
      const isPasskey = method === 'passkey'
      measurements.of(succeeded).add([isPasskey ? method : (context.request?.route ?? 'none')])
      measurements.of(logins).add([method, 'success'])
      measurements.of(secondFactor).add([amr.includes('mfa') || amr.includes('otp') ? 'yes' : 'no'])
    })
    on.refusals((request, error) => {
      const name = errorNameOf(error.row)
      const measured = isOfPasskey(error) ? 'passkey' : measuredMethodOfRefused(request, name)
      if (measured !== null) measurements.of(refused).add([measured, name])
      const others = measurements.of(refusedMethods)
      const method = isOfPasskey(error) ? 'passkey' : methodOfRefused(request, name, others)
      if (method !== null) measurements.of(logins).add([method, resultOfRefused(error, name)])
    })
  },
  processMetrics: ({ measurements }) => [
    counted(
      'gatehouse_logins_total',
      'Logins by method, result (success, refused), and the refusal; steps such as a code that is asked for count as refused.',
      ['method', 'result', 'reason'],
      [
        ...['password', 'provider'].map((method) => ({
          values: [method, 'success', 'none'],
          count: 0,
        })),
        ...measurements
          .of(succeeded)
          .entries()
          .map(({ values: [route = ''], count }) => ({
            values: [
              route === 'passkey' ? route : (methodOfRoute(route) ?? 'other'),
              'success',
              'none',
            ],
            count,
          })),
        ...measurements
          .of(refused)
          .entries()
          .map(({ values: [method = '', error = ''], count }) => ({
            values: [method, 'refused', error],
            count,
          })),
      ],
    ),
  ],
  series: [
    {
      name: 'logins',
      labels: ['method', 'result'],
      description:
        'Logins by method (password, passkey, mail, provider, basic, other) and result: success, refused, incomplete (a further step was asked for), throttled, failed. A success by Basic is a request like any other, and is not counted',
      counted: (measurements) => measurements.of(logins).entries(),
    },
    {
      name: 'second_factor',
      labels: ['used'],
      description: 'Successful logins, with a second factor (yes) or without (no)',
      counted: (measurements) => measurements.of(secondFactor).entries(),
    },
  ],
  usualSeries: [
    ...['password', 'provider'].flatMap((method) => [
      `logins|${method}|success`,
      `logins|${method}|refused`,
    ]),
    'second_factor|yes',
    'second_factor|no',
  ],
  watchedSeries: [
    'logins|password|refused',
    'logins|provider|refused',
    'logins|basic|refused',
    'logins|password|failed',
  ],
}
