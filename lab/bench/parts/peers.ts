import { join } from 'node:path'
import { freePort } from '../../../tools/free-port.ts'
import { loadOf, postJson, type Request, type Target } from '../load.ts'
import { startGlewlwyd } from '../peers/glewlwyd.ts'
import { type Peer, startPeer } from '../processes.ts'
import type { Figure } from '../report/figure.ts'
import { type Contender, linesOf, type Plan, takeTurns } from '../turns.ts'
import { addClient, refreshTokens, seeded, sessionOf, temporaryFolder } from './seeded.ts'

const about = `Requests by which a client shows who it is, in this service and in others. They do different work. This
service sends its security headers, asks for a revocation at every request, and keeps all state on disk. *passport-jwt*
verifies the signature (HS256) of each token and asks nothing else: no revocation and no database. *express-session* reads
its session from SQLite and writes the time of its use (\`touch\`) at every request. *Better Auth* reads session and user
from SQLite; with its cookie cache it verifies a signed cookie, and a revoked session counts for up to five minutes.
*oidc-provider* uses its own adapter, which keeps tokens in memory and is not meant for production; no lasting one is
as fast. *glewlwyd* reads its session and user from SQLite, in C, on several threads, so that it may use more than one core.
Express, Better Auth and oidc-provider run with \`NODE_ENV=production\`.`

const ours = {
  me: 'this service: GET /api/me, bearer',
  protected: 'this service: GET /api/protected, session',
  introspect: 'this service: introspection, JWT',
  refresh: 'this service: POST /refresh, JWT, RS256',
}
const form = { 'content-type': 'application/x-www-form-urlencoded' }

export async function peers(plan: Plan): Promise<Figure> {
  const data = await seeded(plan, 'SQLite', 1000)
  const clients = join(data.store.directory, 'clients.json')
  const authorization = addClient(clients)
  const service = await data.start({ CLIENTS_FILE: clients })
  const token = service.bearer.authorization?.replace('Bearer ', '')
  const refresh = await refreshTokens(service, 16)
  const others = await startPeers()
  const { express, betterAuth, cached, provider, glewlwyd, fastify } = others

  const peer = (name: string, target: Target, ...requests: Request[]) =>
    loadOf(name, target, { requests }, true)
  const own = (name: string, ...requests: Request[]) => loadOf(name, service, { requests })
  const header = (of: Peer, name: string) => of.ready.headers?.[name] ?? {}
  const path = '/api/auth/get-session'
  const contenders: Contender[] = [
    own(ours.me, { path: '/api/me', headers: service.bearer }),
    peer('Express, passport-jwt', express, { path: '/token', headers: header(express, 'token') }),
    own(ours.protected, { path: '/api/protected', headers: await sessionOf(service) }),
    peer('Express, express-session on SQLite', express, {
      path: '/session',
      headers: header(express, 'session'),
    }),
    peer('Better Auth: get-session', betterAuth, { path, headers: header(betterAuth, 'session') }),
    peer('Better Auth: get-session, cookie cache', cached, {
      path,
      headers: header(cached, 'session'),
    }),
    ...(glewlwyd
      ? [peer(glewlwydName, glewlwyd, { path: '/api/profile_list', headers: glewlwyd.headers })]
      : []),
    own(ours.introspect, {
      method: 'POST',
      path: '/oauth/introspect',
      headers: { authorization, ...form },
      body: `token=${token}`,
    }),
    peer('oidc-provider: introspection, opaque', provider, {
      method: 'POST',
      path: '/token/introspection',
      headers: header(provider, 'client'),
      body: `token=${header(provider, 'token').access_token}`,
    }),
    own(ours.refresh, ...refresh.map((refresh_token) => postJson('/refresh', { refresh_token }))),
    peer('oidc-provider: client_credentials, opaque', provider, {
      method: 'POST',
      path: '/token',
      headers: header(provider, 'client'),
      body: 'grant_type=client_credentials',
    }),
    peer('bare Fastify answer', fastify, { path: '/me', headers: service.bearer }),
  ]
  const { samples, about: taken } = await takeTurns(plan, contenders, 'bare Fastify answer')
  for (const each of Object.values(others)) await each?.stop()
  await service.stop()
  await data.close()
  const missing = { what: glewlwydName, values: [], missing: 'not installed', isPeer: true }
  return {
    name: 'peers',
    title: 'Beside other programs',
    about,
    unit: 'requests/s',
    lines: [...linesOf(contenders, samples), ...(glewlwyd ? [] : [missing])],
    ...taken,
  }
}

const glewlwydName = 'glewlwyd: profile list, session'

async function startPeers() {
  return {
    express: await startPeer('peers/express.ts', { folder: temporaryFolder() }),
    betterAuth: await startBetterAuth(false),
    cached: await startBetterAuth(true),
    provider: await startPeer('peers/oidc-provider.ts', { port: await freePort() }),
    fastify: await startPeer('peers/fastify.ts', {}),
    glewlwyd: await startGlewlwyd(temporaryFolder()),
  }
}

export async function startBetterAuth(cookieCache: boolean): Promise<Peer> {
  const port = await freePort()
  return startPeer('peers/better-auth.ts', { folder: temporaryFolder(), cookieCache, port })
}
