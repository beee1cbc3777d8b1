import type { Problem } from '../../core/errors.ts'
import { Counters } from '../../core/measurements/counters.ts'
import { counted } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'
import { logoutDelivered, logoutFailed, tokensIssued } from './events.ts'
import { errors } from './problems.ts'

const code = ['authorization_code', 'refresh_token']
const grants: Readonly<Record<string, readonly string[]>> = {
  ...{ web: code, spa: code, native: code },
  ...{ device: ['device_code', 'refresh_token'], machine: ['client_credentials'] },
}
const pairs = Object.entries(grants).flatMap(([type, own]) => own.map((grant) => [type, grant]))

const issued = () => new Counters(pairs)
const refused = () =>
  new Counters([...new Set(errors.map(({ error }) => error))].map((one) => [one]))
export const logouts = () => new Counters([['delivered'], ['deferred'], ['failed']])

/** RFC 8628 names its grant by a URN. */
const shortOf = (grant: unknown) => String(grant).replace(/^.*:/, '')
const isOurs = (row: unknown): row is Problem => errors.includes(row as Problem)

export const monitoring: Monitoring = {
  count(measurements, on) {
    on.events([tokensIssued.name], ({ payload }) =>
      measurements.of(issued).add([String(payload.type), shortOf(payload.grant)]),
    )
    on.events([logoutDelivered.name], () => measurements.of(logouts).add(['delivered']))
    on.events([logoutFailed.name], () => measurements.of(logouts).add(['failed']))
    on.refusals((_, { row }) => {
      if (isOurs(row)) measurements.of(refused).add([row.error])
    })
  },
  processMetrics: ({ measurements }) => [
    counted(
      'gatehouse_application_tokens_issued_total',
      'Answers with tokens for applications, by the type of the client and the grant.',
      ['type', 'grant'],
      measurements.of(issued).entries(),
    ),
    counted(
      'gatehouse_application_refusals_total',
      'Requests of applications that were refused, by the error of the protocol.',
      ['error'],
      measurements.of(refused).entries(),
    ),
    counted(
      'gatehouse_application_logouts_total',
      'Logout tokens for applications by result: delivered, deferred (to be tried again), failed (given up).',
      ['result'],
      measurements.of(logouts).entries(),
    ),
  ],
}
