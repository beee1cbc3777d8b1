import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Check, Found } from '../../core/checks/check.ts'
import type { ModuleChecks, OfflineContext, OutsideContext } from '../../core/checks/context.ts'
import { type Answer, directly, isThisMachine } from '../../core/checks/probe.ts'

const metricsAddress: Check<OfflineContext> = {
  id: 'metrics_address',
  covers: ['METRICS_ADDRESS'],
  level: 'info',
  passMessage: 'METRICS_ADDRESS is not open to every network',
  why: 'That port asks for no credential, and its numbers tell of logins, failures and load.',
  mend: {
    do: 'Listen on loopback or on the network of the monitoring, or leave a firewall in front that lets the monitoring alone through.',
    setting: 'METRICS_ADDRESS=127.0.0.1:9464',
  },
  find({ config: { http } }) {
    const host = http.metricsAddress?.host
    if (host !== '0.0.0.0' && host !== '::') return []
    return [{ what: `METRICS_ADDRESS listens on all addresses of this machine (${host}).` }]
  },
}

const isMetrics = ({ body, status }: Answer) =>
  status === 200 && /^# (?:HELP|TYPE) gatehouse_/m.test(body)

const metricsPublic: Check<OutsideContext> = {
  id: 'metrics_public',
  level: 'error',
  passMessage: 'the metrics ask for a credential, or are reached by the monitoring alone',
  why: 'They tell anyone how many log in and fail, what is slow, and whether an attack has begun to work.',
  mend: {
    do: 'Do not pass the port of METRICS_ADDRESS on, and no credential for others.',
    setting: 'METRICS_ADDRESS=127.0.0.1:9464',
    nginx: '# remove: location /metrics { proxy_pass http://127.0.0.1:9464; }',
    caddy: '# remove: reverse_proxy /metrics 127.0.0.1:9464',
  },
  async find(outside) {
    const { inside, origin, probe } = outside
    const found: Found[] = []
    if (isMetrics(await probe.get('/metrics'))) {
      found.push({ what: `${origin}/metrics is served to anyone.` })
    }
    const metrics = inside?.config.http.metricsAddress
    if (
      !metrics ||
      isLoopback(metrics.host) ||
      metrics.port === 0 ||
      isThisMachine(outside.probe)
    ) {
      return found
    }
    const answer = await directly(outside.probe, metrics.port, '/metrics')
    if (answer && isMetrics(answer)) {
      const what = `Port ${metrics.port} of METRICS_ADDRESS is reached at ${probe.target.url.hostname}.`
      found.push({ what, level: 'warning' })
    }
    return found
  },
}

export const checks: ModuleChecks = { offline: [metricsAddress], outside: [metricsPublic] }
