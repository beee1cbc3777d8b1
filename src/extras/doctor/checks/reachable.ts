import { isLoopback } from '../../../core/addresses/loopback.ts'
import { OutboundError } from '../../../core/outbound/outbound-error.ts'
import type { Check, Found } from '../check.ts'
import type { OutsideContext } from '../context.ts'
import type { Answer } from '../probe.ts'

/** The path that anyone may read, and that tells what answers. */
export const statusPath = '/api/public/status'

/** Of any method the service answers 404 here, by itself, and reads no body. */
export const noRoute = '/api/public/doctor'

/** Whether an answer to the status is that of the service. */
export function isStatus({ status, json }: Answer): boolean {
  return (
    status === 200 &&
    typeof json === 'object' &&
    json !== null &&
    'service' in json &&
    json.service === 'gatehouse'
  )
}

const ofGateway = new Set([502, 503, 504])

export const reachable: Check<OutsideContext> = {
  id: 'reachable',
  level: 'error',
  passMessage: 'the address answers',
  why: 'Nothing of the service can be used at this address.',
  mend: {
    do: 'See that the name leads here, that the port is open, and that the service runs.',
  },
  async find({ probe }) {
    try {
      await probe.get(statusPath)
      return []
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      return [{ what: `There is no answer: ${error.message}.` }]
    }
  },
}

const gateway: Check<OutsideContext> = {
  id: 'gateway',
  level: 'error',
  passMessage: 'the proxy reaches the service',
  why: 'Nothing of the service can be used through this proxy.',
  mend: {
    do: 'See that the service runs, and give the proxy its HOST and PORT.',
    nginx: 'proxy_pass http://127.0.0.1:3000;',
    caddy: 'reverse_proxy 127.0.0.1:3000',
  },
  async find({ probe }) {
    const answer = await probe.get(statusPath)
    if (!ofGateway.has(answer.status) || answer.header('x-request-id') !== '') return []
    return [{ what: `The proxy answers ${answer.status}: it does not reach the service.` }]
  },
}

const redirected: Check<OutsideContext> = {
  id: 'redirected',
  level: 'error',
  passMessage: 'the address is that of the service and not of a redirect to it',
  why: 'Programs do not follow redirects with their credentials, and a form loses what was typed. Doctor follows none.',
  mend: { do: 'Examine the address to which it leads, and give callers that one.' },
  async find({ probe, origin }) {
    const { status, header } = await probe.get(statusPath)
    if (status < 300 || status >= 400) return []
    const location = header('location').slice(0, 200)
    const to = URL.parse(location, origin)?.origin
    const isLoop = to === origin
    const what = `${origin} redirects ${isLoop ? 'to itself' : `to ${location || 'nowhere'}`} (${status}).`
    if (!isLoop) return [{ what }]
    const mend = {
      do: 'The proxy redirects what it is to pass on.',
      nginx: 'location / { proxy_pass http://127.0.0.1:3000; }   # without return or rewrite',
      caddy: 'reverse_proxy 127.0.0.1:3000   # without redir or rewrite',
    }
    return [{ what, mend }]
  },
}

const service: Check<OutsideContext> = {
  id: 'service',
  level: 'error',
  passMessage: 'Gatehouse answers at the address, under /',
  why: 'What is checked further is true of Gatehouse alone; a foreign host is asked nothing more.',
  mend: {
    do: 'Correct the address, or pass all paths of the host to the service as they are.',
    nginx: 'location / { proxy_pass http://127.0.0.1:3000; }',
    caddy: 'reverse_proxy 127.0.0.1:3000',
  },
  async find({ probe }) {
    const answer = await probe.get(statusPath)
    if (isStatus(answer)) return []
    return [{ what: `${statusPath} answers ${answer.status}, and not as Gatehouse does.` }]
  },
}

/** An error of one of them ends what is asked of the address. */
export const arrivalChecks: readonly Check<OutsideContext>[] = [gateway, redirected, service]

/** Whether callers of other machines use an origin. */
export function isRemote(origin: string): boolean {
  return !isLoopback(new URL(origin).hostname)
}

/** Whether an answer comes from the service and not from what is in front of it. */
export function isOurs(answer: Answer): boolean {
  const { json } = answer
  const hasError = typeof json === 'object' && json !== null && 'error' in json
  return answer.header('x-request-id') !== '' && hasError
}

/** A finding of a header that several lines or none have. */
export function shownValues(values: readonly string[]): Found['what'] {
  return values.length === 0 ? 'absent' : values.map((value) => value.slice(0, 120)).join(' | ')
}
