import { isLoopback } from '../../core/addresses/loopback.ts'
import type { Check, Found } from '../../core/checks/check.ts'
import type { ModuleChecks, OfflineContext, OutsideContext } from '../../core/checks/context.ts'
import { type Answer, directly, isThisMachine } from '../../core/checks/probe.ts'

const metricsAddress: Check<OfflineContext> = {
  id: 'metrics_address',
  covers: ['METRICS_ADDRESS'],
  level: 'info',
  passMessage: 'METRICS_ADDRESS is not open to every network',
  why: {
    en: 'That port asks for no credential, and its numbers tell of logins, failures and load.',
    de: 'Dieser Port verlangt keine Anmeldedaten, und seine Zahlen zeigen Anmeldungen, Fehler und Last.',
  },
  mend: {
    do: {
      en: 'Listen on loopback or on the network of the monitoring, or leave a firewall in front that lets the monitoring alone through.',
      de: 'Binden Sie den Port an Loopback oder an das Netz der Überwachung, oder lassen Sie eine Firewall nur die Überwachung durch.',
    },
    setting: 'METRICS_ADDRESS=127.0.0.1:9464',
  },
  find({ config: { http } }) {
    const host = http.metricsAddress?.host
    if (host !== '0.0.0.0' && host !== '::') return []
    return [
      {
        what: {
          en: `METRICS_ADDRESS listens on all addresses of this machine (${host}).`,
          de: `METRICS_ADDRESS lauscht auf allen Adressen dieses Rechners (${host}).`,
        },
      },
    ]
  },
}

const isMetrics = ({ body, status }: Answer) =>
  status === 200 && /^# (?:HELP|TYPE) gatehouse_/m.test(body)

const metricsPublic: Check<OutsideContext> = {
  id: 'metrics_public',
  level: 'error',
  passMessage: 'the metrics ask for a credential, or are reached by the monitoring alone',
  why: {
    en: 'They tell anyone how many log in and fail, what is slow, and whether an attack has begun to work.',
    de: 'Sie zeigen jedem, wie viele sich anmelden und scheitern, was langsam ist und ob ein Angriff zu wirken beginnt.',
  },
  mend: {
    do: {
      en: 'Do not pass the port of METRICS_ADDRESS on, and no credential for others.',
      de: 'Leiten Sie den Port von METRICS_ADDRESS nicht weiter, und geben Sie anderen keine Anmeldedaten dafür.',
    },
    setting: 'METRICS_ADDRESS=127.0.0.1:9464',
    nginx: '# remove: location /metrics { proxy_pass http://127.0.0.1:9464; }',
    caddy: '# remove: reverse_proxy /metrics 127.0.0.1:9464',
  },
  async find(outside) {
    const { inside, origin, probe } = outside
    const found: Found[] = []
    if (isMetrics(await probe.get('/metrics'))) {
      found.push({
        what: {
          en: `${origin}/metrics is served to anyone.`,
          de: `${origin}/metrics ist für jeden lesbar.`,
        },
      })
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
      const what = {
        en: `Port ${metrics.port} of METRICS_ADDRESS is reached at ${probe.target.url.hostname}.`,
        de: `Port ${metrics.port} von METRICS_ADDRESS ist unter ${probe.target.url.hostname} erreichbar.`,
      }
      found.push({ what, level: 'warning' })
    }
    return found
  },
}

export const checks: ModuleChecks = { offline: [metricsAddress], outside: [metricsPublic] }
