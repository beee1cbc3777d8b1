import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import type { InjectOptions } from 'fastify'
import type { Database } from '../src/core/database/database.ts'
import { QueuedAdapter } from '../src/core/database/transactions.ts'
import { type Answer, answerOf, type TestApp, type TestOptions } from './app.ts'
import { connectTo } from './database.ts'

/** A request that waits at an exact point until the test releases it. */
export interface HeldRequest {
  /** Resolves when it waits. @throws Error if it was answered without waiting */
  readonly held: Promise<void>
  goOn(): void
  readonly answer: Promise<Answer>
}

export interface HeldCall {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string
}

interface Hold {
  /** The number of transactions before the one that waits. */
  left: number
  /** Whether the transaction that begins has been counted. */
  isCounted: boolean
  readonly wait: () => Promise<void>
}

const holds = new AsyncLocalStorage<Hold>()

/** Options of a service whose transactions can be held, by request. */
export async function holdableDatabase(): Promise<Pick<TestOptions, 'directory' | 'deps'>> {
  // All held requests continue at the same time: on a busy machine the last one waits long.
  const { directory, db, ...connected } = await connectTo({ timeoutMs: 20_000 })
  const begin = db.transaction.bind(db)
  db.transaction = () => {
    const builder = begin()
    const execute = builder.execute.bind(builder)
    builder.execute = async (work) => {
      const hold = holds.getStore()
      if (hold && !hold.isCounted) await count(hold)
      if (hold) hold.isCounted = false
      return execute(work)
    }
    return builder
  }
  holdBeforeQueues(db)
  return { directory, deps: { ...connected, db } }
}

/** On PostgreSQL a transaction may wait in a queue of its process, where it cannot be held. */
function holdBeforeQueues(db: Database): void {
  const executor = db.getExecutor()
  const { adapter } = executor
  if (!(adapter instanceof QueuedAdapter)) return
  const held: QueuedAdapter = Object.assign(Object.create(adapter), {
    deadline: adapter.deadline.bind(adapter),
    async enter(...wanted: Parameters<QueuedAdapter['enter']>) {
      const hold = holds.getStore()
      if (hold) await count(hold)
      if (hold) hold.isCounted = true
      return adapter.enter(...wanted)
    },
  })
  const withQueues = new Proxy(executor, {
    get(target, name) {
      if (name === 'adapter') return held
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  db.getExecutor = () => withQueues
}

async function count(hold: Hold): Promise<void> {
  hold.left -= 1
  if (hold.left === 0) await hold.wait()
}

/** Sends a request that waits before its transaction number `at`. */
export function holdAtTransaction(app: TestApp, call: HeldCall, at: number): HeldRequest {
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const wait = () => {
    reached.resolve()
    return gate.promise
  }
  const answer = holds.run({ left: at, isCounted: false, wait }, () => send(app, call, call.body))
  return { held: orAnswered(reached.promise, answer, call), goOn: gate.resolve, answer }
}

/** Sends a request whose body waits before its first byte, after its header has been judged. */
export function holdBody(app: TestApp, call: HeldCall & { readonly body: string }): HeldRequest {
  const reached = Promise.withResolvers<void>()
  const body = new Readable({ read: () => reached.resolve() })
  const answer = send(app, call, body)
  const goOn = () => {
    body.push(call.body)
    body.push(null)
  }
  return { held: orAnswered(reached.promise, answer, call), goOn, answer }
}

async function orAnswered(
  reached: Promise<void>,
  answer: Promise<Answer>,
  { method, path }: HeldCall,
): Promise<void> {
  const early = answer.then(({ status, text }) => {
    throw new Error(`${method} ${path} was answered at once: ${status} ${text}`)
  })
  await Promise.race([reached, early])
  early.catch(() => {})
}

async function send(
  { app }: TestApp,
  { method, path, headers, body }: HeldCall,
  payload: InjectOptions['payload'],
): Promise<Answer> {
  const typed = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await app.server.inject({
    method: method as 'GET', // any method
    url: path,
    headers: { ...typed, ...headers },
    ...(payload !== undefined && { payload }),
  })
  return answerOf(response)
}
