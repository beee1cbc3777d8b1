import { join } from 'node:path'
import { loadOf, type Request } from '../load.ts'
import type { Answer } from '../peers/bare.ts'
import { type Peer, startPeer } from '../processes.ts'
import type { Figure } from '../report/figure.ts'
import { open, readText, type Service } from '../service.ts'
import { type Contender, type Goal, linesOf, type Plan, takeTurns } from '../turns.ts'
import { seeded, sessionOf, userIds } from './seeded.ts'

const users = 100_000

const about = `Reads of the service on SQLite with 100,000 users, beside a bare \`node:http\` server. \`/api/me\` takes a bearer
token (RS256, seen before: its signature is not verified again, its revocation is asked at every request),
or the key of a program (its row was read before, its revocation is asked at every request),
\`/api/protected\` a session that is read from the database, \`/users/{id}\` 1,000 different users in turn, \`/users?limit=20\`
the first page. The bare server sends the body of \`/api/me\` with Content-Type and Content-Length alone; *with the same
headers* it sends those of the service. A server of 30 lines *that knows the caller* sends them too, and does what no read of
the service can be without: the credential is found in memory by its whole text, its lifetime is judged, the version of the
database is read once for the requests of one turn, and the answer is made from an object. The Fastify answer is one route with a response schema and no hook.
The generator never sleeps here, so that no server spends time on waking it.`

export async function reads(plan: Plan): Promise<Figure> {
  const data = await seeded(plan, 'SQLite', users)
  const service = await data.start()
  const session = await sessionOf(service)
  const { bearer } = service
  const key = await keyOf(service)
  const get = (name: string, paths: readonly string[], headers: Request['headers']) =>
    loadOf(name, service, {
      isAwake: true,
      requests: paths.map((path) => ({ path, headers: { ...headers } })),
    })

  const peers = [
    await bare(service, '/api/me', bearer, false),
    await bare(service, '/api/me', bearer, true),
    await bare(service, '/api/protected', session, true),
    await startPeer('peers/fastify.ts', {}),
    await knowing(service, '/api/me', bearer),
    await knowing(service, '/api/protected', session),
  ]
  const contenders: Contender[] = [
    get('GET /api/me, bearer', ['/api/me'], bearer),
    get(byKey, ['/api/me'], key),
    get('GET /api/protected, session', ['/api/protected'], session),
    get(
      'GET /users/{id}',
      userIds.map((id) => `/users/${id}`),
      bearer,
    ),
    get('GET /users?limit=20', ['/users?limit=20'], bearer),
    ...[
      { name: bareName, headers: bearer, path: '/api/me' },
      { name: sameHeaders, headers: bearer, path: '/api/me' },
      { name: sameSessionHeaders, headers: session, path: '/api/protected' },
      { name: 'bare Fastify answer', headers: bearer, path: '/me' },
      { name: knowsBearer, headers: bearer, path: '/api/me' },
      { name: knowsSession, headers: session, path: '/api/protected' },
    ].map(({ name, headers, path }, index) =>
      loadOf(
        name,
        peers[index] as Peer,
        { isAwake: true, requests: [{ path, headers: { ...headers } }] },
        true,
      ),
    ),
  ]
  const { samples, about: taken } = await takeTurns(plan, contenders, bareName)
  for (const peer of peers) await peer.stop()
  await service.stop()
  await data.close()
  return {
    name: 'reads',
    title: 'Reads beside bare servers',
    about,
    unit: 'requests/s',
    lines: linesOf(contenders, samples, goals),
    ...taken,
  }
}

export const bareName = 'bare node:http'
const byKey = 'GET /api/me, key of a program'
const sameHeaders = 'bare node:http, headers of /api/me'
const sameSessionHeaders = 'bare node:http, headers of /api/protected'
const knowsBearer = 'node:http that knows the caller of /api/me'
const knowsSession = 'node:http that knows the caller of /api/protected'
const knows = 'node:http that knows the caller'

const goals: Readonly<Record<string, readonly Goal[]>> = {
  'GET /api/me, bearer': [
    { to: bareName, atLeast: 0.64, ratchet: 'me : bare' },
    {
      to: sameHeaders,
      as: 'bare node:http, same headers',
      atLeast: 0.8,
      ratchet: 'me : same headers',
    },
    { to: knowsBearer, as: knows },
  ],
  [byKey]: [{ to: 'GET /api/me, bearer', atLeast: 0.95 }],
  'GET /api/protected, session': [
    { to: bareName, atLeast: 0.64, ratchet: 'protected : bare' },
    {
      to: sameSessionHeaders,
      as: 'bare node:http, same headers',
      atLeast: 0.8,
      ratchet: 'protected : same headers',
    },
    { to: knowsSession, as: knows },
  ],
  'GET /users/{id}': [{ to: bareName, atLeast: 0.35, ratchet: 'user : bare' }],
  'GET /users?limit=20': [{ to: bareName, atLeast: 0.16, ratchet: 'page : bare' }],
}

/** A key of a service account. */
async function keyOf({ bearer, url }: Service): Promise<Request['headers']> {
  const ask = async (path: string, json: object) => {
    const response = await fetch(`${url}/api/admin/accounts${path}`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    })
    const answer = (await response.json()) as { key?: string }
    if (response.status !== 201) throw new Error(`no key: ${response.status}`)
    return answer
  }
  await ask('', { username: 'bench-program', service: true, roles: ['USER'] })
  const wanted = { name: 'bench', scopes: ['account:read'] }
  const { key } = await ask('/bench-program/keys', wanted)
  return { authorization: `Bearer ${key}` }
}

/** A bare server that answers what the service answers, with or without its headers. */
export async function bare(
  service: Service,
  path: string,
  headers: Readonly<Record<string, string>>,
  withHeaders: boolean,
): Promise<Peer> {
  const answer = await answerOf(service, path, headers)
  const { headers: all } = answer
  const few = all.filter((_, index) => isContent(all[index - (index % 2)]))
  return startPeer('peers/bare.ts', { ...answer, headers: withHeaders ? all : few })
}

/** A server on `node:http` that gives the service's answer to requests with these headers only. */
async function knowing(
  service: Service,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Peer> {
  const [header, credential] = Object.entries(headers)[0] ?? []
  const database = join(service.directory, 'gatehouse.db')
  const answer = await answerOf(service, path, headers)
  return startPeer('peers/known.ts', { ...answer, header, credential, database })
}

async function answerOf(
  service: Service,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const answer = await open(service.url + path, { ...headers, connection: 'keep-alive' })
  return {
    body: await readText(answer),
    headers: ownHeaders(answer.rawHeaders),
    keepAliveTimeoutMs: 72_000,
  }
}

function isContent(name = ''): boolean {
  return /^content-(type|length)$/i.test(name)
}

function ownHeaders(rawHeaders: readonly string[]): string[] {
  const own: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (!/^(date|connection|keep-alive)$/i.test(name)) own.push(name, value)
  }
  return own
}
