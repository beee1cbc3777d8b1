import { Agent as PlainAgent, request as plain } from 'node:http'
import { Agent, request as tls } from 'node:https'
import { setTimeout } from 'node:timers/promises'

export interface Target {
  readonly name: string
  readonly url: string
}

export interface Failed {
  readonly phase: string
  readonly target: string
  readonly what: string
  /** 0 where there was none. */
  readonly status: number
  readonly detail: string
}

export interface PhaseFigures {
  readonly phase: string
  readonly requests: number
  readonly failed: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Callers that log in, read, write and refresh at all targets in turn. */
export interface Load {
  phase(name: string): void
  /**
   * Stops sending to a target, as a proxy does before a node stops; resolves when no request runs
   * there.
   */
  takeOut(target: Target): Promise<void>
  putIn(target: Target): void
  /** Waits until no request runs, and holds new requests until the returned function is called. */
  pause(): Promise<() => void>
  stop(): Promise<void>
  readonly failures: readonly Failed[]
  figures(): PhaseFigures[]
  /** Titles of the posts whose creation was answered, by id. */
  readonly acknowledged: ReadonlyMap<number, string>
}

export interface LoadOptions {
  readonly targets: readonly Target[]
  readonly lanes: number
  readonly admin: { readonly username: string; readonly password: string }
  /** The authority of the targets, if they speak TLS. */
  readonly ca?: string
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a drill says what it expects of a body
  readonly body: any
  readonly cookie: string
}

const patienceMs = 15_000
const restMs = 20
/** One of so many requests opens a connection of its own. */
const freshEvery = 5
const password = 'a pass phrase of the drill, 1888'

/** Makes an account for each lane, and starts. @throws Error if that fails */
export async function startLoad(options: LoadOptions): Promise<Load> {
  const { admin, lanes, ca } = options
  let targets = [...options.targets]
  const agents = new Map<string, Agent | PlainAgent>()
  const underWay = new Map<string, number>()
  const failures: Failed[] = []
  const times = new Map<string, number[]>()
  const acknowledged = new Map<number, string>()
  let phase = 'before'
  let isStopped = false
  let paused: Promise<void> | null = null
  let turn = 0
  let sent = 0

  const next = (): Target => {
    turn += 1
    const target = targets[turn % targets.length]
    if (!target) throw new Error('no target is left')
    return target
  }

  function agentOf({ url }: Target, isFresh: boolean): Agent | PlainAgent | false {
    if (isFresh) return false
    const known = agents.get(url)
    if (known) return known
    const made = url.startsWith('https')
      ? new Agent({ keepAlive: true })
      : new PlainAgent({ keepAlive: true })
    agents.set(url, made)
    return made
  }

  interface Wanted {
    readonly method: string
    readonly path: string
    readonly status: number
    readonly headers?: Record<string, string>
    readonly json?: unknown
    readonly form?: Record<string, string>
  }

  /** Sends to the next target; null, and a failure is noted, if the answer is another one. */
  async function ask({
    method,
    path,
    status,
    headers = {},
    json,
    form,
  }: Wanted): Promise<Answer | null> {
    while (paused) await paused
    const target = next()
    const began = performance.now()
    const inPhase = phase
    underWay.set(target.url, (underWay.get(target.url) ?? 0) + 1)
    sent += 1
    const body = json ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : ''
    const type = json ? 'application/json' : 'application/x-www-form-urlencoded'
    const all = {
      ...(body && { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    }
    const fault = { text: '' }
    const answer = await new Promise<Answer | null>((resolve) => {
      const failed = (error: Error) => {
        fault.text = 'code' in error ? String(error.code) : error.message
        resolve(null)
      }
      const url = new URL(path, target.url)
      const agent = agentOf(target, sent % freshEvery === 0)
      const options = { method, headers: all, agent, timeout: patienceMs }
      const outgoing =
        url.protocol === 'https:'
          ? tls(url, {
              ...options,
              agent: agent as Agent,
              ...(ca !== undefined && { ca }),
              servername: 'localhost',
            })
          : plain(url, options)
      outgoing.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        response.on('error', failed)
        response.on('end', () => {
          const isJson = String(response.headers['content-type']).includes('json') && text !== ''
          const cookie = String(response.headers['set-cookie'] ?? '').split(';')[0] ?? ''
          resolve({
            status: response.statusCode ?? 0,
            body: isJson ? JSON.parse(text) : text,
            cookie,
          })
        })
      })
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')))
      outgoing.on('error', failed)
      outgoing.end(body)
    })
    underWay.set(target.url, (underWay.get(target.url) ?? 1) - 1)
    const list = times.get(inPhase) ?? []
    times.set(inPhase, list)
    list.push(performance.now() - began)
    if (answer?.status === status) return answer
    const detail = answer ? JSON.stringify(answer.body).slice(0, 200) : fault.text
    failures.push({
      ...{ phase: inPhase, target: target.name, what: `${method} ${path.replace(/\d+/g, 'N')}` },
      ...{ status: answer?.status ?? 0, detail },
    })
    return null
  }

  const logIn = (username: string, mode: string, secret = password) =>
    ask({ method: 'POST', path: '/login', status: 200, form: { username, password: secret, mode } })

  async function lane(username: string, index: number): Promise<void> {
    for (let round = 0; !isStopped; round += 1) {
      const pair = await logIn(username, 'pair')
      if (!pair) continue
      const headers = { authorization: `Bearer ${pair.body.access_token}` }
      const session = await logIn(username, 'session')
      for (let step = 0; step < 4 && !isStopped; step += 1) {
        await ask({ method: 'GET', path: '/api/me', status: 200, headers })
        if (session) {
          const own = { cookie: session.cookie }
          await ask({ method: 'GET', path: '/api/account', status: 200, headers: own })
        }
        const title = `post ${index}.${round}.${step}`
        const json = { title, body: 'of the drill' }
        const post = await ask({ method: 'POST', path: '/api/posts', status: 201, headers, json })
        if (post) {
          acknowledged.set(post.body.id, title)
          await ask({ method: 'GET', path: `/api/posts/${post.body.id}`, status: 200, headers })
        }
        await setTimeout(restMs)
      }
      const { refresh_token } = pair.body
      await ask({ method: 'POST', path: '/refresh', status: 200, form: { refresh_token } })
    }
  }

  const keeper = await logIn(admin.username, 'token', admin.password)
  if (!keeper) throw new Error(`the administrator cannot log in: ${JSON.stringify(failures)}`)
  const headers = { authorization: `Bearer ${keeper.body.token}` }
  const names = Array.from({ length: lanes }, (_, index) => `drill${index}`)
  for (const username of names) {
    const account = {
      username,
      password,
      roles: ['USER', 'EDITOR'],
      name: username,
      email: `${username}@example.org`,
    }
    const made = await ask({
      method: 'POST',
      path: '/api/admin/accounts',
      status: 201,
      headers,
      json: account,
    })
    if (!made) throw new Error(`no account: ${JSON.stringify(failures)}`)
  }
  const running = names.map(lane)

  return {
    phase(name) {
      phase = name
    },
    async takeOut(target) {
      targets = targets.filter(({ url }) => url !== target.url)
      while ((underWay.get(target.url) ?? 0) > 0) await setTimeout(5)
      agents.get(target.url)?.destroy()
      agents.delete(target.url)
    },
    putIn(target) {
      targets = [...targets, target]
    },
    async pause() {
      const { promise, resolve } = Promise.withResolvers<void>()
      paused = promise
      while ([...underWay.values()].some((count) => count > 0)) await setTimeout(5)
      return () => {
        paused = null
        resolve()
      }
    },
    async stop() {
      isStopped = true
      await Promise.all(running)
      for (const agent of agents.values()) agent.destroy()
    },
    failures,
    figures: () =>
      [...times].map(([name, list]) => {
        const sorted = list.toSorted((a, b) => a - b)
        const at = (share: number) =>
          Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
        const failed = failures.filter((failure) => failure.phase === name).length
        return { phase: name, requests: sorted.length, failed, p50Ms: at(0.5), p99Ms: at(0.99) }
      }),
    acknowledged,
  }
}
