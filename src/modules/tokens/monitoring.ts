import { Counters } from '../../core/measurements/counters.ts'
import { counted } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'

const issued = () => new Counters([['login'], ['refresh']])
const revoked = () => new Counters([['logout'], ['administrator'], ['client']])
const reused = () => new Counters([['refresh'], ['access']])

export const monitoring: Monitoring = {
  count(measurements, on) {
    on.events(['authn_token_created'], ({ payload }) =>
      measurements.of(issued).add([String(payload.grant)]),
    )
    on.events(['authn_token_revoked'], ({ payload }) =>
      measurements.of(revoked).add([String(payload.reason)]),
    )
    on.events(['authn_token_reuse'], ({ payload }) =>
      measurements.of(reused).add([payload.kind === 'access' ? 'access' : 'refresh']),
    )
  },
  processMetrics: ({ measurements }) => [
    counted(
      'gatehouse_tokens_issued_total',
      'Access tokens that were issued, by a login or a refresh.',
      ['grant'],
      measurements.of(issued).entries(),
    ),
    counted(
      'gatehouse_tokens_revoked_total',
      'Tokens that were revoked one by one, by reason.',
      ['reason'],
      measurements.of(revoked).entries(),
    ),
    counted(
      'gatehouse_token_reuse_total',
      'Tokens that came again after their end: a refresh token after its replacement is a sign of theft.',
      ['kind'],
      measurements.of(reused).entries(),
    ),
  ],
  series: [
    {
      name: 'tokens_issued',
      labels: ['grant'],
      description: 'Access tokens by grant: login, refresh',
      counted: (measurements) => measurements.of(issued).entries(),
    },
  ],
}
