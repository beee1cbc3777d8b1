import cluster, { type Worker } from 'node:cluster'
import { isatty } from 'node:tty'
import { createAnswers, createStartOrder, pollingOthers, type StartOrder } from './answers.ts'
import { handedTo } from './handed-connections.ts'
import { type LineOutput, lineOutput, type PrimaryLog, primaryLog, wholeLines } from './log.ts'
import { followLogLevel } from './log-level.ts'
import { createPeer } from './peer.ts'
import { createPoll } from './poll.ts'
import { createPrimaryLimits, type PrimaryLimits } from './shared-limits.ts'
import { emptySlots, type Running, runningOf, type Slot } from './slot.ts'
import { createStopping, type StoppingPrimary } from './stopping.ts'
import type { Kept, PollTopics, PrimaryTopics, WorkerTopics } from './topics.ts'
import { type PolledTopics, replacedExitCode, serviceOutput, stopSignals } from './workers.ts'

/** Longer-lived workers did not fail at start. */
const soundMs = 10_000
const firstPauseMs = 100
const maxPauseMs = 5_000

interface Primary {
  readonly env: NodeJS.ProcessEnv
  readonly slots: readonly Slot[]
  readonly limits: PrimaryLimits
  readonly log: PrimaryLog['log']
  readonly output: LineOutput
  readonly stopping: StoppingPrimary
  readonly answersTo: ReturnType<typeof createAnswers>
  readonly order: StartOrder
}

/**
 * The parent of `count` workers. Opens no database and imports nothing of the service, to stay
 * small.
 */
export function runPrimary(count: number, env: NodeJS.ProcessEnv): void {
  const output = lineOutput()
  const { log, toggle } = primaryLog(output, env.LOG_LEVEL)
  const limits = createPrimaryLimits()
  const slots = emptySlots(count)
  const kept: Kept = {}
  const isTerminal = isatty(1)
  const order = createStartOrder()
  const noneWillListen = () => order.allListen.resolve()
  const stopping = createStopping({ slots, output, log, noneWillListen })
  const answersTo = createAnswers({ slots, kept, limits, isTerminal }, order)
  const primary: Primary = { env, slots, limits, log, output, stopping, answersTo, order }

  // The first process of a container ignores signals without a handler.
  const signals = stopSignals({ isTerminal })
  for (const signal of signals) process.on(signal, () => stopping.stop(signal))
  followLogLevel({ slots, kept, log, toggle, logLevel: env.LOG_LEVEL })
  if (!signals.includes('SIGHUP')) {
    process.on('SIGHUP', () => {
      log('info', { signal: 'SIGHUP' }, 'files are read anew')
      for (const { peer } of runningOf(slots)) peer.ask('read files').catch(() => {})
    })
  }
  distributeConnections()
  for (const slot of slots) fork(primary, slot)
}

function distributeConnections(): void {
  // The system's own distribution would give one worker most connections.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    stdio: Object.assign(['ignore', 'pipe', 'inherit', 'ipc'], { [serviceOutput]: 1 }),
  })
}

function fork(primary: Primary, slot: Slot): void {
  const { env, limits, output } = primary
  const worker = cluster.fork(env)
  const running = runningIn(primary, slot, worker)
  slot.starts += 1
  slot.running = running
  const closeHanded = handedTo(worker)
  worker.process.stdout?.on('data', wholeLines(output.write))
  worker.on('error', () => {})
  // After the streams end: the last lines come first.
  worker.process.once('close', (code, signal) => {
    closeHanded()
    running.peer.close()
    limits.forget(worker)
    slot.running = undefined
    ended(primary, slot, { running, code, signal })
  })
}

/** Connects both conversations with the worker. */
function runningIn({ slots, answersTo }: Primary, slot: Slot, worker: Worker): Running {
  const send = (message: object) => {
    worker.process.send(message, undefined, undefined, () => {})
  }
  const peer = createPeer<WorkerTopics, PrimaryTopics>(send, (topic, ...data) =>
    answers[topic](...data),
  )
  const others = createPeer<object, PolledTopics>(send, pollingOthers(slots, slot), 'others')
  const running: Running = {
    worker,
    peer,
    poll: createPoll<PollTopics>(peer, worker.process.pid ?? 0),
    bornAt: performance.now(),
    isListening: false,
    isCut: false,
    hasTold: false,
  }
  const answers = answersTo(slot, running)
  worker.on('message', peer.receive)
  worker.on('message', others.receive)
  return running
}

interface End {
  readonly running: Running
  readonly code: number | null
  readonly signal: string | null
}

function ended(primary: Primary, slot: Slot, { running, code, signal }: End): void {
  const { log, stopping } = primary
  if (code === replacedExitCode) {
    // All workers have the same files open. A kill closes no database.
    log('fatal', { worker: slot.index, exit_code: code }, 'files of the database were replaced')
    stopping.end(code)
  }
  if (stopping.isStopping()) {
    stopping.ended(running, code)
    return
  }
  if (!primary.order.isStarted) {
    // Unless killed, the worker has reported the cause. The other workers must not start either.
    if (signal) process.stderr.write(`Gatehouse cannot start: a worker was ended by ${signal}\n`)
    stopping.end(1)
  }
  slot.early = performance.now() - running.bornAt < soundMs ? slot.early + 1 : 0
  slot.replaces = { pid: running.worker.process.pid ?? null, code, signal }
  const fields = { worker: slot.index, ...slot.replaces }
  const event = running.hasTold ? {} : { event: 'sys_crash' }
  log('error', { ...event, ...fields }, 'a worker has ended: another takes its place')
  replace(primary, slot)
}

function replace(primary: Primary, slot: Slot): void {
  slot.timer = setTimeout(() => {
    try {
      fork(primary, slot)
    } catch (error) {
      slot.early += 1
      const fields = { worker: slot.index, reason: String(error) }
      primary.log('error', fields, 'a worker cannot be started yet')
      replace(primary, slot)
    }
  }, pauseMs(slot.early))
}

/** Before the replacement of a worker that failed at start. */
export function pauseMs(early: number): number {
  return early === 0 ? 0 : Math.min(firstPauseMs * 2 ** (early - 1), maxPauseMs)
}
