import { type Child, type Meter, meter, startPeer } from './processes.ts'
import { atLeast, duel, load, processorTime, type Row } from './rounds.ts'
import { open, readText, type Service, service, sessionCookie } from './service.ts'

const connections = 16
const rounds = 5
const seconds = 2

/** Compares GET /api/me with a bearer token with a bare node:http server and the same answer. */
export async function me(nodeOptions: readonly string[]): Promise<Row[]> {
  const gatehouse = await service(nodeOptions)
  const rows = await besideBareServer(gatehouse, '/api/me', gatehouse.bearer, 0.6)
  await gatehouse.stop()
  return rows
}

/** Compares GET /api/protected with a session with the same server. */
export async function guarded(nodeOptions: readonly string[]): Promise<Row[]> {
  const gatehouse = await service(nodeOptions)
  const cookie = await sessionCookie(gatehouse)
  const rows = await besideBareServer(gatehouse, '/api/protected', { cookie }, 0.35)
  await gatehouse.stop()
  return rows
}

async function besideBareServer(
  gatehouse: Service,
  path: string,
  headers: Readonly<Record<string, string>>,
  goal: number,
): Promise<Row[]> {
  const answer = await open(gatehouse.url + path, { ...headers, connection: 'keep-alive' })
  const bare = await startPeer('bare-server.ts', {
    body: await readText(answer),
    headers: ownHeaders(answer.rawHeaders),
    keepAliveTimeoutMs: 72_000,
  })
  const spent = { ours: meter(gatehouse), bare: meter(bare) }
  const contender = (server: Child, count: Meter) => () =>
    count(() => load({ url: server.url + path, connections, duration: seconds, headers }))
  const result = await duel(
    rounds,
    contender(gatehouse, spent.ours.count),
    contender(bare, spent.bare.count),
  )
  await bare.stop()
  return [
    atLeast(`GET ${path} : bare node:http`, result, goal),
    processorTime(spent.ours.microseconds(), spent.bare.microseconds()),
  ]
}

/** The headers that Node does not add itself. */
function ownHeaders(rawHeaders: readonly string[]): string[] {
  const own: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (!/^(date|connection|keep-alive)$/i.test(name)) own.push(name, value)
  }
  return own
}
