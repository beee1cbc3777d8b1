import { networkInterfaces } from 'node:os'
import { isLoopback } from '../../../core/addresses/loopback.ts'
import { OutboundError } from '../../../core/outbound/outbound-error.ts'
import { type Check, CouldNotCheck, type Found } from '../check.ts'
import type { OutsideContext } from '../context.ts'
import { type Answer, createProbe } from '../probe.ts'
import { statusPath } from './reachable.ts'

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
    if (!metrics || isLoopback(metrics.host) || metrics.port === 0 || isThisMachine(outside)) {
      return found
    }
    const answer = await directly(outside, metrics.port, '/metrics')
    if (answer && isMetrics(answer)) {
      const what = `Port ${metrics.port} of METRICS_ADDRESS is reached at ${probe.target.url.hostname}.`
      found.push({ what, level: 'warning' })
    }
    return found
  },
}

const portOpen: Check<OutsideContext> = {
  id: 'port_open',
  level: 'warning',
  passMessage: 'the service is reached through the proxy alone',
  why: 'Past the proxy there is no TLS: passwords and tokens go in clear.',
  mend: {
    do: 'Listen where only the proxy reaches it, or close the port in the firewall.',
    setting: 'HOST=127.0.0.1',
  },
  async find(outside) {
    const { inside, origin } = outside
    const http = inside?.config.http
    if (!http || http.tls || isLoopback(http.host) || !origin.startsWith('https:')) return []
    if (http.port === 0 || isThisMachine(outside)) return []
    const answer = await directly(outside, http.port, '/health/live')
    if (answer?.status !== 200 || !answer.body.includes('"live"')) return []
    return [{ what: `Port ${http.port} is reached at ${new URL(origin).hostname}, without TLS.` }]
  },
}

/** A request to another port of the same host, over http; null if nothing answers. */
async function directly(
  { probe }: OutsideContext,
  port: number,
  path: string,
): Promise<Answer | null> {
  const { target } = probe
  const url = new URL(`http://${target.url.hostname}:${port}`)
  try {
    return await createProbe({ ...target, url, origin: url.origin }).get(path)
  } catch (error) {
    if (error instanceof OutboundError) return null
    throw error
  }
}

/** From a machine to itself no firewall is passed, so that an open port tells nothing. */
function isThisMachine({ probe }: OutsideContext): boolean {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return probe.target.addresses.some(
    (address) => isLoopback(address) || own.some((one) => one.address === address),
  )
}

const usersOpen: Check<OutsideContext> = {
  id: 'users_open',
  level: 'error',
  passMessage: 'the users resource asks for a credential',
  why: 'Anyone reads, changes and deletes all users.',
  mend: {
    do: 'Choose who may, and let the proxy send no credential of its own.',
    setting: 'USERS_POLICY=roles',
    nginx: '# remove: proxy_set_header Authorization "Basic ...";',
    caddy: '# remove: header_up Authorization ...',
  },
  async find({ origin, probe }) {
    const { header, json, status } = await probe.get('/users')
    const isOpen = status === 200 && Array.isArray(json) && header('x-request-id') !== ''
    return isOpen ? [{ what: `${origin}/users answers without a credential.` }] : []
  },
}

const mark = 'doctor-4f7c1f6e'

const trace: Check<OutsideContext> = {
  id: 'trace',
  level: 'error',
  passMessage: 'TRACE is refused',
  why: 'It sends a request back with all its headers, also those that the proxy has added and those that a script may not read.',
  mend: {
    do: 'Refuse the method.',
    nginx: 'if ($request_method = TRACE) { return 405; }',
    caddy: '@trace method TRACE\n\trespond @trace 405',
  },
  async find({ probe }) {
    const answer = await sentOrNull(() =>
      probe.send(statusPath, { method: 'TRACE', headers: { 'x-doctor': mark } }),
    )
    if (!answer || answer.status >= 300) return []
    const isEcho =
      answer.header('content-type').startsWith('message/http') || answer.body.includes(mark)
    return isEcho ? [{ what: `TRACE is answered ${answer.status}, with the request.` }] : []
  },
}

const connect: Check<OutsideContext> = {
  id: 'connect',
  level: 'error',
  passMessage: 'CONNECT is refused',
  why: 'An open proxy lets anyone reach, in the name of this host, other hosts and the network behind it.',
  mend: {
    do: 'Refuse the method: this host is no forward proxy.',
    nginx: 'if ($request_method = CONNECT) { return 405; }',
    caddy: '@connect method CONNECT\n\trespond @connect 405',
  },
  async find({ probe }) {
    const { hostname, port, protocol } = probe.target.url
    const target = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}` // itself, and no one else
    const answer = await sentOrNull(() => probe.send('/', { method: 'CONNECT', target }))
    if (!answer || answer.status < 200 || answer.status >= 300) return []
    return [{ what: `CONNECT ${target} is answered ${answer.status}: a tunnel is open.` }]
  },
}

/** Null where the connection is closed instead of an answer, which refuses as well. */
async function sentOrNull(send: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.fault === 'timed_out') throw new CouldNotCheck(error.message)
    return null
  }
}

export const exposureChecks: readonly Check<OutsideContext>[] = [
  metricsPublic,
  portOpen,
  usersOpen,
  trace,
  connect,
]
