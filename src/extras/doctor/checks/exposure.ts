import { isLoopback } from '../../../core/addresses/loopback.ts'
import { statusPath } from '../../../core/checks/answers.ts'
import { type Check, CouldNotCheck } from '../../../core/checks/check.ts'
import type { OutsideContext } from '../../../core/checks/context.ts'
import type { Answer } from '../../../core/checks/probe.ts'
import { directly, isThisMachine } from '../../../core/checks/probe.ts'
import { untranslated } from '../../../core/lib/languages.ts'
import { OutboundError } from '../../../core/outbound/outbound-error.ts'

const portOpen: Check<OutsideContext> = {
  id: 'port_open',
  level: 'warning',
  passMessage: 'the service is reached through the proxy alone',
  why: {
    en: 'Past the proxy there is no TLS: passwords and tokens go in clear.',
    de: 'Am Proxy vorbei gibt es kein TLS: Passwörter und Token gehen im Klartext.',
  },
  mend: {
    do: {
      en: 'Listen where only the proxy reaches it, or close the port in the firewall.',
      de: 'Binden Sie den Dienst an eine Adresse, die nur der Proxy erreicht, oder schließen Sie den Port in der Firewall.',
    },
    setting: 'HOST=127.0.0.1',
  },
  async find(outside) {
    const { inside, origin } = outside
    const http = inside?.config.http
    if (!http || http.tls || isLoopback(http.host) || !origin.startsWith('https:')) return []
    if (http.port === 0 || isThisMachine(outside.probe)) return []
    const answer = await directly(outside.probe, http.port, '/health/live')
    if (answer?.status !== 200 || !answer.body.includes('"live"')) return []
    return [
      {
        what: {
          en: `Port ${http.port} is reached at ${new URL(origin).hostname}, without TLS.`,
          de: `Port ${http.port} ist unter ${new URL(origin).hostname} ohne TLS erreichbar.`,
        },
      },
    ]
  },
}

const mark = 'doctor-4f7c1f6e'

const trace: Check<OutsideContext> = {
  id: 'trace',
  level: 'error',
  passMessage: 'TRACE is refused',
  why: {
    en: 'It sends a request back with all its headers, also those that the proxy has added and those that a script may not read.',
    de: 'TRACE sendet eine Anfrage mit allen Headern zurück, auch mit denen, die der Proxy hinzugefügt hat, und denen, die ein Skript nicht lesen darf.',
  },
  mend: {
    do: { en: 'Refuse the method.', de: 'Lehnen Sie die Methode ab.' },
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
    return isEcho
      ? [
          {
            what: {
              en: `TRACE is answered ${answer.status}, with the request.`,
              de: `TRACE wird mit ${answer.status} und der Anfrage beantwortet.`,
            },
          },
        ]
      : []
  },
}

const connect: Check<OutsideContext> = {
  id: 'connect',
  level: 'error',
  passMessage: 'CONNECT is refused',
  why: {
    en: 'An open proxy lets anyone reach, in the name of this host, other hosts and the network behind it.',
    de: 'Über einen offenen Proxy erreicht jeder im Namen dieses Hosts andere Hosts und das Netz dahinter.',
  },
  mend: {
    do: {
      en: 'Refuse the method: this host is no forward proxy.',
      de: 'Lehnen Sie die Methode ab: Dieser Host ist kein Forward-Proxy.',
    },
    nginx: 'if ($request_method = CONNECT) { return 405; }',
    caddy: '@connect method CONNECT\n\trespond @connect 405',
  },
  async find({ probe }) {
    const { hostname, port, protocol } = probe.target.url
    const target = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}` // the service itself
    const answer = await sentOrNull(() => probe.send('/', { method: 'CONNECT', target }))
    if (!answer || answer.status < 200 || answer.status >= 300) return []
    return [
      {
        what: {
          en: `CONNECT ${target} is answered ${answer.status}: a tunnel is open.`,
          de: `CONNECT ${target} wird mit ${answer.status} beantwortet: Ein Tunnel steht offen.`,
        },
      },
    ]
  },
}

/** Null if the connection is closed, which also refuses. */
async function sentOrNull(send: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.fault === 'timed_out') throw new CouldNotCheck(untranslated(error.message))
    return null
  }
}

export const exposureChecks: readonly Check<OutsideContext>[] = [portOpen, trace, connect]
