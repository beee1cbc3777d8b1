import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  forwardedHeaders,
  hostSessionOf,
  proxiedHosts,
  proxiedSettings,
  startNginx,
} from '../../../tools/proxied.ts'
import { loadOf, type Request, type Target } from '../load.ts'
import { known, type Peer, startPeer } from '../processes.ts'
import type { Figure } from '../report/figure.ts'
import type { Service } from '../service.ts'
import { type Contender, type Goal, linesOf, type Plan, takeTurns } from '../turns.ts'
import { bare, bareName } from './reads.ts'
import { type Seeded, seeded, sessionOf, temporaryFolder } from './seeded.ts'

const about = `\`GET /api/authz/forward\`, by which a proxy asks whether a request to an application may pass: with the five
\`X-Forwarded-*\` headers that a proxy sends, for 1,000 paths in turn, by a bearer token (RS256, seen before), by the session on
the host of the service, by the session of an application's host, and by a \`bypass\` rule, which needs no caller. Half of the
rules are for hosts of their own, the other half for paths of their own at the host that is asked about, and the one that
matches is the last. *A path with escapes* is searched for in all readings that an application may have of it. The bare server sends
the same status with Content-Length alone; *with the same headers* it sends those of the service. The generator never sleeps there, so
that no server spends time on waking it.

The last lines are requests for an application, a bare \`node:http\` server, through Debian's nginx in one process, with the
listings of forward-auth.md, without TLS and with connections to the application that are kept. *nginx alone* passes the
requests on; with *auth_request* it asks the service about each. *CPU* and *cores* are those of nginx, the application and
the service together. oauth2-proxy and Authelia are not in Debian, so that nginx alone is what it is compared with.`

export async function forward(plan: Plan): Promise<Figure> {
  const data = await seeded(plan, 'SQLite', 1000)
  const service = await startWithRules(data, 10)
  const others = await seeded(plan, 'SQLite', 1000)
  const large = await startWithRules(others, 10_000)
  const asking = await askingOf(service)
  const ofLarge = await askingOf(large)
  const [plain, likeBearer, likeSession] = [
    await bareFor(service, asking.bearer, false),
    await bareFor(service, asking.bearer, true),
    await bareFor(service, asking.session, true),
  ]
  const proxied = await throughNginx(service, asking)
  const contenders: Contender[] = [
    ask(names.bearer, service, asking.bearer),
    ask(names.session, service, asking.session),
    ask(names.host, service, asking.host),
    ask(names.bypass, service, asking.bypass),
    ask(names.escapes, service, asking.escapes),
    ask(many(names.host), large, ofLarge.host),
    ask(many(names.bypass), large, ofLarge.bypass),
    ask(many(names.escapes), large, ofLarge.escapes),
    ask(bareName, plain, asking.bearer, true),
    ask(bareBearer, likeBearer, asking.bearer, true),
    ask(bareSession, likeSession, asking.session, true),
    ...proxied.contenders,
  ]
  const { samples, about: taken } = await takeTurns(plan, contenders, bareName)
  for (const each of [proxied, plain, likeBearer, likeSession, service, large]) await each.stop()
  await data.close()
  await others.close()
  const isWithNginx = proxied.contenders.length > 0
  const missing = { what: names.nginx, values: [], missing: 'not installed', isPeer: true }
  return {
    name: 'forward',
    title: 'Forward authentication',
    about,
    unit: 'requests/s',
    lines: [...linesOf(contenders, samples, goals), ...(isWithNginx ? [] : [missing])],
    ...taken,
  }
}

const names = {
  bearer: 'bearer, 10 rules',
  session: 'session, 10 rules',
  host: "session of an application's host, 10 rules",
  bypass: 'bypass, 10 rules',
  escapes: 'a path with escapes, 10 rules',
  nginx: 'nginx alone',
  nginxHost: "nginx, auth_request, session of the application's host",
  nginxBearer: 'nginx, auth_request, bearer',
} as const
const bareBearer = 'bare node:http, headers by bearer'
const bareSession = 'bare node:http, headers by session'
const many = (name: string) => name.replace('10 rules', '10,000 rules')

