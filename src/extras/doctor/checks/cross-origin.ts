import { shownValues, statusPath } from '../../../core/checks/answers.ts'
import type { Check, Found } from '../../../core/checks/check.ts'
import type { OutsideContext } from '../../../core/checks/context.ts'

const foreign = 'https://doctor.invalid' // no such host can exist: RFC 6761

const corsForeign: Check<OutsideContext> = {
  id: 'cors_foreign',
  level: 'error',
  passMessage: 'no foreign origin is allowed to read answers',
  why: {
    en: 'A page of any site could read what this service answers to the person who has it open.',
    de: 'Eine Seite jeder Website könnte lesen, was dieser Dienst der Person antwortet, die sie offen hat.',
  },
  mend: {
    do: {
      en: 'Name the origins in CORS_ORIGINS, and leave these headers to the service.',
      de: 'Nennen Sie die Ursprünge in CORS_ORIGINS, und überlassen Sie diese Header dem Dienst.',
    },
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
      const what = {
        en: `The origin ${origin} is allowed${credentials}: ${shownValues(allowed)}.`,
        de: `Der Ursprung ${origin} ist erlaubt${isWithCookies ? ', mit seinen Cookies' : ''}: ${shownValues(allowed)}.`,
      }
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
  why: {
    en: 'A browser refuses an answer whose header is missing or stands there twice, and the page of that origin does not work.',
    de: 'Ein Browser lehnt eine Antwort ab, deren Header fehlt oder doppelt steht, und die Seite dieses Ursprungs funktioniert nicht.',
  },
  mend: {
    do: {
      en: 'Leave these headers to the service, and pass OPTIONS and Origin on.',
      de: 'Überlassen Sie diese Header dem Dienst, und leiten Sie OPTIONS und Origin weiter.',
    },
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
          what: {
            en: `${method} for the origin ${origin} has Access-Control-Allow-Origin ${shownValues(allowed)}.`,
            de: `${method} hat für den Ursprung ${origin} Access-Control-Allow-Origin ${shownValues(allowed)}.`,
          },
        },
      ]
    })
  },
}

const baseUrlSeen: Check<OutsideContext> = {
  id: 'base_url_seen',
  level: 'error',
  passMessage: 'the service knows itself by the address that callers use',
  why: {
    en: 'Links in mail, redirects and the issuer of tokens lead to BASE_URL, and not to where callers are.',
    de: 'Links in E-Mails, Weiterleitungen und der Aussteller der Token führen zu BASE_URL und nicht dorthin, wo Aufrufer sind.',
  },
  mend: {
    do: {
      en: 'Set BASE_URL to the address of callers, and start again.',
      de: 'Setzen Sie BASE_URL auf die Adresse der Aufrufer, und starten Sie neu.',
    },
  },
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
      return [
        {
          what: {
            en: `The service was asked as ${origin}, and its BASE_URL is ${told}.`,
            de: `Gefragt wurde unter ${origin}, und BASE_URL des Dienstes ist ${told}.`,
          },
          mend,
        },
      ]
    }
    if (known === undefined || known === origin || told !== undefined) return []
    return [
      {
        what: {
          en: `The service was asked as ${origin}, and BASE_URL is ${known}.`,
          de: `Gefragt wurde unter ${origin}, und BASE_URL ist ${known}.`,
        },
        mend,
        level: 'warning',
      },
    ]
  },
}

export const crossOriginChecks: readonly Check<OutsideContext>[] = [
  corsForeign,
  corsOwn,
  baseUrlSeen,
]
