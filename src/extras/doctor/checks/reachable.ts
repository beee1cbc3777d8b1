import { isStatus, statusPath } from '../../../core/checks/answers.ts'
import type { Check } from '../../../core/checks/check.ts'
import type { OutsideContext } from '../../../core/checks/context.ts'
import { OutboundError } from '../../../core/outbound/outbound-error.ts'

const ofGateway = new Set([502, 503, 504])

export const reachable: Check<OutsideContext> = {
  id: 'reachable',
  level: 'error',
  passMessage: 'the address answers',
  why: {
    en: 'Nothing of the service can be used at this address.',
    de: 'Unter dieser Adresse ist nichts vom Dienst benutzbar.',
  },
  mend: {
    do: {
      en: 'See that the name leads here, that the port is open, and that the service runs.',
      de: 'Prüfen Sie, ob der Name hierher führt, der Port offen ist und der Dienst läuft.',
    },
  },
  async find({ probe }) {
    try {
      await probe.get(statusPath)
      return []
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      return [
        {
          what: {
            en: `There is no answer: ${error.message}.`,
            de: `Es kommt keine Antwort: ${error.message}.`,
          },
        },
      ]
    }
  },
}

const gateway: Check<OutsideContext> = {
  id: 'gateway',
  level: 'error',
  passMessage: 'the proxy reaches the service',
  why: {
    en: 'Nothing of the service can be used through this proxy.',
    de: 'Über diesen Proxy ist nichts vom Dienst benutzbar.',
  },
  mend: {
    do: {
      en: 'See that the service runs, and give the proxy its HOST and PORT.',
      de: 'Prüfen Sie, ob der Dienst läuft, und geben Sie dem Proxy HOST und PORT des Dienstes.',
    },
    nginx: 'proxy_pass http://127.0.0.1:3000;',
    caddy: 'reverse_proxy 127.0.0.1:3000',
  },
  async find({ probe }) {
    const answer = await probe.get(statusPath)
    if (!ofGateway.has(answer.status) || answer.header('x-request-id') !== '') return []
    return [
      {
        what: {
          en: `The proxy answers ${answer.status}: it does not reach the service.`,
          de: `Der Proxy antwortet mit ${answer.status}: Er erreicht den Dienst nicht.`,
        },
      },
    ]
  },
}

const redirected: Check<OutsideContext> = {
  id: 'redirected',
  level: 'error',
  passMessage: 'the address is that of the service and not of a redirect to it',
  why: {
    en: 'Programs do not follow redirects with their credentials, and a form loses what was typed. Doctor follows none.',
    de: 'Programme folgen Weiterleitungen nicht mit ihren Anmeldedaten, und ein Formular verliert die Eingaben. Diese Prüfung folgt keiner.',
  },
  mend: {
    do: {
      en: 'Examine the address to which it leads, and give callers that one.',
      de: 'Prüfen Sie die Adresse, zu der sie führt, und geben Sie Aufrufern diese.',
    },
  },
  async find({ probe, origin }) {
    const { status, header } = await probe.get(statusPath)
    if (status < 300 || status >= 400) return []
    const location = header('location').slice(0, 200)
    const to = URL.parse(location, origin)?.origin
    const isLoop = to === origin
    const what = {
      en: `${origin} redirects ${isLoop ? 'to itself' : `to ${location || 'nowhere'}`} (${status}).`,
      de: `${origin} leitet ${isLoop ? 'auf sich selbst' : `nach ${location || 'nirgendwo'}`} weiter (${status}).`,
    }
    if (!isLoop) return [{ what }]
    const mend = {
      do: {
        en: 'The proxy redirects what it is to pass on.',
        de: 'Der Proxy leitet um, was er weiterreichen soll.',
      },
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
  why: {
    en: 'What is checked further is true of Gatehouse alone; a foreign host is asked nothing more.',
    de: 'Was weiter geprüft wird, gilt nur für Gatehouse; einen fremden Host fragt die Prüfung nichts weiter.',
  },
  mend: {
    do: {
      en: 'Correct the address, or pass all paths of the host to the service as they are.',
      de: 'Berichtigen Sie die Adresse, oder leiten Sie alle Pfade des Hosts unverändert an den Dienst weiter.',
    },
    nginx: 'location / { proxy_pass http://127.0.0.1:3000; }',
    caddy: 'reverse_proxy 127.0.0.1:3000',
  },
  async find({ probe }) {
    const answer = await probe.get(statusPath)
    if (isStatus(answer)) return []
    return [
      {
        what: {
          en: `${statusPath} answers ${answer.status}, and not as Gatehouse does.`,
          de: `${statusPath} antwortet mit ${answer.status}, und nicht wie Gatehouse.`,
        },
      },
    ]
  },
}

/** An error ends the checks of the address. */
export const arrivalChecks: readonly Check<OutsideContext>[] = [gateway, redirected, service]
