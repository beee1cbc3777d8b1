import { parseListenAddress } from '../../core/addresses/listen-address.ts'
import { isLoopback } from '../../core/addresses/loopback.ts'
import { optional, type Values } from '../../core/config/kinds.ts'
import type { Group, Reading } from '../../core/config/load.ts'

export const settings = {
  METRICS_ADDRESS: optional({
    shown: '(off)',
    doc: 'Serves `/metrics` alone, to anyone who reaches it and without TLS, at a port of its own: `127.0.0.1:9464`, `[::1]:9464`, `0.0.0.0:9464`. Only the monitoring should reach it. docs/monitoring.md',
    parse: parseListenAddress,
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface HttpConfig extends Group<typeof configure, 'http'> {}
}

export function configure({ values: { HOST, METRICS_ADDRESS: metrics, PORT } }: Reading) {
  const isSame = metrics?.host === HOST && metrics.port === PORT && PORT !== 0
  const warning =
    'METRICS_ADDRESS is no loopback address and asks for no credential: only the monitoring should reach it'
  return {
    config: { http: { metricsAddress: metrics } },
    mistakes: isSame
      ? ['METRICS_ADDRESS must not be HOST and PORT, where the service listens']
      : [],
    warnings: metrics && !isLoopback(metrics.host) ? [warning] : [],
  }
}
