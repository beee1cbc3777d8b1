import type { Job, Outcome } from './generator.ts'
import { treeOf } from './machine.ts'
import { type Peer, processorMs, startPeer } from './processes.ts'
import type { Contender, Sample } from './turns.ts'

export interface Request {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Load
  extends Partial<
    Pick<Job, 'connections' | 'statuses' | 'perSecond' | 'count' | 'isAwake' | 'pauseMs'>
  > {
  /** Sent in turn; a function makes the requests of each turn anew. */
  readonly requests: readonly Request[] | (() => readonly Request[])
}

export interface Target {
  readonly url: string
  readonly pid: number
  /** Of other servers that have a part in its answers. */
  readonly others?: readonly number[]
}

const usualConnections = 32
let generator: Promise<Peer> | undefined

/**
 * Sends a load to a server. @throws Error if an answer had another status than 200 or those named, or
 * a connection failed
 */
export async function send(
  target: Target,
  load: Load,
  seconds: number,
  by?: Peer,
): Promise<Outcome> {
  generator ??= startPeer('generator.ts')
  const { port, host } = new URL(target.url)
  const { requests: given, connections = usualConnections, statuses = [200], ...rest } = load
  const requests = typeof given === 'function' ? given() : given
  const job: Job = {
    ...rest,
    port: Number(port),
    connections,
    statuses,
    seconds,
    requests: requests.map((request) => bytesOf(request, host)),
  }
  const outcome = (await (by ?? (await generator)).ask(job)) as Outcome
  if (outcome.failure !== undefined) throw new Error(`${target.url}: ${outcome.failure}`)
  return outcome
}

export async function stopGenerator(): Promise<void> {
  await (await generator)?.stop()
  generator = undefined
}

export function loadOf(name: string, target: Target, load: Load, isPeer = false): Contender {
  return {
    name,
    isPeer,
    run: (seconds) =>
      measured(target, async () => {
        const { answered, seconds: taken } = await send(target, load, seconds)
        return { count: answered, seconds: taken }
      }),
  }
}

/** Measures work that answers how many requests it made, in how many seconds. */
export async function measured(
  { pid, others = [] }: Pick<Target, 'pid' | 'others'>,
  work: () => Promise<{ readonly count: number; readonly seconds: number }>,
): Promise<Sample> {
  const spent = spentBy([pid, ...others])
  const { count, seconds } = await work()
  const milliseconds = spentBy([pid, ...others]) - spent
  return {
    rate: count / seconds,
    microseconds: (milliseconds * 1000) / count,
    cores: milliseconds / 1000 / seconds,
  }
}

/** Of servers and their workers. */
function spentBy(servers: readonly number[]): number {
  return servers.flatMap(treeOf).reduce((sum, each) => sum + processorMs(each), 0)
}

function bytesOf({ method = 'GET', path, headers = {}, body }: Request, host: string): string {
  const all = {
    host,
    ...headers,
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

export function postJson(path: string, body: unknown, headers: Request['headers'] = {}): Request {
  return {
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}
