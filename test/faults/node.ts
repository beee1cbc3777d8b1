import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, startService } from '../../tools/service.ts'
import { masterKey } from '../master-key.ts'
import { type Caller, callerOf, type Reply } from './http.ts'

export const admin = { username: 'admin', password: 'a pass phrase for proofs, 1887' }

/** Limits that count the one address of all tests are off: they are not what fails here. */
const settings = {
  ADMIN_PASSWORD: admin.password,
  NODE_ENV: 'test',
  LOGIN_IP_ATTEMPTS: '0',
  LOGIN_ATTEMPTS: '0',
  LOGIN_LOCK_AFTER: '0',
  LOGIN_TOKEN_SECONDS: '86400',
  MASTER_KEY: masterKey,
}

/** One real process of the service, started as often as a test ends it, on the same data. */
export interface ServiceNode {
  readonly directory: string
  readonly service: Service
  readonly caller: Caller
  /** Milliseconds until it was ready. */
  start(): Promise<number>
  kill(): Promise<void>
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>
  /** The exit code, once it ends by itself. */
  ended(): Promise<number | null>
  /** A token of the administrator. @throws Error where there is none */
  token(): Promise<string>
  login(mode: 'session' | 'token', who?: { username: string; password: string }): Promise<Reply>
  remove(): Promise<void>
}

export interface NodeOptions {
  readonly env?: Record<string, string>
  /** Of Node itself, before the program. */
  readonly flags?: readonly string[]
  readonly entry?: string
  /** What the process is started through, as `ulimit`: a script of the shell that ends with `exec "$@"`. */
  readonly shell?: string
  readonly directory?: string
}

export async function startNode(options: NodeOptions = {}): Promise<ServiceNode> {
  const node = prepareNode(options)
  await node.start()
  return node
}

/** The same, not yet started. */
export function prepareNode({
  env = {},
  flags = [],
  entry = 'src/main.ts',
  shell,
  directory,
}: NodeOptions = {}): ServiceNode {
  const folder = directory ?? mkdtempSync(join(tmpdir(), 'gatehouse-fault-'))
  const program = [process.execPath, ...flags, entry] as const
  const command = shell ? (['/bin/sh', '-c', shell, 'sh', ...program] as const) : program
  let service: Service | undefined
  let caller: Caller | undefined
  const running = <T>(thing: T | undefined): T => {
    if (thing === undefined) throw new Error('not started')
    return thing
  }

  const self: ServiceNode = {
    directory: folder,
    get service() {
      return running(service)
    },
    get caller() {
      return running(caller)
    },

    async start() {
      const startedAt = performance.now()
      service = await startService(command, { ...settings, ...env }, folder)
      caller?.close()
      caller = callerOf(service.url)
      return performance.now() - startedAt
    },

    async kill() {
      await self.service.stop('SIGKILL')
      self.caller.close()
    },

    stop: () => self.service.stop(),

    ended() {
      const { process: child } = self.service
      child.ref()
      return new Promise((resolve) => child.once('exit', resolve))
    },

    async token() {
      const { status, body } = await self.login('token')
      if (status !== 200) throw new Error(`no token: ${status} ${JSON.stringify(body)}`)
      return body.token
    },

    login: (mode, who = admin) => self.caller.call('POST', '/login', { form: { ...who, mode } }),

    async remove() {
      caller?.close()
      if (service && service.process.exitCode === null && service.process.signalCode === null) {
        await service.stop('SIGKILL')
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return self
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
/** The cookie of a login in session mode, as a client sends it back. */
export function cookieOf({ headers }: Pick<Reply, 'headers'>): string {
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

export const basic = basicOf(admin)

export function basicOf({ username, password }: { username: string; password: string }) {
  return { authorization: `Basic ${btoa(`${username}:${password}`)}` }
}

export async function isReady({ caller }: ServiceNode): Promise<boolean> {
  return (await caller.call('GET', '/health/ready')).status === 200
}
