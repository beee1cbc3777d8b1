import { isOurs, isStatus, noRoute, statusPath } from '../../../core/checks/answers.ts'
import type { Check, Found } from '../../../core/checks/check.ts'
import type { OutsideContext } from '../../../core/checks/context.ts'

const methods: Check<OutsideContext> = {
  id: 'methods',
  level: 'error',
  passMessage: 'the proxy passes GET, POST, PUT, DELETE and OPTIONS on',
  why: {
    en: 'Changes and removals are refused by something that knows nothing of rights, and clients cannot tell why.',
    de: 'Änderungen und Löschungen lehnt etwas ab, das nichts von Rechten weiß, und Clients können nicht erkennen, warum.',
  },
  mend: {
    do: {
      en: 'Let the service judge methods.',
      de: 'Lassen Sie den Dienst über Methoden entscheiden.',
    },
    nginx: '# remove: limit_except ..., and if ($request_method ...)',
    caddy: '# remove: matchers of method before reverse_proxy',
  },
  async find({ probe }) {
    if (!isOurs(await probe.get(noRoute))) return [] // a proxy replaces error responses
    const found: Found[] = []
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await probe.send(noRoute, { method })
      // With CORS_ORIGINS the service answers every OPTIONS.
      if (isOurs(answer) || (method === 'OPTIONS' && answer.header('x-request-id') !== '')) continue
      found.push({
        what: {
          en: `${method} is answered ${answer.status} before it reaches the service.`,
          de: `${method} wird mit ${answer.status} beantwortet, bevor es den Dienst erreicht.`,
        },
      })
    }
    return found
  },
}

const authorization: Check<OutsideContext> = {
  id: 'authorization_header',
  level: 'error',
  passMessage: 'Authorization reaches the service',
  why: {
    en: 'Every request with a token or with a username and password is refused as if it had none.',
    de: 'Jede Anfrage mit einem Token oder mit Benutzername und Passwort wird abgelehnt, als hätte sie keine.',
  },
  mend: {
    do: { en: 'Pass the header on.', de: 'Leiten Sie den Header weiter.' },
    nginx: 'proxy_set_header Authorization $http_authorization;',
    caddy: '# remove: header_up -Authorization',
  },
  async find({ probe }) {
    const headers = { authorization: 'Bearer doctor' }
    const answer = await probe.send('/api/me?doctor', { headers }) // bypasses caches
    if (answer.status !== 401 || !isOurs(answer)) return []
    if (/error="?invalid_token/.test(answer.header('www-authenticate'))) return []
    return [
      {
        what: {
          en: 'A bearer token does not reach the service.',
          de: 'Ein Bearer-Token erreicht den Dienst nicht.',
        },
      },
    ]
  },
}

const paths: Check<OutsideContext> = {
  id: 'paths',
  level: 'warning',
  passMessage: 'the proxy passes paths on as they were sent',
  why: {
    en: 'A path that the proxy rewrites is another one to the service: names with a slash or a percent sign are not found, and rules by path are judged twice.',
    de: 'Ein Pfad, den der Proxy umschreibt, ist für den Dienst ein anderer: Namen mit Schrägstrich oder Prozentzeichen werden nicht gefunden, und Regeln nach Pfad werden zweimal angewandt.',
  },
  mend: {
    do: { en: 'Pass the path as it is.', de: 'Leiten Sie den Pfad unverändert weiter.' },
    nginx: 'proxy_pass http://127.0.0.1:3000;   # without a path or a slash at its end',
    caddy: '# remove: uri, rewrite, handle_path',
  },
  async find({ probe }) {
    const answer = await probe.get('/api/public%2Fstatus')
    return isStatus(answer)
      ? [
          {
            what: {
              en: 'The proxy decodes %2F in paths.',
              de: 'Der Proxy dekodiert %2F in Pfaden.',
            },
          },
        ]
      : []
  },
}

const cached: Check<OutsideContext> = {
  id: 'cached',
  level: 'error',
  passMessage: 'no cache in front answers in place of the service',
  why: {
    en: 'The cache shows answers for one person to another, and a revoked credential seems valid until the cached answer expires.',
    de: 'Der Cache zeigt Antworten für eine Person einer anderen, und Widerrufenes scheint gültig, bis die Antwort im Cache abläuft.',
  },
  mend: {
    do: {
      en: 'Do not cache this host: the service sends Cache-Control: no-store where it is needed.',
      de: 'Speichern Sie keine Antworten dieses Hosts im Cache: Der Dienst sendet Cache-Control: no-store, wo es nötig ist.',
    },
    nginx: 'proxy_cache off;   # and no proxy_ignore_headers Cache-Control',
    caddy: '# remove: cache',
  },
  async find({ probe }) {
    const [one, other] = [await probe.get(statusPath), await probe.send(statusPath)]
    const id = one.all('x-request-id').join()
    const isSame = id !== '' && id === other.all('x-request-id').join()
    return isSame
      ? [
          {
            what: {
              en: `${statusPath} was answered twice from a cache (${id.slice(0, 40)}).`,
              de: `${statusPath} wurde zweimal aus einem Cache beantwortet (${id.slice(0, 40)}).`,
            },
          },
        ]
      : []
  },
}

const maxOffMs = 60_000

const clockSeen: Check<OutsideContext> = {
  id: 'clock_seen',
  level: 'warning',
  passMessage: 'the clocks of this machine and of the other side agree to a minute',
  why: {
    en: 'Each side refuses tokens and codes if one of the two clocks is wrong.',
    de: 'Geht eine der beiden Uhren falsch, werden gültige Token und Codes abgelehnt.',
  },
  mend: {
    do: { en: 'Keep both clocks by NTP.', de: 'Stellen Sie beide Uhren per NTP.' },
    setting: 'timedatectl set-ntp true',
  },
  async find({ clock, probe }) {
    const before = clock.now()
    const { header } = await probe.send(statusPath)
    const there = Date.parse(header('date'))
    const off = Math.max(before - there, there - clock.now())
    if (Number.isNaN(there) || off <= maxOffMs) return []
    return [
      {
        what: {
          en: `The Date header of the answer is ${Math.round(off / 1000)} s off.`,
          de: `Der Header Date der Antwort weicht um ${Math.round(off / 1000)} s ab.`,
        },
      },
    ]
  },
}

export const passingChecks: readonly Check<OutsideContext>[] = [
  methods,
  authorization,
  paths,
  cached,
  clockSeen,
]