const beside = (sameHeaders: string, ratchet: string): Goal[] => [
  { to: bareName, atLeast: 0.6, ratchet: `${ratchet} : bare` },
  { to: sameHeaders, as: 'bare node:http, same headers' },
]
const besideTen = (name: string, ratchet?: string): Goal[] => [
  { to: name, as: '10 rules', atLeast: 0.5, ...(ratchet === undefined ? {} : { ratchet }) },
]
const goals: Readonly<Record<string, readonly Goal[]>> = {
  [names.bearer]: beside(bareBearer, 'forward bearer'),
  [names.session]: beside(bareSession, 'forward session'),
  [names.host]: beside(bareSession, 'forward host session'),
  [names.bypass]: [{ to: bareName }],
  [many(names.host)]: besideTen(names.host),
  [many(names.bypass)]: besideTen(names.bypass, 'forward 10,000 rules : 10'),
  [many(names.escapes)]: besideTen(names.escapes),
  [names.nginxHost]: [{ to: names.nginx }],
  [names.nginxBearer]: [{ to: names.nginx }],
}

const path = '/api/authz/forward'
const { gatehouse, unprotected, wiki } = proxiedHosts
const indexes = Array.from({ length: 1000 }, (_, index) => index)

interface Asking {
  readonly host: string
  /** The beginning of 1,000 paths. */
  readonly begin: string
  readonly headers: Readonly<Record<string, string>>
}

function ask(name: string, target: Target, asking: Asking, isPeer = false): Contender {
  return loadOf(name, target, { isAwake: true, requests: requestsOf(asking) }, isPeer)
}

function requestsOf({ host, begin, headers }: Asking): Request[] {
  return indexes.map((index) => ({
    path,
    headers: { ...forwardedHeaders(host, begin + index), ...headers },
  }))
}

function startWithRules(data: Seeded, count: number): Promise<Service> {
  const others = Array.from({ length: count - 2 }, (_, index) =>
    index % 2 === 0
      ? { hosts: [`application-${index}.example.org`], policy: 'one_factor' }
      : { hosts: [wiki, gatehouse], paths: [`/area-${index}/*`], policy: 'deny' },
  )
  const rules = [
    ...others,
    { hosts: [wiki], paths: ['/open/*'], policy: 'bypass' },
    { hosts: [wiki, gatehouse], paths: ['/page/*'], policy: 'one_factor' },
  ]
  const file = join(data.store.directory, 'rules.json')
  writeFileSync(file, JSON.stringify({ rules }))
  return data.start({ ...proxiedSettings, FORWARD_AUTH_FILE: file })
}

async function askingOf(service: Service) {
  const session = await sessionOf(service)
  const host = { cookie: await hostSessionOf(service.url, session.cookie, wiki) }
  const begin = '/page/'
  return {
    bearer: { host: wiki, begin, headers: service.bearer },
    session: { host: gatehouse, begin, headers: session },
    host: { host: wiki, begin, headers: host },
    escapes: { host: wiki, begin: `${begin}of%20some%20length/`, headers: host },
    bypass: { host: wiki, begin: '/open/', headers: {} },
  } satisfies Readonly<Record<string, Asking>>
}

function bareFor(service: Service, asking: Asking, withHeaders: boolean): Promise<Peer> {
  return bare(service, path, requestsOf(asking)[0]?.headers ?? {}, withHeaders)
}

/** An application behind nginx, with and without a question to a service; null where nginx is not had. */
async function throughNginx(
  service: Service,
  { bearer, host }: Readonly<Record<'bearer' | 'host', Asking>>,
) {
  const application = await startPeer('peers/bare.ts', {
    body: 'The wiki\n',
    headers: ['content-type', 'text/plain', 'content-length', '9'],
    keepAliveTimeoutMs: 72_000,
  })
  const portOf = ({ url }: Target) => Number(new URL(url).port)
  const ports = { gatehouse: portOf(service), application: portOf(application) }
  const nginx = await startNginx(temporaryFolder(), ports)
  if (!nginx) return { contenders: [], stop: () => application.stop() }
  const { pid, stop } = known(nginx.child)
  const target = { url: nginx.url, pid, others: [application.pid, service.pid] }
  const through = (name: string, { begin, headers }: Asking, to = wiki as string) => {
    const requests = indexes.map((index) => ({
      path: begin + index,
      headers: { ...headers, host: to },
    }))
    return loadOf(name, target, { requests }, to === unprotected)
  }
  return {
    contenders: [
      through(names.nginx, bearer, unprotected),
      through(names.nginxBearer, bearer),
      through(names.nginxHost, host),
    ],
    async stop() {
      await stop()
      await application.stop()
    },
  }
}
