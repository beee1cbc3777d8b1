import { isStatus, statusPath } from '../../../core/checks/answers.ts'
import type { Check } from '../../../core/checks/check.ts'
import type { OutsideContext } from '../../../core/checks/context.ts'
import { OutboundError } from '../../../core/outbound/outbound-error.ts'

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

/** An error ends the checks of the address. */
export const arrivalChecks: readonly Check<OutsideContext>[] = [gateway, redirected, service]
