import { isOurs, isRemote, shownValues, statusPath } from '../../../core/checks/answers.ts'
import type { Check, Found } from '../../../core/checks/check.ts'
import type { OutsideContext } from '../../../core/checks/context.ts'
import { securityHeaders } from '../../../core/http/headers.ts'

const minSeconds = 180 * 86_400

const hsts: Check<OutsideContext> = {
  id: 'hsts',
  level: 'error',
  passMessage: 'Strict-Transport-Security arrives, for half a year or longer',
  why: 'Without it the first request of a browser may go over http, where anyone on the way can take it over.',
  mend: {
    do: 'The service sends it: leave it to the service, or send one that lasts as long.',
    nginx: '# remove: proxy_hide_header Strict-Transport-Security;',
    caddy: '# remove: header -Strict-Transport-Security',
  },
  async find({ origin, probe }) {
    if (!origin.startsWith('https:') || !isRemote(origin)) return []
    const lines = (await probe.get(statusPath)).all('strict-transport-security')
    const [first] = lines // browsers use the first: RFC 6797 section 8.1
    const seconds = Number(/max-age\s*=\s*"?(\d+)/i.exec(first ?? '')?.[1] ?? 0)
    if (first === undefined || seconds === 0) {
      return [{ what: `Strict-Transport-Security is ${shownValues(lines)}.` }]
    }
    if (seconds >= minSeconds) return []
    const what = `Strict-Transport-Security lasts ${seconds} seconds: ${shownValues(lines)}.`
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
  why: 'They keep foreign scripts and frames out of the pages where people type passwords; browsers drop a header that says two things.',
  mend: { do: 'Leave these headers to the service.' },
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
      const what = `${title} is ${shownValues(values)}, and the service sends: ${securityHeaders[name]}.`
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
  why: 'Programs go by the status, the JSON and WWW-Authenticate of a refusal, and the X-Request-Id is how an operator finds its reason.',
  mend: {
    do: 'Let the answers of the service through.',
    nginx: 'proxy_intercept_errors off;',
    caddy: '# remove: handle_response in reverse_proxy',
  },
  async find({ probe }) {
    const answer = await probe.get('/api/me')
    if (answer.status === 401 && isOurs(answer) && answer.header('www-authenticate') !== '')
      return []
    const what = `A request without a credential is answered ${answer.status}, and not as the service refuses it.`
    return [{ what }]
  },
}

export const answerChecks: readonly Check<OutsideContext>[] = [hsts, securityHeadersArrive, errors]
