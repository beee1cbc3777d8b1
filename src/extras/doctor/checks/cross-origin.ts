import { shownValues, statusPath } from '../../../core/checks/answers.ts'
import type { Check, Found } from '../../../core/checks/check.ts'
import type { OutsideContext } from '../../../core/checks/context.ts'

const foreign = 'https://doctor.invalid' // no such host can exist: RFC 6761

const corsForeign: Check<OutsideContext> = {
  id: 'cors_foreign',
  level: 'error',
  passMessage: 'no foreign origin is allowed to read answers',
  why: 'A page of any site could read what this service answers to the person who has it open.',
  mend: {
    do: 'Name the origins in CORS_ORIGINS, and leave these headers to the service.',
    setting: 'CORS_ORIGINS=https://app.example.org',
    nginx: '# remove: add_header Access-Control-Allow-Origin ...',
    caddy: '# remove: header Access-Control-Allow-Origin ...',
  },
  async find({ probe }) {
    const found: Found[] = []
    for (const origin of [foreign, 'null']) {
      const answer = await probe.send(statusPath, { headers: { origin } })
      const allowed = answer.all('access-control-allow-origin')
      if (!allowed.some((value) => value === origin || value === '*')) continue
      const isWithCookies = answer.header('access-control-allow-credentials') === 'true'
      const credentials = isWithCookies ? ', with its cookies' : ''
      const what = `The origin ${origin} is allowed${credentials}: ${shownValues(allowed)}.`
      // Without cookies, only public data is readable.
      return [{ what, level: isWithCookies ? 'error' : 'warning' }]
    }
    return found
  },
}

const corsOwn: Check<OutsideContext> = {
  id: 'cors_own',
  level: 'error',
  passMessage: 'each origin of CORS_ORIGINS is allowed once',
  why: 'A browser refuses an answer whose header is missing or stands there twice, and the page of that origin does not work.',
  mend: {
    do: 'Leave these headers to the service, and pass OPTIONS and Origin on.',
    nginx: '# remove: add_header Access-Control-Allow-..., and return 204 for OPTIONS',
    caddy: '# remove: header Access-Control-Allow-..., and respond for OPTIONS',
  },
  async find({ inside, probe }) {
    const [origin] = inside?.config.http.corsOrigins ?? []
    if (origin === undefined || origin === '*') return []
    const asked = { 'access-control-request-method': 'GET' }
    const answers = [
      ['GET', await probe.send(statusPath, { headers: { origin } })],
      [
        'OPTIONS',
        await probe.send(statusPath, { method: 'OPTIONS', headers: { origin, ...asked } }),
      ],
    ] as const
    return answers.flatMap(([method, answer]): Found[] => {
      const allowed = answer.all('access-control-allow-origin')
      if (allowed.length === 1 && allowed[0] === origin) return []
      return [
        {
          what: `${method} for the origin ${origin} has Access-Control-Allow-Origin ${shownValues(allowed)}.`,
        },
      ]
    })
  },
}

const baseUrlSeen: Check<OutsideContext> = {
  id: 'base_url_seen',
  level: 'error',
  passMessage: 'the service knows itself by the address that callers use',
  why: 'Links in mail, redirects and the issuer of tokens lead to BASE_URL, and not to where callers are.',
  mend: { do: 'Set BASE_URL to the address of callers, and start again.' },
  async find({ inside, origin, probe }) {
    const known = inside?.config.baseUrl
    const mend = { setting: `BASE_URL=${origin}` }
    const { hostname } = new URL(origin)
    // A loopback URL bypasses the proxy.
    if (known !== undefined && known !== origin && /^(?:localhost|127\.|\[::1\])/.test(hostname)) {
      return []
    }
    const document = await probe.get('/api/openapi.json') // public in development only
    const [, told] = /"servers":\s*\[\{"url":\s*"([^"]{1,300})"/.exec(document.body) ?? []
    if (document.status === 200 && told !== undefined && told !== origin) {
      return [{ what: `It was asked as ${origin}, and its BASE_URL is ${told}.`, mend }]
    }
    if (known === undefined || known === origin || told !== undefined) return []
    return [
      { what: `It was asked as ${origin}, and BASE_URL is ${known}.`, mend, level: 'warning' },
    ]
  },
}

export const crossOriginChecks: readonly Check<OutsideContext>[] = [
  corsForeign,
  corsOwn,
  baseUrlSeen,
]
