import { isOurs, isRemote, shownValues, statusPath } from '../../../core/checks/answers.ts'
import type { Check, Found } from '../../../core/checks/check.ts'
import type { OutsideContext } from '../../../core/checks/context.ts'
import { securityHeaders } from '../../../core/http/headers.ts'

const minSeconds = 180 * 86_400

const hsts: Check<OutsideContext> = {
  id: 'hsts',
  level: 'error',
  passMessage: 'Strict-Transport-Security arrives, for half a year or longer',
  why: {
    en: 'Without it the first request of a browser may go over http, where anyone on the way can take it over.',
    de: 'Ohne ihn kann die erste Anfrage eines Browsers über http gehen, wo jeder auf dem Weg sie übernehmen kann.',
  },
  mend: {
    do: {
      en: 'The service sends it: leave it to the service, or send one that lasts as long.',
      de: 'Der Dienst sendet ihn: Überlassen Sie ihn dem Dienst, oder senden Sie einen, der ebenso lange gilt.',
    },
    nginx: '# remove: proxy_hide_header Strict-Transport-Security;',
    caddy: '# remove: header -Strict-Transport-Security',
  },
  async find({ origin, probe }) {
    if (!origin.startsWith('https:') || !isRemote(origin)) return []
    const lines = (await probe.get(statusPath)).all('strict-transport-security')
    const [first] = lines // browsers use the first: RFC 6797 section 8.1
    const seconds = Number(/max-age\s*=\s*"?(\d+)/i.exec(first ?? '')?.[1] ?? 0)
    if (first === undefined || seconds === 0) {
      return [
        {
          what: {
            en: `Strict-Transport-Security is ${shownValues(lines)}.`,
            de: `Strict-Transport-Security ist ${shownValues(lines)}.`,
          },
        },
      ]
    }
    if (seconds >= minSeconds) return []
    const what = {
      en: `Strict-Transport-Security lasts ${seconds} seconds: ${shownValues(lines)}.`,
      de: `Strict-Transport-Security gilt ${seconds} Sekunden: ${shownValues(lines)}.`,
    }
    const mend = {
      nginx:
        'add_header Strict-Transport-Security "max-age=31536000; includeSubDomains" always;   # or none',
      caddy: 'header Strict-Transport-Security "max-age=31536000; includeSubDomains"   # or none',
    }
    return [{ what, level: 'warning', mend }]
  },
}

/** Equally secure values, which a proxy may set. */
const alsoGood: Readonly<Record<string, readonly string[]>> = {
  'x-xss-protection': ['0'],
  'referrer-policy': ['same-origin', 'strict-origin', 'strict-origin-when-cross-origin'],
  'cross-origin-resource-policy': ['same-site'],
}

const headersOfPages = [
  'content-security-policy',
  'x-frame-options',
  'x-xss-protection',
  'x-content-type-options',
  'referrer-policy',
  'cross-origin-resource-policy',
] as const

const securityHeadersArrive: Check<OutsideContext> = {
  id: 'security_headers',
  level: 'error',
  passMessage: 'the security headers arrive as the service sends them',
  why: {
    en: 'They keep foreign scripts and frames out of the pages where people type passwords; browsers drop a header that says two things.',
    de: 'Sie halten fremde Skripte und Frames von den Seiten fern, auf denen Personen Passwörter eingeben; Browser verwerfen einen Header, der zweierlei sagt.',
  },
  mend: {
    do: {
      en: 'Leave these headers to the service.',
      de: 'Überlassen Sie diese Header dem Dienst.',
    },
  },
  async find({ probe }) {
    const answer = await probe.get(statusPath)
    return headersOfPages.flatMap((name): Found[] => {
      const values = [...new Set(answer.all(name).map((value) => value.trim()))]
      const fitting = [securityHeaders[name], ...(alsoGood[name] ?? [])]
      if (values.length > 0 && values.every((value) => fitting.includes(value))) return []
      const title = titleOf(name)
      const mend = {
        nginx: `# remove: add_header ${title} ...; proxy_hide_header ${title};`,
        caddy: `# remove: header ${title} ..., header -${title}`,
      }
      const what = {
        en: `${title} is ${shownValues(values)}, and the service sends: ${securityHeaders[name]}.`,
        de: `${title} ist ${shownValues(values)}, und der Dienst sendet: ${securityHeaders[name]}.`,
      }
      return [{ what, mend, level: values.length === 0 ? 'error' : 'warning' }]
    })
  },
}

function titleOf(name: string): string {
  return name.replace(
    /(^|-)([a-z])/g,
    (_, dash: string, letter: string) => dash + letter.toUpperCase(),
  )
}

const errors: Check<OutsideContext> = {
  id: 'errors_replaced',
  level: 'error',
  passMessage: 'refusals of the service arrive as it sends them',
  why: {
    en: 'Programs go by the status, the JSON and WWW-Authenticate of a refusal, and the X-Request-Id is how an operator finds its reason.',
    de: 'Programme richten sich nach Status, JSON und WWW-Authenticate einer Ablehnung, und mit der X-Request-Id findet ein Betreiber ihren Grund.',
  },
  mend: {
    do: {
      en: 'Let the answers of the service through.',
      de: 'Lassen Sie die Antworten des Dienstes durch.',
    },
    nginx: 'proxy_intercept_errors off;',
    caddy: '# remove: handle_response in reverse_proxy',
  },
  async find({ probe }) {
    const answer = await probe.get('/api/me')
    if (answer.status === 401 && isOurs(answer) && answer.header('www-authenticate') !== '')
      return []
    const what = {
      en: `A request without a credential is answered ${answer.status}, and not as the service refuses it.`,
      de: `Eine Anfrage ohne Anmeldedaten wird mit ${answer.status} beantwortet, und nicht so, wie der Dienst sie ablehnt.`,
    }
    return [{ what }]
  },
}

export const answerChecks: readonly Check<OutsideContext>[] = [hsts, securityHeadersArrive, errors]
